#include "sim/timing/path_recorder.h"

#include <algorithm>
#include <limits>

namespace weft {

std::vector<CriticalPath> PathRecorder::paths(Node last) const {
  std::vector<CriticalPath> paths;
  for (Node node = last; node != kStart; node = nodes_[node].from) {
    if (is_mark(node)) continue;
    const Event& event = nodes_[node];
    const std::size_t group = event.key >> kPartBits;
    if (group >= paths.size()) paths.resize(group + 1);
    constexpr Key kPartMask = (Key{1} << kPartBits) - 1;
    paths[group].cycles[event.key & kPartMask] += event.length;
  }
  return paths;
}

PathRecorder::Node PathRecorder::add(Node from, const Spent& spent) {
  Node node = from;
  for (const auto& [key, length] : spent) node = add(node, key, length);
  return node;
}

bool PathRecorder::is_kept_mark(Node node) const {
  return is_mark(node) &&
         std::ranges::find(kept_states_, nodes_[node].length) != kept_states_.end();
}

void PathRecorder::spend(Spent& spent, Key key, Cycle length) {
  const auto at = std::ranges::lower_bound(spent, key, {}, &Spent::value_type::first);
  if (at != spent.end() && at->first == key) {
    at->second += length;
  } else {
    spent.insert(at, {key, length});
  }
}

// --- What is kept ---

// A node is kept if a live event is there, if it has a mark that is still in use, or if several
// paths branch there. Each other node has one successor, which takes over its cycles.
void PathRecorder::compact(std::span<Node* const> live) {
  constexpr std::uint8_t kKept = 2;
  std::vector<std::uint8_t> needed = {kKept};  // kStart
  needed.resize(nodes_.size(), 0);
  for (const Node* node : live) needed[*node] = kKept;
  for (std::size_t i = nodes_.size() - 1; i > kStart; --i) {
    if (needed[i] == 0) continue;
    if (is_kept_mark(static_cast<Node>(i))) needed[i] = kKept;
    std::uint8_t& from = needed[nodes_[i].from];
    if (from < kKept) ++from;
  }
  std::vector<Event> old(1);
  old.swap(nodes_);
  std::vector<Node> moved(old.size(), kStart);
  Spent spent;
  for (std::size_t i = 1; i < old.size(); ++i) {
    if (needed[i] != kKept) continue;
    spent.clear();
    std::size_t from = i;
    do {
      if ((old[from].key & kMark) == 0) spend(spent, old[from].key, old[from].length);
      from = old[from].from;
    } while (needed[from] != kKept);
    moved[i] = add(moved[from], spent);
    if ((old[i].key & kMark) != 0) moved[i] = add(moved[i], old[i].key, old[i].length);
  }
  for (Node* node : live) *node = moved[*node];
  // Looking at `live` takes time as well, so as many events must come before the next time.
  limit_ = std::max(least_limit_, 2 * nodes_.size() + live.size());
}

// --- Repetitions ---

std::optional<PathRecorder::Way> PathRecorder::way_to(Cycle state, Node node) const {
  Way way;
  for (; node != kStart; node = nodes_[node].from) {
    const Event& event = nodes_[node];
    if (!is_mark(node)) {
      spend(way.spent, event.key, event.length);
    } else if (event.length == state) {
      way.mark = event.key & ~kMark;
      return way;
    }
  }
  return std::nullopt;
}

PathRecorder::Way PathRecorder::joined(Way later, const Way& earlier) {
  later.mark = earlier.mark;
  for (const auto& [key, length] : earlier.spent) spend(later.spent, key, length);
  return later;
}

// `ways` lead from each mark to the mark where one repetition began. By repeated squaring.
std::vector<PathRecorder::Way> PathRecorder::power(std::vector<Way> ways, std::uint64_t exponent) {
  std::vector<Way> result(ways.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i].mark = i;
  while (exponent > 0) {
    if (exponent % 2 == 1) {
      for (Way& way : result) {
        const Way& next = ways[way.mark];
        way = joined(std::move(way), next);
      }
    }
    exponent /= 2;
    std::vector<Way> twice;
    for (const Way& way : ways) twice.push_back(joined(way, ways[way.mark]));
    ways = std::move(twice);
  }
  return result;
}

// The paths of all events of a state usually come from very few events of the state before. Only
// between these few is the way of many repetitions computed:
//
//   event --last repetition--> few --the others--> few of `now`
std::optional<std::vector<PathRecorder::Node>> PathRecorder::repeat(const PathMarks& earlier,
                                                                    const PathMarks& now,
                                                                    std::uint64_t repetitions) {
  std::vector<Way> last;
  for (std::size_t i = 0; i < now.size(); ++i) {
    auto way = way_to(earlier.state_, static_cast<Node>(now.first_ + i));
    if (!way) return std::nullopt;
    last.push_back(std::move(*way));
  }
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> position(last.size(), kNone);  // of a mark among the few
  std::vector<std::size_t> few;
  for (const Way& way : last) {
    if (position[way.mark] != kNone) continue;
    position[way.mark] = few.size();
    few.push_back(way.mark);
  }
  std::vector<Way> between;
  for (const std::size_t mark : few) {
    between.push_back(last[mark]);
    between.back().mark = position[last[mark].mark];
  }
  std::vector<Node> begins;
  for (const Way& way : power(std::move(between), repetitions - 1)) {
    begins.push_back(add(static_cast<Node>(now.first_ + few[way.mark]), way.spent));
  }
  std::vector<Node> events;
  for (const Way& way : last) events.push_back(add(begins[position[way.mark]], way.spent));
  return events;
}

// --- PathMarks ---

void PathMarks::clear() {
  if (recorder_ != nullptr) std::erase(recorder_->kept_states_, state_);
  recorder_ = nullptr;
  size_ = 0;
}

void PathMarks::swap(PathMarks& other) noexcept {
  std::swap(recorder_, other.recorder_);
  std::swap(state_, other.state_);
  std::swap(first_, other.first_);
  std::swap(size_, other.size_);
}

PathRecorder::Node PathMarks::add(PathRecorder& recorder, PathRecorder::Node node) {
  if (recorder_ == nullptr) {
    recorder_ = &recorder;
    state_ = ++recorder.states_;
    recorder.kept_states_.push_back(state_);
    first_ = static_cast<PathRecorder::Node>(recorder.size());
  }
  return recorder.add(node, PathRecorder::kMark | static_cast<PathRecorder::Key>(size_++), state_);
}

}  // namespace weft
