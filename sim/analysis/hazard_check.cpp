#include "sim/analysis/hazard_check.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sim/analysis/row_history.h"
#include "sim/isa/row_access.h"
#include "sim/timing/array_timing.h"

namespace weft {
namespace {

using Reader = RowHistory::Reader;

constexpr std::string_view kBufferRow = "unified buffer row";
constexpr std::string_view kAccumulatorRow = "accumulator row";
constexpr std::string_view kHostRow = "host row";

Access block(std::uint32_t instruction, const InstructionTiming& timing) {
  return {instruction, 0, 0, timing.started, timing.retired - timing.started + 1};
}

class HazardCheck {
 public:
  HazardCheck(const MachineConfig& config, const Program& program, const Timeline& timeline)
      : config_(config), program_(program), timeline_(timeline), array_(config) {}

  void run() {
    for (index_ = 0; index_ < program_.code.size(); ++index_) {
      std::visit([this](const auto& operation) { check(operation); },
                 program_.code[index_].operation);
    }
  }

 private:
  const InstructionTiming& timing() const { return timeline_.instructions[index_]; }

  void check(const Load& load) {
    const Access access = block(index_, timing());
    read(host_, kHostRow, load.host, load.host + load.rows, access, Reader::kTransfer);
    write(buffer_, kBufferRow, load.ub, std::uint64_t{load.ub} + load.rows, access);
  }

  void check(const Fetch& fetch) {
    check_slot();
    if (!fetch.buffer) return;
    for_each_read(*fetch.buffer, config_,
                  [this](const RowTouch& touch) { read_touched(touch, Reader::kFetch); });
  }

  void check_slot() {
    const std::size_t tile = fetches_.size();
    fetches_.push_back(index_);
    if (tile < config_.weight_fifo_tiles) return;
    const std::size_t evicted = tile - config_.weight_fifo_tiles;
    const bool pushed = evicted < timeline_.pushes.size();
    const Cycle free = pushed ? timeline_.pushes[evicted] + array_.push() : kNever;
    if (timing().started >= free) return;
    throw HazardError(fmt::format(
        "hazard in cycle {}: {} overwrites weight FIFO slot {} of {}, which holds the tile of {} "
        "{}; wait for the matmul that takes that tile",
        timing().started, name(index_), tile % config_.weight_fifo_tiles, config_.weight_fifo_tiles,
        name(fetches_[evicted]),
        pushed ? fmt::format("until cycle {}", free - 1) : std::string("for ever")));
  }

  void check(const Matmul& matmul) {
    for_each_read(matmul, [this](const RowTouch& touch) { read_touched(touch, Reader::kMatmul); });
    const std::uint64_t end = std::uint64_t{matmul.acc} + matmul.rows;
    const Access access{index_, 1, matmul.acc, timing().started + array_.front_to_accumulator()};
    // Accumulating reads and writes a row in one cycle. It counts as one access: a write to a row
    // that must have been written before.
    if (matmul.accumulate) {
      if (const auto row = accumulators_.first_unwritten(matmul.acc, end)) {
        fail({*row, Access{}, true, false}, kAccumulatorRow, access);
      }
    }
    write(accumulators_, kAccumulatorRow, matmul.acc, end, access);
  }

  void check(const Vector& vector) {
    if (!vector.source) {
      read(accumulators_, kAccumulatorRow, vector.acc, std::uint64_t{vector.acc} + vector.rows,
           {index_, 1, vector.acc, timing().started}, Reader::kVector);
    }
    Vector others = vector;  // without the destination: reading and writing it is one access
    others.mode = VectorMode::kOverwrite;
    for_each_read(others, config_,
                  [this](const RowTouch& touch) { read_touched(touch, Reader::kVector); });
    if (vector.mode != VectorMode::kOverwrite) {
      for_each_write(vector, config_, [this](const RowTouch& touch) { check_old_value(touch); });
    }
    for_each_write(vector, config_, [this](const RowTouch& touch) {
      const Access access = touched(touch, Cycle{config_.vector_latency_cycles} - 1);
      write(buffer_, kBufferRow, touch.row, touch.end(), access);
    });
  }

  // The access of `touch` if the instruction's index 0 happens `delay` cycles after its start.
  Access touched(const RowTouch& touch, Cycle delay) const {
    const auto group = static_cast<std::uint32_t>(touch.group * touch.step);
    return {index_, group, touch.row, timing().started + touch.first_index + delay, touch.length};
  }

  void read_touched(const RowTouch& touch, Reader reader) {
    read(buffer_, kBufferRow, touch.row, touch.end(), touched(touch, 0), reader, touch.rows());
  }

  void check_old_value(const RowTouch& touch) {
    const Access access = touched(touch, 0);
    const auto conflict = buffer_.check_read(touch.row, touch.end(), access);
    if (conflict) fail(*conflict, kBufferRow, access);
  }

  void check(const Store& store) {
    const Access access = block(index_, timing());
    read(buffer_, kBufferRow, store.ub, std::uint64_t{store.ub} + store.rows, access,
         Reader::kTransfer);
    write(host_, kHostRow, store.host, store.host + store.rows, access);
  }

  void read(RowHistory& memory, std::string_view what, std::uint64_t begin, std::uint64_t end,
            const Access& access, Reader reader, const RowClass& rows = {}) {
    if (auto conflict = memory.read(begin, end, access, reader, rows)) {
      fail(*conflict, what, access);
    }
  }
  void write(RowHistory& memory, std::string_view what, std::uint64_t begin, std::uint64_t end,
             const Access& access) {
    if (auto conflict = memory.write(begin, end, access)) fail(*conflict, what, access);
  }

  std::string name(std::size_t index) const { return instruction_name(program_, index); }

  [[noreturn]] void fail(const Conflict& conflict, std::string_view what,
                         const Access& access) const {
    const Cycle cycle = access.first(conflict.row);
    const std::string later =
        fmt::format("hazard in cycle {}: {} {} {} {}", cycle, name(index_),
                    conflict.later_writes ? "writes" : "reads", what, conflict.row);
    const Access& earlier = conflict.earlier;
    if (!earlier.happened()) {
      throw HazardError(later + ", which no earlier instruction has written");
    }
    throw HazardError(fmt::format("{}, which {} {} cycle {}", later, name(earlier.instruction),
                                  conflict.earlier_writes ? "writes at the end of" : "reads until",
                                  earlier.last(conflict.row)));
  }

  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  const ArrayTiming array_;
  std::uint32_t index_ = 0;
  std::vector<std::uint32_t> fetches_;
  RowHistory host_{true};
  RowHistory buffer_{false};
  RowHistory accumulators_{false};
};

}  // namespace

void check_hazards(const MachineConfig& config, const Program& program, const Timeline& timeline) {
  HazardCheck(config, program, timeline).run();
}

}  // namespace weft
