#include "compiler/program/dependences.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sim/isa/row_access.h"

namespace weft {
namespace {

/// Whether two writes of one row by instructions of one unit are in order without a dependence. The
/// array and the vector unit write one row per cycle in order. Transfers write at any time between
/// start and retirement, and the next one may start before the first has retired.
constexpr bool writes_in_order(Opcode opcode) {
  return opcode == Opcode::kMatmul || opcode == Opcode::kVector;
}

template <class Counts>
void join(Counts& clock, const Counts& other) {
  for (const Unit unit : kUnits) {
    clock[unit] = std::max(clock[unit], other[unit]);
  }
}

}  // namespace

DependenceTracker::DependenceTracker(const MachineConfig& config, HostRows host_rows,
                                     std::size_t forget_every)
    : config_(config), host_rows_(host_rows), forget_every_(forget_every) {
  for (Starts& each : starts_) each.forget_at = forget_every_;
}

After DependenceTracker::add(const Operation& operation) {
  unit_ = unit_of(operation);
  count_ = static_cast<std::uint32_t>(starts_[unit_].latest.end() + 1);
  needed_ = {};
  known_ = count_ > 1 ? start_of(unit_, count_ - 1) : RetiredCounts{};
  if (std::holds_alternative<Fetch>(operation)) take_slot();
  const auto* matmul = std::get_if<Matmul>(&operation);
  if (matmul != nullptr && matmul->next_weights) take_tile();
  for_each_access_but_images(operation, config_,
                             [this](const RowAccess& access) { touch(access); });
  return settle();
}

void DependenceTracker::take_slot() {
  const std::uint32_t slots = config_.weight_fifo_tiles;
  if (count_ <= slots) return;
  const std::size_t tile = count_ - 1 - slots;
  if (tile >= takers_.end()) {
    throw InputError(fmt::format(
        "program: fetch {} would overwrite tile {}, which no matmul before it takes; put the "
        "matmul first or raise weight_fifo.tiles = {}",
        count_ - 1, tile, slots));
  }
  need(Unit::kMatmul, takers_[tile]);
  takers_.drop_before(tile + 1);
}

void DependenceTracker::take_tile() {
  const auto tile = static_cast<std::uint32_t>(takers_.end());
  if (tile >= starts_[Unit::kFetch].latest.end()) {
    throw InputError(
        fmt::format("program: matmul {} takes tile {}, which no fetch before it "
                    "brings; fetch it first",
                    count_ - 1, tile));
  }
  takers_.push_back(count_);
  join(known_, start_of(Unit::kFetch, tile + 1));
  known_[Unit::kFetch] = std::max(known_[Unit::kFetch], tile + 1);
}

// Combining counts as a write. The array reads a row in the cycle in which it writes it; the vector
// unit reads it earlier, which is an access of its own.
void DependenceTracker::touch(const RowAccess& access) {
  if (access.memory == RowMemory::kHost && host_rows_ == HostRows::kApart) return;
  RowStates& rows = memories_[static_cast<std::size_t>(access.memory)];
  const RowTouch& touch = access.touch;
  if (access.writes()) return write(rows, touch.row, touch.end());
  read(rows, touch.row, touch.end(), touch.rows());
}

void DependenceTracker::read(RowStates& memory, std::uint64_t begin, std::uint64_t end,
                             const RowClass& rows) {
  memory.update(begin, end, [&](std::uint64_t first, std::uint64_t last, RowState& state) {
    if (rows.meets(first, last)) read(state, last - first == 1 ? RowClass{} : rows);
  });
}

/// A unit reads in order, so its older reads of the same rows are over before this one: they are
/// erased. Reads that share only some rows stay; a write waits for the latest that it meets.
void DependenceTracker::read(RowState& state, const RowClass& rows) {
  need(state.writer, state.write);
  if (!state.strided.empty()) {
    std::erase_if(state.strided, [&](const StridedRead& old) {
      return old.unit == unit_ && rows.covers(old.rows);
    });
  }
  if (rows.step == 1) {
    state.reads[unit_] = count_;
  } else {
    state.strided.push_back({unit_, count_, rows});
  }
}

void DependenceTracker::write(RowStates& rows, std::uint64_t begin, std::uint64_t end) {
  const RowState written{unit_, count_, {}, {}};
  rows.replace(begin, end, written,
               [this](std::uint64_t first, std::uint64_t last, const RowState& state) {
                 overwrite(first, last, state);
               });
}

void DependenceTracker::overwrite(std::uint64_t begin, std::uint64_t end, const RowState& state) {
  if (state.writer != unit_ || !writes_in_order(opcode_of(unit_))) need(state.writer, state.write);
  // Within a unit a read is over before a later instruction writes.
  for (const Unit unit : kUnits) {
    if (unit != unit_) need(unit, state.reads[unit]);
  }
  for (const StridedRead& read : state.strided) {
    if (read.unit != unit_ && read.rows.meets(begin, end)) need(read.unit, read.read);
  }
}

void DependenceTracker::need(Unit unit, std::uint32_t count) {
  std::uint32_t& needed = needed_[unit];
  needed = std::max(needed, count);
}

const DependenceTracker::RetiredCounts& DependenceTracker::start_of(Unit unit,
                                                                    std::uint32_t count) const {
  const Starts& from = starts_[unit];
  if (count > from.latest.begin()) return from.latest[count - 1];
  return std::ranges::lower_bound(from.older, count, {},
                                  &std::pair<std::uint32_t, RetiredCounts>::first)
      ->second;
}

bool DependenceTracker::implied_by_another(Unit unit, const After& after) const {
  for (const Unit other : kUnits) {
    const std::uint32_t count = after[other];
    if (other == unit || count == 0) continue;
    if (start_of(other, count)[unit] >= after[unit]) return true;
  }
  return false;
}

After DependenceTracker::settle() {
  RetiredCounts start = known_;
  After wanted;
  for (const Unit unit : kUnits) {
    if (needed_[unit] > start[unit]) wanted[unit] = needed_[unit];
  }
  After after;
  for (const Unit unit : kUnits) {
    const std::uint32_t count = wanted[unit];
    if (count == 0) continue;
    if (!implied_by_another(unit, wanted)) after[unit] = count;
    join(start, start_of(unit, count));
    start[unit] = std::max(start[unit], count);
  }
  Starts& own = starts_[unit_];
  own.latest.push_back(start);
  if (own.latest.size() >= own.forget_at) forget();
  return after;
}

// --- What is kept ---

void DependenceTracker::add_counts(const RowState& state, Counts& counts) {
  if (state.write > 0) counts[state.writer].push_back(state.write);
  for (const Unit unit : kUnits) {
    if (state.reads[unit] > 0) counts[unit].push_back(state.reads[unit]);
  }
  for (const StridedRead& read : state.strided) counts[read.unit].push_back(read.read);
}

/// The counts for which a later instruction may wait, ascending: of those who last touched a row,
/// took a tile whose slot is in use, or fetched a tile that is not taken yet; and each unit's last.
DependenceTracker::Counts DependenceTracker::needed_counts() const {
  Counts counts;
  for (const RowStates& rows : memories_) {
    rows.for_each([&](std::uint64_t, const RowState& state) { add_counts(state, counts); });
  }
  for (std::uint64_t i = takers_.begin(); i < takers_.end(); ++i) {
    counts[Unit::kMatmul].push_back(takers_[i]);
  }
  const std::uint64_t fetches = starts_[Unit::kFetch].latest.end();
  for (std::uint64_t tile = takers_.end(); tile < fetches; ++tile) {
    counts[Unit::kFetch].push_back(static_cast<std::uint32_t>(tile + 1));
  }
  for (const Unit unit : kUnits) {
    const auto last = static_cast<std::uint32_t>(starts_[unit].latest.end());
    if (last > 0) counts[unit].push_back(last);
    std::ranges::sort(counts[unit]);
    counts[unit].erase(std::unique(counts[unit].begin(), counts[unit].end()), counts[unit].end());
  }
  return counts;
}

/// What the last instruction of `unit` knew at its start: every later one knows it too.
const DependenceTracker::RetiredCounts& DependenceTracker::last_start(Unit unit) const {
  static const RetiredCounts kNothing{};
  const auto last = static_cast<std::uint32_t>(starts_[unit].latest.end());
  return last > 0 ? start_of(unit, last) : kNothing;
}

/// Whether a later instruction of `asker` may have to wait for one that touched these rows. Within
/// a unit a read is over before a later instruction writes.
bool DependenceTracker::may_be_asked(Unit asker, const RowState& state) const {
  const RetiredCounts& known = last_start(asker);
  if (state.write > known[state.writer]) return true;
  for (const Unit unit : kUnits) {
    if (unit != asker && state.reads[unit] > known[unit]) return true;
  }
  return std::ranges::any_of(state.strided, [&](const StridedRead& read) {
    return read.unit != asker && read.read > known[read.unit];
  });
}

// Only loads and stores touch host rows.
void DependenceTracker::forget_host_rows() {
  RowStates& host = memories_[static_cast<std::size_t>(RowMemory::kHost)];
  host.reset_if([this](const RowState& state) {
    return !may_be_asked(Unit::kLoad, state) && !may_be_asked(Unit::kStore, state);
  });
}

void DependenceTracker::forget() {
  forget_host_rows();
  const Counts counts = needed_counts();
  std::size_t all = 0;
  for (const std::vector<std::uint32_t>& each : counts) all += each.size();
  for (const Unit unit : kUnits) {
    Starts& from = starts_[unit];
    std::vector<std::pair<std::uint32_t, RetiredCounts>> kept;
    for (const std::uint32_t count : counts[unit]) {
      kept.emplace_back(count, start_of(unit, count));
    }
    from.older = std::move(kept);
    from.latest.drop_before(from.latest.end());
    // It takes time in proportion to all that is kept.
    from.forget_at = std::max(forget_every_, 4 * all);
  }
}

// --- State ---

/// Shows a count of `unit`, and whose last instruction knew it: these units do not ask for it
/// again.
class DependenceTracker::CountVisitor {
 public:
  CountVisitor(const DependenceTracker& tracker, StateVisitor& visitor) : visitor_(visitor) {
    for (const Unit unit : kUnits) known_[unit] = tracker.last_start(unit);
  }

