// Skips what repeats. A stream has loops (sim/isa/instruction_stream.h); a run is in some state at
// each pass of a loop. If it is in the same state at two passes, only later, then everything
// between them happens again, as often as the loop repeats:
//
//   pass     A                 B                                       B'
//            |---- replayed ---|---- n times the same: skipped --------|---- replayed ...
//   state    x                 x + d                                   x + d + n*d
//
// "The same" is decided number by number (sim/isa/run_state.h), so nothing is estimated: the result
// is that of the whole replay. Which pass A is compared with the later ones is chosen as in Brent's
// search for cycles: it is replaced after 1, 2, 4, .. passes, so one state is kept for each loop.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/isa/instruction_stream.h"
#include "sim/isa/run_state.h"
#include "sim/timing/path_recorder.h"

namespace weft {

/// A state as a list of numbers.
class StateRecord final : public StateVisitor {
 public:
  void clear() {
    numbers_.clear();
    paths_.clear();
  }
  void swap(StateRecord& other) {
    numbers_.swap(other.numbers_);
    paths_.swap(other.paths_);
  }
  std::size_t size() const { return numbers_.size(); }
  std::int64_t value(std::size_t i) const { return numbers_[i].value; }
  /// The latest cycle in the state; 0 if it has none.
  std::int64_t latest_cycle() const;

  /// Whether a run in this state does the same as it did from `earlier` on. The program between
  /// the two must repeat.
  bool repeats(const StateRecord& earlier) const;
  /// How far the scale has moved since `earlier`.
  std::int64_t distance(const StateRecord& earlier, Scale scale) const;
  /// Marks of the events that decided the cycles of the state; none if the run records no paths.
  const PathMarks& paths() const { return paths_; }

  void path(PathRecorder& recorder, std::uint32_t& node, bool settled) override;

 private:
  struct RecordedNumber {
    std::int64_t value = 0;
    Kind kind = Kind::kEqual;
    Scale scale = Scale::kCycle;
    Units settled = kNoUnit;
  };
  std::int64_t visit(std::int64_t value, Kind kind, Scale scale, Units settled) override;

  std::vector<RecordedNumber> numbers_;
  PathMarks paths_;
};

class RepetitionSkipper {
 public:
  /// Shows the whole state of the run, which includes the stream's.
  using VisitState = std::function<void(StateVisitor&)>;

  RepetitionSkipper(InstructionStream& stream, VisitState visit)
      : stream_(stream), visit_(std::move(visit)) {}

  /// To be called between two calls of the stream's next(). Moves the state ahead by as many
  /// repetitions as there are, but not to cycle kMaxCycle.
  void skip();
  std::uint64_t skipped_instructions() const { return skipped_instructions_; }

 private:
  struct Reference {
    bool set = false;
    StateRecord state;
    InstructionStream::Position position = {};
    std::uint64_t passes = 0;  // since it was set
    std::uint64_t limit = 1;   // passes after which it is replaced
  };

  void at_pass(std::size_t loop);
  bool skip_since(const Reference& reference, std::uint64_t repetitions);
  void replace(Reference& reference, std::uint64_t limit);

  InstructionStream& stream_;
  const VisitState visit_;
  std::array<Reference, InstructionStream::kLoops> references_;
  StateRecord now_;
  std::uint64_t skipped_instructions_ = 0;
};

}  // namespace weft
