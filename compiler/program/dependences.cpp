#include "compiler/program/dependences.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sim/isa/row_access.h"

namespace weft {
namespace {

constexpr std::size_t index_of(Unit unit) {
  return static_cast<std::size_t>(unit);
}

/// Whether two writes of one row by instructions of `unit` are in order without a dependence. The
/// array and the vector unit write one row per cycle in order. Transfers write at any time between
/// start and retirement, and the next one may start before the first has retired.
constexpr bool writes_in_order(Unit unit) {
  return unit == Unit::kMatmul || unit == Unit::kVector;
}

template <class Clock>
void join(Clock& clock, const Clock& other) {
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
    clock[unit] = std::max(clock[unit], other[unit]);
  }
}

}  // namespace

DependenceTracker::DependenceTracker(const MachineConfig& config) : config_(config) {}

After DependenceTracker::add(const Operation& operation) {
  unit_ = static_cast<Unit>(operation.index());
  count_ = static_cast<std::uint32_t>(starts_[index_of(unit_)].size() + 1);
  needed_ = {};
  known_ = count_ > 1 ? start_of(unit_, count_ - 1) : Clock{};
  std::visit([this](const auto& op) { touch(op); }, operation);
  return settle();
}

void DependenceTracker::touch(const Load& load) {
  read(host_, load.host, load.host + load.rows);
  write(buffer_, load.ub, std::uint64_t{load.ub} + load.rows);
}

void DependenceTracker::touch(const Fetch& fetch) {
  if (fetch.buffer) {
    for_each_read(*fetch.buffer, config_, [this](const RowTouch& touch) { read(touch); });
  }
  take_slot();
}

void DependenceTracker::take_slot() {
  const std::uint32_t slots = config_.weight_fifo_tiles;
  if (count_ <= slots) return;
  const std::size_t tile = count_ - 1 - slots;
  if (tile >= takers_.size()) {
    throw InputError(fmt::format(
        "program: fetch {} would overwrite tile {}, which no matmul before it takes; put the "
        "matmul first or raise weight_fifo.tiles = {}",
        count_ - 1, tile, slots));
  }
  need(Unit::kMatmul, takers_[tile]);
}

void DependenceTracker::touch(const Matmul& matmul) {
  if (matmul.next_weights) {
    const auto tile = static_cast<std::uint32_t>(takers_.size());
    if (tile >= starts_[index_of(Unit::kFetch)].size()) {
      throw InputError(
          fmt::format("program: matmul {} takes tile {}, which no fetch before it "
                      "brings; fetch it first",
                      count_ - 1, tile));
    }
    takers_.push_back(count_);
    join(known_, start_of(Unit::kFetch, tile + 1));
    known_[index_of(Unit::kFetch)] = std::max(known_[index_of(Unit::kFetch)], tile + 1);
  }
  for_each_read(matmul, [this](const RowTouch& touch) { read(touch); });
  // Accumulating counts as a write: it reads what earlier matmuls wrote, one row in the same cycle.
  write(accumulators_, matmul.acc, std::uint64_t{matmul.acc} + matmul.rows);
}

void DependenceTracker::touch(const Vector& vector) {
  if (!vector.source) read(accumulators_, vector.acc, std::uint64_t{vector.acc} + vector.rows);
  for_each_read(vector, config_, [this](const RowTouch& touch) { read(touch); });
  for_each_write(vector, config_,
                 [this](const RowTouch& touch) { write(buffer_, touch.row, touch.end()); });
}

void DependenceTracker::touch(const Store& store) {
  read(buffer_, store.ub, std::uint64_t{store.ub} + store.rows);
  write(host_, store.host, store.host + store.rows);
}

void DependenceTracker::read(const RowTouch& touch) {
  read(buffer_, touch.row, touch.end(), touch.rows());
}

void DependenceTracker::read(Rows& memory, std::uint64_t begin, std::uint64_t end,
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
    state.reads[index_of(unit_)] = count_;
  } else {
    state.strided.push_back({unit_, count_, rows});
  }
}

void DependenceTracker::write(Rows& rows, std::uint64_t begin, std::uint64_t end) {
  const RowState written{unit_, count_, {}, {}};
  rows.replace(begin, end, written,
               [this](std::uint64_t first, std::uint64_t last, const RowState& state) {
                 overwrite(first, last, state);
               });
}

void DependenceTracker::overwrite(std::uint64_t begin, std::uint64_t end, const RowState& state) {
  if (state.writer != unit_ || !writes_in_order(unit_)) need(state.writer, state.write);
  // Within a unit a read is over before a later instruction writes.
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
    if (unit != index_of(unit_)) need(static_cast<Unit>(unit), state.reads[unit]);
  }
  for (const StridedRead& read : state.strided) {
    if (read.unit != unit_ && read.rows.meets(begin, end)) need(read.unit, read.read);
  }
}

void DependenceTracker::need(Unit unit, std::uint32_t count) {
  std::uint32_t& needed = needed_[index_of(unit)];
  needed = std::max(needed, count);
}

const DependenceTracker::Clock& DependenceTracker::start_of(Unit unit, std::uint32_t count) const {
  return starts_[index_of(unit)][count - 1];
}

bool DependenceTracker::implied_by_another(std::size_t unit, const After& after) const {
  for (std::size_t other = 0; other < kUnitCount; ++other) {
    const std::uint32_t count = after.count[other];
    if (other == unit || count == 0) continue;
    if (start_of(static_cast<Unit>(other), count)[unit] >= after.count[unit]) return true;
  }
  return false;
}

After DependenceTracker::settle() {
  Clock start = known_;
  After wanted;
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
    if (needed_[unit] > start[unit]) wanted.count[unit] = needed_[unit];
  }
  After after;
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
    const std::uint32_t count = wanted.count[unit];
    if (count == 0) continue;
    if (!implied_by_another(unit, wanted)) after.count[unit] = count;
    join(start, start_of(static_cast<Unit>(unit), count));
    start[unit] = std::max(start[unit], count);
  }
  starts_[index_of(unit_)].push_back(start);
  return after;
}

}  // namespace weft
