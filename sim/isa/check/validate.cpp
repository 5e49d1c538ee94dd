// Implements validate() of program.h, and the names of activation functions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/printable.h"
#include "sim/isa/check/operand_check.h"
#include "sim/isa/check/tensor_layout.h"
#include "sim/isa/patches.h"
#include "sim/isa/program.h"
#include "sim/isa/text/instruction_table.h"
#include "sim/isa/text/text.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> kActivations = {"none", "relu", "relu6"};

/// The host rows that stores have written so far, as disjoint intervals.
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

/// Checks a program's instructions in order. Every check throws InputError, and check_all() puts
/// the line and instruction before its message.
class InstructionChecker {
 public:
  InstructionChecker(const Program& program, const MachineConfig& config)
      : program_(program), config_(config), host_(program, false), weights_(program, true) {
    for (const Instruction& instruction : program.code) ++total_[instruction.unit()];
  }

  void check_all() {
    for (; index_ < program_.code.size(); ++index_) {
      const Instruction& instruction = program_.code[index_];
      try {
        std::visit([&](const auto& operation) { check(operation); }, instruction.operation);
        check_after(instruction);
      } catch (const InputError& error) {
        throw InputError(place() + error.what());
      }
      ++seen_[instruction.unit()];
    }
  }

 private:
  std::string place() const {
    const ProgramSource& source = program_.source;
    return fmt::format(
        "{}instruction {} ({}): ", line_prefix(source, line_of(source.code_lines, index_)), index_,
        format(program_.code[index_]));
  }

  const TensorDecl* find_tensor(std::uint64_t first, std::uint64_t count) const {
    const TensorSpan* span = host_.find(first, count);
    return span == nullptr ? nullptr : &program_.tensors[span->index];
  }

  void check(const Load& load) const {
    check_rows(load.rows);
    check_unified_buffer("ub", load.ub, load.rows, config_);
    if (load.patches) return check_image(load);
    check_host_rows(load.host, load.rows, config_);
    if (program_.tensors.empty()) return;
    const TensorDecl* tensor = find_tensor(load.host, load.rows);
    if (tensor == nullptr) {
      fail("no tensor holds the {} host rows from {} on", load.rows, load.host);
    }
    if (is_output(tensor->role) && !stored_.contains(load.host, load.host + load.rows)) {
      fail("loads rows of the {} '{}' that no earlier store wrote",
           tensor->role == TensorRole::kResult ? "result" : "narrow tensor", tensor->name);
    }
  }

  void check_image(const Load& load) const {
    check_patches(load, config_);
    if (program_.tensors.empty()) return;
    const std::uint64_t rows = ceil_div(*image_end(*load.patches), config_.array_rows);
    const TensorDecl* tensor = find_tensor(load.host, rows);
    if (tensor != nullptr && tensor->role == TensorRole::kImage) return;
    fail("no image tensor holds the {} host rows from {} on", rows, load.host);
  }

  void check(const Fetch& fetch) const {
    if (fetch.buffer) {
      if (fetch.tile != 0) fail("names both a tile of weight memory and one of the unified buffer");
      return check_buffer_tile(*fetch.buffer, config_);
    }
    check_tile(fetch.tile, config_);
    if (program_.tensors.empty() || weights_.find(fetch.tile, 1) != nullptr) return;
    fail("no weights tensor holds tile {}", fetch.tile);
  }

  void check(const Matmul& matmul) {
    check_rows(matmul.rows);
    check_accumulators(matmul.acc, matmul.rows, config_);
    check_generator(matmul.ub, matmul.rows, RowShape{}, config_);
    check_element("pad", matmul.ub.pad, config_);
    if (matmul.next_weights) ++tiles_taken_;
    if (tiles_taken_ > total_[Unit::kFetch]) {
      fail("takes the next weights, but earlier matmuls take all fetched tiles ({})",
           total_[Unit::kFetch]);
    }
    if (tiles_taken_ == 0) fail("weights=keep, but no earlier matmul swapped weights in");
  }

  void check(const Vector& vector) const { check_vector(vector, config_); }

  void check(const Store& store) {
    check_rows(store.rows);
    check_unified_buffer("ub", store.ub, store.rows, config_);
    check_host_rows(store.host, store.rows, config_);
    if (program_.tensors.empty()) return;
    const TensorDecl* tensor = find_tensor(store.host, store.rows);
    if (tensor == nullptr || !is_output(tensor->role)) {
      fail("no result or narrow tensor holds the {} host rows from {} on", store.rows, store.host);
    }
    stored_.add(store.host, store.host + store.rows);
  }

  /// Each unit works in order, so an instruction can wait only for earlier ones of its own unit.
  void check_after(const Instruction& instruction) const {
    for (const Unit unit : kUnits) {
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
  After total_;  // instructions of each unit in the whole program
  After seen_;   // instructions of each unit so far
  std::uint64_t tiles_taken_ = 0;
};

void check_machine(const Program& program, const MachineConfig& config) {
  if (program.array_rows == config.array_rows && program.array_cols == config.array_cols &&
      program.dtype == config.dtype) {
    return;
  }
  throw InputError(
      fmt::format("{}the program is laid out for {} x {} {}, but machine {} has {} x {} {}",
                  line_prefix(program.source, program.source.machine_line), program.array_rows,
                  program.array_cols, to_string(program.dtype), config.name, config.array_rows,
                  config.array_cols, to_string(config.dtype)));
}

}  // namespace

std::string_view to_string(Activation activation) {
  return kActivations[static_cast<std::size_t>(activation)];
}

Activation parse_activation(std::string_view name, std::string_view what) {
  const auto found = std::ranges::find(kActivations, name);
  if (found != kActivations.end()) return static_cast<Activation>(found - kActivations.begin());
  throw InputError(
      fmt::format("{} {}: unknown; must be none, relu or relu6", what, printable(name)));
}

void validate(const Program& program, const MachineConfig& config) {
  check_machine(program, config);
  validate_tensors(program);
  InstructionChecker(program, config).check_all();
}

}  // namespace weft
