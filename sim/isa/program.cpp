#include "sim/isa/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <variant>

#include "sim/config/error.h"
#include "sim/isa/instruction_table.h"
#include "sim/isa/row_generator.h"
#include "sim/isa/tensor_layout.h"
#include "sim/isa/text.h"

namespace weft {
namespace {

/// Disjoint address intervals that grow as results are stored.
class StoredRows {
 public:
  void add(std::uint64_t first, std::uint64_t end) {
    auto next = ends_.upper_bound(first);
    if (next != ends_.begin() && std::prev(next)->second >= first) --next;
    while (next != ends_.end() && next->first <= end) {
      first = std::min(first, next->first);
      end = std::max(end, next->second);
      next = ends_.erase(next);
    }
    ends_.emplace(first, end);
  }

  bool contains(std::uint64_t first, std::uint64_t end) const {
    const auto next = ends_.upper_bound(first);
    return next != ends_.begin() && std::prev(next)->second >= end;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by first address
};

/// Checks a program's instructions in order. Every check throws InputError.
class InstructionChecker {
 public:
  InstructionChecker(const Program& program, const MachineConfig& config)
      : program_(program), config_(config), host_(program, false), weights_(program, true) {
    for (const Instruction& instruction : program.code) ++total_[instruction.unit()];
  }

  void check_all() {
    for (; index_ < program_.code.size(); ++index_) {
      const Instruction& instruction = program_.code[index_];
      std::visit([&](const auto& operation) { check(operation); }, instruction.operation);
      check_after(instruction);
      ++seen_[instruction.unit()];
    }
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    const ProgramSource& source = program_.source;
    throw InputError(fmt::format(
        "{}instruction {} ({}): {}", line_prefix(source, line_of(source.code_lines, index_)),
        index_, format(program_.code[index_]), fmt::format(what, std::forward<Args>(args)...)));
  }

  void check_rows(std::uint32_t rows) const {
    if (rows == 0) fail("rows must be at least 1");
  }

  void check_unified_buffer(std::string_view operand, std::uint64_t first,
                            std::uint64_t count) const {
    const std::uint64_t size = config_.unified_buffer_rows();
    if (first < size && count <= size - first) return;
    fail("{} takes {} UB rows from {} on, but unified_buffer.kib = {} has {}", operand, count,
         first, config_.unified_buffer_kib, size);
  }

  void check_accumulators(std::uint64_t first, std::uint64_t count) const {
    const std::uint64_t size = config_.accumulator_rows;
    if (first < size && count <= size - first) return;
    fail("acc takes {} accumulator rows from {} on, but accumulators.rows = {}", count, first,
         size);
  }

  const TensorDecl* find_tensor(std::uint64_t first, std::uint64_t count) const {
    const TensorSpan* span = host_.find(first, count);
    return span == nullptr ? nullptr : &program_.tensors[span->index];
  }

  void check(const Load& load) const {
    check_rows(load.rows);
    check_unified_buffer("ub", load.ub, load.rows);
    if (program_.tensors.empty()) return;
    const TensorDecl* tensor = find_tensor(load.host, load.rows);
    if (tensor == nullptr) {
      fail("no tensor holds the {} host rows from {} on", load.rows, load.host);
    }
    if (tensor->role == TensorRole::kResult &&
        !stored_.contains(load.host, load.host + load.rows)) {
      fail("loads rows of the result '{}' that no earlier store wrote", tensor->name);
    }
  }

  void check(const Fetch& fetch) const {
    if (program_.tensors.empty() || weights_.find(fetch.tile, 1) != nullptr) return;
    fail("no weights tensor holds tile {}", fetch.tile);
  }

  void check(const Matmul& matmul) {
    check_rows(matmul.rows);
    check_accumulators(matmul.acc, matmul.rows);
    check_generator(matmul);
    if (element_bytes(config_.dtype) == 1 && matmul.ub.pad > 0xFF) {
      fail("pad must be 0x0..0xff, an int8 element");
    }
    if (matmul.next_weights) ++tiles_taken_;
    if (tiles_taken_ > total_[Unit::kFetch]) {
      fail("takes the next weights, but the matmuls before it take all tiles fetched ({})",
           total_[Unit::kFetch]);
    }
    if (tiles_taken_ == 0) fail("weights=keep, but no weights were swapped in before");
  }

