// Counts the events of a run one by one: the array register by register in every cycle, the
// memories row by row and lane by lane. Shares no code with sim/analysis/events.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"

namespace weft::testing {

/// What kEnergyEvents names, without the division of MACs into useful ones and padding.
struct OracleEvents {
  std::uint64_t macs = 0;
  std::uint64_t activation_moves = 0;
  std::uint64_t sum_moves = 0;
  std::uint64_t weight_moves = 0;
  std::uint64_t accumulator_reads = 0;
  std::uint64_t accumulator_writes = 0;
  std::uint64_t accumulator_adds = 0;
  std::uint64_t buffer_reads = 0;
  std::uint64_t buffer_writes = 0;
  std::uint64_t fifo_reads = 0;
  std::uint64_t fifo_writes = 0;
  std::uint64_t vector_lanes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t host_bytes = 0;
};

/// A chain of registers that hold something or nothing.
class RegisterChain {
 public:
  explicit RegisterChain(std::uint32_t length) : full_(length) {}

  /// One clock edge. Returns what left the chain and adds the registers that took something.
  bool step(bool in, std::uint64_t& moves) {
    if (full_.empty()) return in;
    const bool out = full_.back();
    for (std::size_t i = full_.size() - 1; i > 0; --i) full_[i] = full_[i - 1];
    full_[0] = in;
    for (const bool full : full_) moves += full ? 1 : 0;
    return out;
  }

 private:
  std::vector<bool> full_;
};

/// R x C PEs with skew and deskew, which know only whether a register holds something new.
class OracleArray {
 public:
  OracleArray(std::uint32_t rows, std::uint32_t cols, OracleEvents& events)
      : rows_(rows), cols_(cols), events_(events), act_(grid()), swap_(grid()), push_(grid()) {
    for (std::uint32_t r = 0; r < rows; ++r) {
      act_skew_.emplace_back(r);
      swap_skew_.emplace_back(r);
    }
    for (std::uint32_t c = 0; c < cols; ++c) {
      weight_skew_.emplace_back(c);
      deskew_.emplace_back(cols - 1 - c);
    }
  }

  void step(bool row, bool swap, bool push) {
    std::uint64_t no_data = 0;  // swaps are control, no data
    Grid act_in = grid();
    Grid swap_in = grid();
    Grid push_in = grid();
    for (std::uint32_t r = 0; r < rows_; ++r) {
      act_in[r][0] = act_skew_[r].step(row, events_.activation_moves);
      swap_in[r][0] = swap_skew_[r].step(swap, no_data);
      for (std::uint32_t c = 1; c < cols_; ++c) {
        act_in[r][c] = act_[r][c - 1];
        swap_in[r][c] = swap_[r][c - 1];
      }
    }
    for (std::uint32_t c = 0; c < cols_; ++c) {
      push_in[0][c] = weight_skew_[c].step(push, events_.weight_moves);
      for (std::uint32_t r = 1; r < rows_; ++r) push_in[r][c] = push_[r - 1][c];
      deskew_[c].step(act_[rows_ - 1][c], events_.sum_moves);  // the sum that was made with it
    }
    for (std::uint32_t r = 0; r < rows_; ++r) {
      for (std::uint32_t c = 0; c < cols_; ++c) {
        if (act_in[r][c]) {
          ++events_.macs;
          ++events_.activation_moves;
          ++events_.sum_moves;
        }
        if (push_in[r][c]) {
          ++events_.weight_moves;  // into the shadow
          ++events_.weight_moves;  // from the shadow into the register that leads down
        }
        if (swap_in[r][c]) ++events_.weight_moves;  // from the shadow into the active register
      }
    }
    act_ = act_in;
    swap_ = swap_in;
    push_ = push_in;
  }

 private:
  using Grid = std::vector<std::vector<bool>>;
  Grid grid() const { return Grid(rows_, std::vector<bool>(cols_)); }

