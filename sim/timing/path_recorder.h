// Remembers by which predecessors the events of a run were reached, so that its critical path can
// be followed back from the end. Each node is an event: its predecessor, and what the cycles since
// then were spent on.
//
//   start <-- dispatch <-- start of a load <-- loaded <-- first row <-- ...   the path of one event
//                      <-- start of a fetch <-- ...                          and of another
//
// Memory stays small: compact() forgets events that no later event can follow from, and joins
// those between two branches into one node for each part. The sums do not change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/sliding_window.h"
#include "sim/timing/critical_path.h"
#include "sim/timing/timeline.h"

namespace weft {

class PathMarks;

class PathRecorder {
 public:
  /// An event.
  using Node = std::uint32_t;
  /// The beginning of the run, cycle 0.
  static constexpr Node kStart = 0;

  PathRecorder() : nodes_(1) {}
  PathRecorder(const PathRecorder&) = delete;
  PathRecorder& operator=(const PathRecorder&) = delete;
  ~PathRecorder() = default;

  /// The instructions from here on belong to `group`, such as a layer; at most 2^27 groups.
  void begin_group(std::uint32_t group) { group_ = group; }
  std::uint32_t group() const { return group_; }
  /// Tiles are pushed in the order of their fetches. tile_pushed() returns the next one's group.
  void tile_accepted() { tiles_.push_back(group_); }
  std::uint32_t tile_pushed() {
    const std::uint32_t group = tiles_.front();
    tiles_.pop_front();
    return group;
  }

  /// The event `length` cycles after `from`. If that is 0, it is the same event.
  Node add(Node from, PathPart part, Cycle length, std::uint32_t group) {
    if (length == 0) return from;
    return add(from, key_of(part, group), length);
  }
  /// What the cycles up to the event were spent on. Entry g counts those of group g; groups
  /// without cycles at the end are missing.
  std::vector<CriticalPath> paths(Node last) const;

  /// Cycles that `length` cycles of this part take: the same unless a test has changed its speed.
  Cycle scaled(Cycle length, PathPart part) const {
    if (!is_scaled_) return length;  // a division for each event would take time
    const Scale& scale = scales_[static_cast<std::size_t>(part)];
    return length * scale.numerator / scale.denominator;
  }
  /// For tests: multiplies the length of all steps of a part that no key of the machine changes.
  void scale(PathPart part, std::uint32_t numerator, std::uint32_t denominator) {
    scales_[static_cast<std::size_t>(part)] = {numerator, denominator};
    is_scaled_ = true;
  }

  /// True when compact() should be called: it takes time in proportion to the nodes.
  bool full() const { return nodes_.size() >= limit_; }
  /// Keeps what the paths of `live` need, and moves these to where they are now.
  void compact(std::span<Node* const> live);
  std::size_t size() const { return nodes_.size(); }
  /// How many nodes there are when the recorder is full, at least.
  void set_limit(std::size_t nodes) { least_limit_ = limit_ = nodes; }

  /// A run passes its state `earlier` and then its state `now`, and repeats what was between them
  /// `repetitions` times more. Returns the events of its state after that, in the order of `now`;
  /// nullopt if a path does not lead back to `earlier`.
  std::optional<std::vector<Node>> repeat(const PathMarks& earlier, const PathMarks& now,
                                          std::uint64_t repetitions);

 private:
  friend class PathMarks;

  /// Part and group in one number; the highest bit is that of a mark.
  using Key = std::uint32_t;
  static constexpr Key kMark = Key{1} << 31U;
  static constexpr unsigned kPartBits = 4;
  static_assert(kPathParts <= std::size_t{1} << kPartBits);

  struct Event {
    Cycle length = 0;  // of a mark: the number of its state
    Node from = kStart;
    Key key = 0;  // of a mark: its position in the state
  };
  struct Scale {
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
  };
  /// Cycles by key, ascending.
  using Spent = std::vector<std::pair<Key, Cycle>>;
  /// From an event back to a mark.
  struct Way {
    std::size_t mark = 0;
    Spent spent;
  };

  static Key key_of(PathPart part, std::uint32_t group) {
    return group << kPartBits | static_cast<Key>(part);
  }
  Node add(Node from, Key key, Cycle length) {
    nodes_.push_back({length, from, key});
    return static_cast<Node>(nodes_.size() - 1);
  }
  Node add(Node from, const Spent& spent);
  bool is_mark(Node node) const { return (nodes_[node].key & kMark) != 0; }
  bool is_kept_mark(Node node) const;
  static void spend(Spent& spent, Key key, Cycle length);
  static Way joined(Way later, const Way& earlier);
  std::optional<Way> way_to(Cycle state, Node node) const;
  static std::vector<Way> power(std::vector<Way> ways, std::uint64_t exponent);

  static constexpr std::size_t kLeastLimit = std::size_t{1} << 15U;

  std::vector<Event> nodes_;
  std::size_t least_limit_ = kLeastLimit;
  std::size_t limit_ = kLeastLimit;
  std::uint32_t group_ = 0;
  SlidingWindow<std::uint32_t> tiles_;
  std::array<Scale, kPathParts> scales_ = {};
  bool is_scaled_ = false;
  std::vector<Cycle> kept_states_;  // whose marks are kept
  Cycle states_ = 0;                // how many were marked so far
};

/// The events of a state of the run, each with a mark. Paths of later events lead back to them.
class PathMarks {
 public:
  PathMarks() = default;
  PathMarks(const PathMarks&) = delete;
  PathMarks& operator=(const PathMarks&) = delete;
  ~PathMarks() { clear(); }

  void clear();
  void swap(PathMarks& other) noexcept;
  /// Marks the state's next event; no other node is added between the first mark and the last.
  /// Returns the mark, which takes the event's place. The recorder must outlive the marks.
  PathRecorder::Node add(PathRecorder& recorder, PathRecorder::Node node);
  std::size_t size() const { return size_; }
  PathRecorder* recorder() const { return recorder_; }

 private:
  friend class PathRecorder;

  PathRecorder* recorder_ = nullptr;
  Cycle state_ = 0;
  PathRecorder::Node first_ = PathRecorder::kStart;  // valid until the recorder is compacted
  std::size_t size_ = 0;
};

}  // namespace weft