  void check_generator(const Matmul& matmul) const {
    if (walk_length(matmul.ub) < matmul.rows) {
      fail("the loops take {} steps, fewer than rows", walk_length(matmul.ub));
    }
    const auto extremes = row_extremes(matmul.ub, matmul.rows);
    if (!extremes) return;
    const auto size = static_cast<std::int64_t>(config_.unified_buffer_rows());
    if (extremes->lowest >= 0 && extremes->highest < size) return;
    fail("the row generator reaches UB rows {} to {}, but unified_buffer.kib = {} has {}",
         extremes->lowest, extremes->highest, config_.unified_buffer_kib, size);
  }

  void check(const Vector& vector) const {
    check_rows(vector.rows);
    check_accumulators(vector.acc, vector.rows);
    const std::uint64_t row_rows = config_.result_row_rows();
    check_unified_buffer("ub", vector.ub, vector.rows * row_rows);
    if (vector.has_bias) check_unified_buffer("bias", vector.bias, row_rows);
    if (!vector.has_bias && vector.bias != 0) fail("a bias row without has_bias");
    if (vector.op > VectorOp::kClamp) fail("unknown op");
    if (vector.op != VectorOp::kClamp && (vector.low != 0 || vector.high != 0)) {
      fail("low and high are for op=clamp");
    }
    if (vector.op == VectorOp::kClamp && !limits_are_ordered(vector)) {
      fail("low must be at most high as {}", to_string(accumulator_type(config_.dtype)));
    }
  }

  bool limits_are_ordered(const Vector& vector) const {
    if (accumulator_type(config_.dtype) == ElementType::kInt32) {
      return std::bit_cast<std::int32_t>(vector.low) <= std::bit_cast<std::int32_t>(vector.high);
    }
    return std::bit_cast<float>(vector.low) <= std::bit_cast<float>(vector.high);
  }

  void check(const Store& store) {
    check_rows(store.rows);
    check_unified_buffer("ub", store.ub, store.rows);
    if (program_.tensors.empty()) return;
    const TensorDecl* tensor = find_tensor(store.host, store.rows);
    if (tensor == nullptr || tensor->role != TensorRole::kResult) {
      fail("no result tensor holds the {} host rows from {} on", store.rows, store.host);
    }
    stored_.add(store.host, store.host + store.rows);
  }

  /// Queues are in order, so an instruction can wait only for those before it in its own unit.
  void check_after(const Instruction& instruction) const {
    for (std::size_t i = 0; i < kUnitCount; ++i) {
      const auto unit = static_cast<Unit>(i);
      const bool own = unit == instruction.unit();
      const std::uint32_t reachable = own ? seen_[unit] : total_[unit];
      if (instruction.after[unit] <= reachable) continue;
      fail("after={}:{} can never be reached: {} only {}", unit_name(unit), instruction.after[unit],
           own ? "its own queue has before it" : "the program has", reachable);
    }
  }

  const Program& program_;
  const MachineConfig& config_;
  TensorMap host_;
  TensorMap weights_;
  StoredRows stored_;
  std::size_t index_ = 0;
  After total_;  // instructions of each unit, in all and so far
  After seen_;
  std::uint64_t tiles_taken_ = 0;
};

void check_machine(const Program& program, const MachineConfig& config) {
  if (program.array_rows == config.array_rows && program.array_cols == config.array_cols &&
      program.dtype == config.dtype) {
    return;
  }
  throw InputError(
      fmt::format("{}the program is laid out for a {} x {} {} array, but machine {} has {} x {} {}",
                  line_prefix(program.source, program.source.machine_line), program.array_rows,
                  program.array_cols, to_string(program.dtype), config.name, config.array_rows,
                  config.array_cols, to_string(config.dtype)));
}

}  // namespace

void validate(const Program& program, const MachineConfig& config) {
  check_machine(program, config);
  validate_tensors(program);
  InstructionChecker(program, config).check_all();
}

}  // namespace weft