  const std::uint32_t rows_;
  const std::uint32_t cols_;
  OracleEvents& events_;
  Grid act_;
  Grid swap_;
  Grid push_;
  std::vector<RegisterChain> act_skew_;
  std::vector<RegisterChain> swap_skew_;
  std::vector<RegisterChain> weight_skew_;
  std::vector<RegisterChain> deskew_;
};

class EventOracle {
 public:
  /// `total` is the run's last retirement + 1; later pushes do not happen.
  EventOracle(const MachineConfig& config, const Program& program, const Timeline& timeline,
              Cycle total)
      : config_(config) {
    for (const Instruction& instruction : program.code) {
      std::visit([this](const auto& each) { count(each); }, instruction.operation);
    }
    run_array(program, timeline, total);
  }

  const OracleEvents& events() const { return events_; }

  /// Rows of a walk that are read, by walking it.
  static std::uint64_t read_rows(const RowGenerator& walk, std::uint32_t rows) {
    std::uint64_t read = 0;
    std::uint64_t index = 0;
    for (std::uint32_t i3 = 0; i3 < walk.loops[3].count; ++i3) {
      for (std::uint32_t i2 = 0; i2 < walk.loops[2].count; ++i2) {
        for (std::uint32_t i1 = 0; i1 < walk.loops[1].count; ++i1) {
          for (std::uint32_t i0 = 0; i0 < walk.loops[0].count; ++i0) {
            if (index++ == rows) return read;
            if (inside(walk.bounds[0], i0) && inside(walk.bounds[1], i1)) ++read;
          }
        }
      }
    }
    return read;
  }

 private:
  static bool inside(const RowBound& bound, std::uint32_t index) {
    if (bound.limit == 0) return true;
    const std::int64_t at = std::int64_t{bound.origin} + std::int64_t{index} * bound.step;
    return at >= 0 && at < std::int64_t{bound.limit};
  }

  void transfer(bool is_fetch, std::uint64_t bytes) {
    const bool host = config_.memory_kind == MemoryKind::kSplit && !is_fetch;
    (host ? events_.host_bytes : events_.memory_bytes) += bytes;
  }

  std::uint64_t element() const { return config_.dtype == ElementType::kInt8 ? 1 : 2; }

  /// UB rows in which the first `lanes` lanes of one row of this format lie.
  std::uint64_t buffer_rows(RowFormat format, const LaneWindow& window, std::uint32_t lanes) const {
    std::set<std::uint64_t> touched;
    if (format == RowFormat::kWide) {
      for (std::uint64_t byte = 0; byte < std::uint64_t{config_.array_cols} * 4; ++byte) {
        touched.insert(byte / (config_.array_rows * element()));
      }
    } else {
      for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        touched.insert((window.column + lane) / config_.array_rows);
      }
    }
    return touched.size();
  }

  void count(const Load& load) {
    events_.buffer_writes += load.rows;
    if (!load.patches) {
      return transfer(false, std::uint64_t{load.rows} * config_.array_rows * element());
    }
    transfer(false, std::max<std::uint64_t>(1, needed(load).size()) * element());
  }

  /// Channel, line and column of every image element of each tap line that a lane reaches.
  static std::set<std::tuple<std::uint64_t, std::int64_t, std::int64_t>> needed(const Load& load) {
    const Patches& patches = *load.patches;
    std::set<std::tuple<std::uint64_t, std::int64_t, std::int64_t>> elements;
    const auto position = [](const PatchAxis& axis, std::uint64_t window, std::uint64_t tap) {
      return std::int64_t{axis.origin} + static_cast<std::int64_t>(window * axis.step) +
             static_cast<std::int64_t>(tap * axis.dilation);
    };
    for (std::uint32_t row = 0; row < load.rows; ++row) {
      for (std::uint32_t lane = 0; lane < patches.lanes; ++lane) {
        const std::uint64_t number = std::uint64_t{patches.first} + lane;
        const std::uint64_t tap_line = number / patches.x.taps % patches.y.taps;
        const std::uint64_t channel = number / patches.x.taps / patches.y.taps;
        const std::int64_t y = position(patches.y, row / patches.width, tap_line);
        if (y < 0 || y >= std::int64_t{patches.y.limit}) continue;
        for (std::uint64_t tap = 0; tap < patches.x.taps; ++tap) {
          const std::int64_t x = position(patches.x, row % patches.width, tap);
          if (x >= 0 && x < std::int64_t{patches.x.limit}) elements.insert({channel, y, x});
        }
      }
    }
    return elements;
  }