  void visit(Unit unit, std::uint32_t& count) const {
    StateVisitor::Units settled = 0;
    for (const Unit asks : kUnits) {
      if (count <= known_[asks][unit]) {
        settled |= StateVisitor::bit_of(asks);
      }
    }
    visitor_.moving(StateVisitor::of_unit(unit), count, settled);
  }
  void visit(RetiredCounts& clock) const {
    for (const Unit unit : kUnits) {
      visit(unit, clock[unit]);
    }
  }
  void visit(RowStates& rows) const {
    std::size_t size = rows.size();
    visitor_.equal(size);
    rows.for_each([&](std::uint64_t row, RowState& state) {
      visitor_.equal(row);
      visitor_.equal(state.writer);
      visit(state.writer, state.write);
      for (const Unit unit : kUnits) {
        visit(unit, state.reads[unit]);
      }
      std::size_t strided = state.strided.size();
      visitor_.equal(strided);
      for (StridedRead& read : state.strided) {
        visitor_.equal(read.unit);
        visit(read.unit, read.read);
        visitor_.equal(read.rows.step);
        visitor_.equal(read.rows.phase);
      }
    });
  }

 private:
  StateVisitor& visitor_;
  PerUnit<RetiredCounts> known_;  // by each unit's last instruction
};

void DependenceTracker::visit(StateVisitor& visitor) {
  forget();
  const CountVisitor counts(*this, visitor);
  for (RowStates& rows : memories_) counts.visit(rows);
  std::uint64_t first = takers_.begin();
  std::size_t takers = takers_.size();
  visitor.equal(takers);
  visitor.moving(StateVisitor::of_unit(Unit::kFetch), first);
  takers_.renumber(first);
  for (std::uint64_t i = first; i < takers_.end(); ++i) {
    counts.visit(Unit::kMatmul, takers_[i]);
  }
  for (const Unit unit : kUnits) {
    std::size_t older = starts_[unit].older.size();
    visitor.equal(older);
    for (auto& [count, clock] : starts_[unit].older) {
      counts.visit(unit, count);
      counts.visit(clock);
    }
  }
  for (const Unit unit : kUnits) {
    std::uint64_t last = starts_[unit].latest.begin();
    visitor.moving(StateVisitor::of_unit(unit), last);
    starts_[unit].latest.renumber(last);
  }
}

}  // namespace weft
