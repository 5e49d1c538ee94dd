#include "tests/compiler/order_oracle.h"

#include <array>
#include <optional>
#include <set>
#include <tuple>

namespace weft::test {
namespace {

struct Touch {
  std::string space;
  std::uint64_t row = 0;
  bool write = false;
  // NOLINTNEXTLINE(modernize-use-nullptr): Clang 14 reports a 0 that it adds itself
  auto operator<=>(const Touch&) const = default;
};
using Touches = std::set<Touch>;

bool inside(const RowBound& bound, std::uint64_t index) {
  if (bound.limit == 0) return true;
  const std::int64_t at = bound.origin + static_cast<std::int64_t>(index) * bound.step;
  return at >= 0 && at < static_cast<std::int64_t>(bound.limit);
}

/// Returns a generator's rows directly from its definition; `nullopt` stands for padding.
std::vector<std::optional<std::uint64_t>> generated(const RowGenerator& g, std::uint64_t rows) {
  std::vector<std::optional<std::uint64_t>> walk;
  for (std::uint64_t l3 = 0; l3 < g.loops[3].count; ++l3)
    for (std::uint64_t l2 = 0; l2 < g.loops[2].count; ++l2)
      for (std::uint64_t l1 = 0; l1 < g.loops[1].count; ++l1)
        for (std::uint64_t l0 = 0; l0 < g.loops[0].count; ++l0) {
          if (walk.size() >= rows) return walk;
          std::int64_t row = g.base;
          row += static_cast<std::int64_t>(l0) * g.loops[0].stride;
          row += static_cast<std::int64_t>(l1) * g.loops[1].stride;
          row += static_cast<std::int64_t>(l2) * g.loops[2].stride;
          row += static_cast<std::int64_t>(l3) * g.loops[3].stride;
          const bool padding = !inside(g.bounds[0], l0) || !inside(g.bounds[1], l1);
          walk.push_back(padding ? std::nullopt : std::optional(static_cast<std::uint64_t>(row)));
        }
  return walk;
}

void add_range(Touches& touches, const std::string& space, std::uint64_t begin, std::uint64_t rows,
               bool write) {
  for (std::uint64_t i = 0; i < rows; ++i) touches.insert({space, begin + i, write});
}

/// Collects the UB rows of one wide row, word by word, or of one narrow row, lane by lane.
class RowToucher {
 public:
  RowToucher(const MachineConfig& config, Touches& touches) : config_(config), touches_(touches) {}

  void narrow(std::uint64_t row, const LaneWindow& window, std::uint32_t lanes, bool write) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t plane = (window.column + lane) / config_.array_rows;
      touches_.insert({"UB", row + plane * window.plane, write});
    }
  }
  void wide(std::uint64_t row, bool write) {
    for (std::uint64_t lane = 0; lane < config_.array_cols; ++lane) {
      for (std::uint64_t byte = 4 * lane; byte < 4 * lane + 4; ++byte) {
        touches_.insert({"UB", row + byte / config_.row_bytes(), write});
      }
    }
  }
  void row(std::uint64_t row, RowFormat format, const LaneWindow& window, std::uint32_t lanes,
           bool write) {
    if (format == RowFormat::kWide) return wide(row, write);
    narrow(row, window, lanes, write);
  }

 private:
  const MachineConfig& config_;
  Touches& touches_;
};

void add_vector(const Vector& vector, const MachineConfig& config, Touches& touches) {
  RowToucher toucher(config, touches);
  const std::uint32_t lanes = vector.lanes == 0 ? config.array_cols : vector.lanes;
  if (!vector.source) add_range(touches, "accumulator", vector.acc, vector.rows, false);
  if (vector.source) {
    for (const auto row : generated(vector.source->rows, vector.rows)) {
      if (row) toucher.row(*row, vector.source->format, vector.source->window, lanes, false);
    }
  }
  if (vector.has_bias) toucher.wide(vector.bias, false);
  for (std::uint64_t i = 0; i < vector.rows; ++i) {
    if (vector.operand) {
      const VectorOperand& operand = *vector.operand;
      toucher.row(operand.row + i * operand.step, operand.format, operand.window, lanes, false);
    }
    const bool wide = vector.format == RowFormat::kWide;
    const std::uint64_t row = vector.ub + i * (wide ? config.result_row_rows() : 1);
    const std::uint32_t written = vector.fill ? config.array_cols : lanes;
    toucher.row(row, vector.format, vector.window, written, true);
    if (vector.mode != VectorMode::kOverwrite) {
      toucher.row(row, vector.format, vector.window, written, false);
    }
  }
}

void add_matmul(const Matmul& matmul, Touches& touches) {
  for (const auto row : generated(matmul.ub, matmul.rows)) {
    if (row) touches.insert({"UB", *row, false});
  }
  add_range(touches, "accumulator", matmul.acc, matmul.rows, true);
}

void add_buffer_tile(const BufferTile& tile, const MachineConfig& config, Touches& touches) {
  RowToucher toucher(config, touches);
  for (std::uint64_t i = 0; i < tile.rows; ++i) {
    toucher.narrow(tile.row + i, tile.window, tile.lanes, false);
  }
}

