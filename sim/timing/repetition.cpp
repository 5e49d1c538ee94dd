#include "sim/timing/repetition.h"

#include <algorithm>
#include <utility>

#include "sim/timing/channel_clock.h"

namespace weft {
namespace {

/// Moves a state from `now` to where it is after `repetitions` more distances from `earlier`.
class StateAdvance final : public StateVisitor {
 public:
  /// `events` has, for each cycle of the new state that still matters, the event that decided it.
  StateAdvance(const StateRecord& earlier, const StateRecord& now, std::uint64_t repetitions,
               std::vector<PathRecorder::Node> events)
      : earlier_(earlier),
        now_(now),
        repetitions_(static_cast<std::int64_t>(repetitions)),
        events_(std::move(events)) {}

  void path(PathRecorder&, std::uint32_t& node, bool settled) override {
    ++next_;  // the record has counted `settled`
    if (!settled) node = events_[next_event_++];
  }

 private:
  std::int64_t visit(std::int64_t, Kind, Scale, Units) override {
    const std::int64_t value = now_.value(next_);
    const std::int64_t distance = value - earlier_.value(next_++);
    return value + repetitions_ * distance;
  }

  const StateRecord& earlier_;
  const StateRecord& now_;
  const std::int64_t repetitions_;
  const std::vector<PathRecorder::Node> events_;
  std::size_t next_ = 0;
  std::size_t next_event_ = 0;
};

}  // namespace

std::int64_t StateRecord::visit(std::int64_t value, Kind kind, Scale scale, Units settled) {
  numbers_.push_back({value, kind, scale, settled});
  return value;
}

void StateRecord::path(PathRecorder& recorder, std::uint32_t& node, bool settled) {
  numbers_.push_back({settled ? 1 : 0, Kind::kEqual, Scale::kCycle, kNoUnit});
  if (!settled) node = paths_.add(recorder, node);
}

std::int64_t StateRecord::distance(const StateRecord& earlier, Scale scale) const {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    if (numbers_[i].kind == Kind::kOrigin && numbers_[i].scale == scale) {
      return numbers_[i].value - earlier.numbers_[i].value;
    }
  }
  return 0;
}

std::int64_t StateRecord::latest_cycle() const {
  std::int64_t latest = 0;
  for (const RecordedNumber& number : numbers_) {
    const bool is_cycle = number.kind == Kind::kMoving && number.scale == Scale::kCycle;
    if (is_cycle) latest = std::max(latest, number.value);
  }
  return latest;
}

bool StateRecord::repeats(const StateRecord& earlier) const {
  if (size() != earlier.size()) return false;
  std::array<std::int64_t, kScales> distances{};
  Units active = kNoUnit;  // with instructions between the two states
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const RecordedNumber& before = earlier.numbers_[i];
    const RecordedNumber& after = numbers_[i];
    if (before.kind != after.kind) return false;
    const std::int64_t moved = after.value - before.value;
    const auto scale = static_cast<std::size_t>(after.scale);
    const auto first_unit = static_cast<std::size_t>(Scale::kFirstUnit);
    switch (after.kind) {
      case Kind::kEqual:
        if (moved != 0) return false;
        break;
      case Kind::kTotal:
        break;
      case Kind::kOrigin:
        distances[scale] = moved;
        if (scale >= first_unit && moved > 0) {
          active |= static_cast<Units>(1U << (scale - first_unit));
        }
        break;
      case Kind::kMoving: {
        if (before.scale != after.scale) return false;
        const bool stays = moved == 0 && (before.settled & active) == active;
        if (moved != distances[scale] && !stays) return false;
        break;
      }
    }
  }
  return true;
}

void RepetitionSkipper::skip() {
  for (std::size_t loop = 0; loop < InstructionStream::kLoops; ++loop) {
    if (stream_.begins_pass(loop)) at_pass(loop);
  }
}

void RepetitionSkipper::at_pass(std::size_t loop) {
  now_.clear();
  visit_(now_);
  Reference& reference = references_[loop];
  const std::uint64_t repetitions =
      reference.set ? stream_.repetitions(loop, reference.position) : 0;
  if (repetitions == 0) return replace(reference, 1);
  if (now_.repeats(reference.state) && skip_since(reference, repetitions)) {
    reference.set = false;
    return;
  }
  if (++reference.passes >= reference.limit) replace(reference, 2 * reference.limit);
}

bool RepetitionSkipper::skip_since(const Reference& reference, std::uint64_t repetitions) {
  const std::int64_t cycles = now_.distance(reference.state, StateVisitor::Scale::kCycle);
  if (cycles <= 0) return false;
  // A run that would reach kMaxCycle is replayed to there, where it ends with an error.
  const Cycle room = std::max<Cycle>(0, kMaxCycle - 1 - now_.latest_cycle());
  const std::uint64_t count = std::min(repetitions, static_cast<std::uint64_t>(room / cycles));
  if (count == 0) return false;
  std::vector<PathRecorder::Node> events;
  if (PathRecorder* recorder = now_.paths().recorder()) {
    auto repeated = recorder->repeat(reference.state.paths(), now_.paths(), count);
    if (!repeated) return false;
    events = std::move(*repeated);
  }
  StateAdvance advance(reference.state, now_, count, std::move(events));
  visit_(advance);
  const auto instructions =
      static_cast<std::uint64_t>(now_.distance(reference.state, StateVisitor::Scale::kProgram));
  skipped_instructions_ += count * instructions;
  return true;
}

void RepetitionSkipper::replace(Reference& reference, std::uint64_t limit) {
  reference.state.swap(now_);
  reference.position = stream_.position();
  reference.set = true;
  reference.passes = 0;
  reference.limit = limit;
}

}  // namespace weft