  void count(const Fetch& fetch) {
    events_.fifo_writes += config_.array_rows;
    if (!fetch.buffer) {
      return transfer(true, std::uint64_t{config_.array_rows} * config_.array_cols * element());
    }
    for (std::uint32_t row = 0; row < fetch.buffer->rows; ++row) {
      events_.buffer_reads +=
          buffer_rows(RowFormat::kNarrow, fetch.buffer->window, fetch.buffer->lanes);
    }
  }

  void count(const Matmul& matmul) {
    events_.buffer_reads += read_rows(matmul.ub, matmul.rows);
    for (std::uint32_t row = 0; row < matmul.rows; ++row) {
      ++events_.accumulator_writes;
      if (!matmul.accumulate) continue;
      ++events_.accumulator_reads;
      for (std::uint32_t c = 0; c < config_.array_cols; ++c) ++events_.accumulator_adds;
    }
  }

  void count(const Vector& vector) {
    const std::uint32_t lanes = vector.lanes == 0 ? config_.array_cols : vector.lanes;
    const bool whole = vector.fill || vector.reduce != VectorReduce::kNone;
    const std::uint32_t written = whole ? config_.array_cols : lanes;
    if (vector.source) {
      const std::uint64_t rows = read_rows(vector.source->rows, vector.rows);
      for (std::uint64_t row = 0; row < rows; ++row) {
        events_.buffer_reads += buffer_rows(vector.source->format, vector.source->window, lanes);
      }
    }
    for (std::uint32_t row = 0; row < vector.rows; ++row) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) ++events_.vector_lanes;
      if (!vector.source) ++events_.accumulator_reads;
      if (vector.operand) {
        events_.buffer_reads += buffer_rows(vector.operand->format, vector.operand->window, lanes);
      }
      if (vector.has_bias) events_.buffer_reads += buffer_rows(RowFormat::kWide, {}, lanes);
      const std::uint64_t result = buffer_rows(vector.format, vector.window, written);
      events_.buffer_writes += result;
      if (vector.mode != VectorMode::kOverwrite) events_.buffer_reads += result;
    }
  }

  void count(const Store& store) {
    events_.buffer_reads += store.rows;
    transfer(false, std::uint64_t{store.rows} * config_.array_rows * element());
  }

  void run_array(const Program& program, const Timeline& timeline, Cycle total) {
    const Cycle end = total + 3 * Cycle{config_.array_rows} + config_.array_cols;
    const auto size = static_cast<std::size_t>(end);
    std::vector<bool> row(size);
    std::vector<bool> swap(size);
    std::vector<bool> push(size);
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      const auto* matmul = std::get_if<Matmul>(&program.code[i].operation);
      if (matmul == nullptr) continue;
      const auto started = static_cast<std::size_t>(timeline.instructions[i].started);
      for (std::uint32_t each = 0; each < matmul->rows; ++each) row[started + each] = true;
      if (matmul->next_weights) swap[started] = true;
    }
    for (const Cycle first : timeline.pushes) {
      if (first >= total) continue;
      for (std::uint32_t each = 0; each < config_.array_rows; ++each) {
        push[static_cast<std::size_t>(first) + each] = true;
        ++events_.fifo_reads;
      }
    }
    OracleArray array(config_.array_rows, config_.array_cols, events_);
    for (std::size_t cycle = 0; cycle < size; ++cycle) {
      array.step(row[cycle], swap[cycle], push[cycle]);
    }
  }

  const MachineConfig& config_;
  OracleEvents events_;
};

}  // namespace weft::testing