Touches touches_of(const Operation& operation, const MachineConfig& config) {
  Touches touches;
  if (const auto* load = std::get_if<Load>(&operation)) {
    add_range(touches, "host", load->host, load->rows, false);
    add_range(touches, "UB", load->ub, load->rows, true);
  } else if (const auto* fetch = std::get_if<Fetch>(&operation)) {
    if (fetch->buffer) add_buffer_tile(*fetch->buffer, config, touches);
  } else if (const auto* matmul = std::get_if<Matmul>(&operation)) {
    add_matmul(*matmul, touches);
  } else if (const auto* vector = std::get_if<Vector>(&operation)) {
    add_vector(*vector, config, touches);
  } else if (const auto* store = std::get_if<Store>(&operation)) {
    add_range(touches, "UB", store->ub, store->rows, false);
    add_range(touches, "host", store->host, store->rows, true);
  }
  return touches;
}

/// Returns true if the unit itself keeps the two accesses in order. Transfers may overlap each
/// other. The vector unit reads a row L cycles before it writes one.
bool unit_orders(const Instruction& earlier, bool earlier_writes, const Instruction& later,
                 bool later_writes) {
  if (earlier.unit() != later.unit()) return false;
  const bool both_write = earlier_writes && later_writes;
  if (earlier.unit() == Unit::kLoad || earlier.unit() == Unit::kStore) return !both_write;
  if (earlier.unit() == Unit::kVector) return !earlier_writes || both_write;
  return true;
}

struct Toucher {
  std::size_t instruction = 0;
  bool write = false;
};

void add_fifo_conflicts(const std::vector<Instruction>& code, const MachineConfig& config,
                        std::vector<Conflict>& conflicts) {
  std::vector<std::size_t> takers;
  std::size_t fetches = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto* matmul = std::get_if<Matmul>(&code[i].operation);
    if (matmul != nullptr && matmul->next_weights) takers.push_back(i);
    if (code[i].unit() != Unit::kFetch) continue;
    if (fetches >= config.weight_fifo_tiles) {
      conflicts.push_back({takers.at(fetches - config.weight_fifo_tiles), i, "FIFO"});
    }
    ++fetches;
  }
}

/// Stores which events surely precede each event. Event 2i: i starts; event 2i+1: i retires.
class Order {
 public:
  explicit Order(const std::vector<Instruction>& code)
      : words_(code.size() * 2 / 64 + 1), before_(code.size() * 2 * words_) {
    std::array<std::vector<std::size_t>, kUnitCount> queues;
    std::size_t tiles = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
      auto& queue = queues[static_cast<std::size_t>(code[i].unit())];
      for (std::size_t unit = 0; unit < kUnitCount; ++unit) {
        const std::uint32_t count = code[i].after.count[unit];
        if (count > 0) follow(2 * i, 2 * queues[unit].at(count - 1) + 1);
      }
      const auto* matmul = std::get_if<Matmul>(&code[i].operation);
      if (matmul != nullptr && matmul->next_weights) {
        follow(2 * i, 2 * queues[static_cast<std::size_t>(Unit::kFetch)].at(tiles++) + 1);
      }
      if (!queue.empty()) follow(2 * i, 2 * queue.back());
      follow(2 * i + 1, 2 * i);
      if (!queue.empty()) follow(2 * i + 1, 2 * queue.back() + 1);
      queue.push_back(i);
    }
  }
  bool precedes(std::size_t earlier, std::size_t later) const {
    return (before_[later * words_ + earlier / 64] >> (earlier % 64) & 1U) != 0;
  }

 private:
  void follow(std::size_t later, std::size_t earlier) {
    for (std::size_t w = 0; w < words_; ++w) {
      before_[later * words_ + w] |= before_[earlier * words_ + w];
    }
    before_[later * words_ + earlier / 64] |= std::uint64_t{1} << (earlier % 64);
  }

  std::size_t words_;
  std::vector<std::uint64_t> before_;
};

}  // namespace

std::vector<Conflict> conflicts_of(const std::vector<Instruction>& code,
                                   const MachineConfig& config, Pairs pairs) {
  std::map<std::pair<std::string, std::uint64_t>, std::vector<Toucher>> rows;
  std::map<std::pair<std::size_t, std::size_t>, std::string> found;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Touches touches = touches_of(code[i].operation, config);
    for (const Touch& touch : touches) {
      for (const Toucher& earlier : rows[{touch.space, touch.row}]) {
        if (!earlier.write && !touch.write) continue;
        if (pairs == Pairs::kUnordered &&
            unit_orders(code[earlier.instruction], earlier.write, code[i], touch.write)) {
          continue;
        }
        const char* kind = !earlier.write ? " WAR" : touch.write ? " WAW" : " RAW";
        const std::string by = code[i].unit() == Unit::kFetch ? " by a fetch" : "";
        found[{earlier.instruction, i}] = touch.space + kind + by;
      }
    }
    for (const Touch& touch : touches) {
      rows[{touch.space, touch.row}].push_back({i, touch.write});
    }
  }
  std::vector<Conflict> conflicts;
  for (const auto& [pair, kind] : found) conflicts.push_back({pair.first, pair.second, kind});
  add_fifo_conflicts(code, config, conflicts);
  return conflicts;
}

std::vector<std::size_t> unordered(const std::vector<Instruction>& code,
                                   const std::vector<Conflict>& conflicts) {
  const Order order(code);
  std::vector<std::size_t> broken;
  for (std::size_t i = 0; i < conflicts.size(); ++i) {
    if (!order.precedes(2 * conflicts[i].earlier + 1, 2 * conflicts[i].later)) broken.push_back(i);
  }
  return broken;
}

}  // namespace weft::test
