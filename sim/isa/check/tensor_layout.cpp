#include "sim/isa/check/tensor_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/printable.h"
#include "sim/isa/text/directive_table.h"

namespace weft {
namespace {

[[noreturn]] void fail_tensor(const Program& program, const TensorDecl& tensor,
                              std::string_view what) {
  std::size_t index = 0;
  while (index < program.tensors.size() && &program.tensors[index] != &tensor) ++index;
  const std::uint32_t line = line_of(program.source.tensor_lines, index);
  throw InputError(fmt::format("{}tensor {}: {}", line_prefix(program.source, line),
                               printable(tensor.name), what));
}

std::uint64_t checked_product(const Program& program, const TensorDecl& tensor, std::uint64_t a,
                              std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    fail_tensor(program, tensor,
                fmt::format("a shape of {} x {} is too large", tensor.rows, tensor.cols));
  }
  return product;
}

std::uint64_t end_address(const TensorDecl& tensor, const Program& program) {
  std::uint64_t end = 0;
  if (__builtin_add_overflow(tensor.base, tensor_extent(tensor, program), &end)) {
    fail_tensor(program, tensor,
                fmt::format("base {} is too large for its {} x {} elements", tensor.base,
                            tensor.rows, tensor.cols));
  }
  return end;
}

ElementType type_for(TensorRole role, ElementType dtype) {
  const bool is_wide = role == TensorRole::kBias || role == TensorRole::kResult;
  return is_wide ? accumulator_type(dtype) : dtype;
}

/// A bias tensor may also hold scales, which are binary32 on every machine.
bool suits(const TensorDecl& tensor, ElementType dtype) {
  if (tensor.role == TensorRole::kBias && tensor.type == ElementType::kFloat32) return true;
  return tensor.type == type_for(tensor.role, dtype);
}

void check_array(const Program& program) {
  if (program.array_rows >= 1 && program.array_rows <= 4096 && program.array_cols >= 1 &&
      program.array_cols <= 4096 && is_array_type(program.dtype)) {
    return;
  }
  throw InputError(
      fmt::format("{}machine rows={} cols={} dtype={}: must be 1..4096, 1..4096 and int8|bf16|fp16",
                  line_prefix(program.source, program.source.machine_line), program.array_rows,
                  program.array_cols, to_string(program.dtype)));
}

void check_tensor(const TensorDecl& tensor, const Program& program) {
  if (!is_tensor_name(tensor.name)) fail_tensor(program, tensor, "a name must be " + Name{}.form());
  if (tensor.rows == 0 || tensor.cols == 0)
    fail_tensor(program, tensor, "a shape must be at least 1 x 1");
  checked_product(program, tensor, checked_product(program, tensor, tensor.rows, tensor.cols),
                  element_bytes(tensor.type));
  if (!suits(tensor, program.dtype)) {
    fail_tensor(
        program, tensor,
        fmt::format("role {} on a {} machine has type {}, not {}", to_string(tensor.role),
                    to_string(program.dtype), to_string(type_for(tensor.role, program.dtype)),
                    to_string(tensor.type)));
  }
  if (tensor.role == TensorRole::kBias && tensor.rows != 1) {
    fail_tensor(program, tensor, fmt::format("a bias has one row, not {}", tensor.rows));
  }
}

void check_overlaps(const Program& program, bool weight_memory) {
  const TensorMap map(program, weight_memory);
  for (std::size_t i = 1; i < map.spans().size(); ++i) {
    const TensorSpan& before = map.spans()[i - 1];
    const TensorSpan& span = map.spans()[i];
    if (before.end <= span.base) continue;
    fail_tensor(program, program.tensors[span.index],
                fmt::format("base {} lies inside tensor {}, which ends before {}", span.base,
                            printable(program.tensors[before.index].name), before.end));
  }
}

void check_shape(const Program& program, std::string_view name, TensorRole role, std::uint64_t rows,
                 std::uint64_t cols) {
  const auto found = std::ranges::find(program.tensors, name, &TensorDecl::name);
  const ElementType type = type_for(role, program.dtype);
  if (found != program.tensors.end() && found->role == role && found->type == type &&
      found->rows == rows && found->cols == cols) {
    return;
  }
  throw InputError(
      fmt::format("{}computes matmul: needs a tensor {} of role {}, type {} and shape {} x {}",
                  line_prefix(program.source, program.source.computes_line), name, to_string(role),
                  to_string(type), rows, cols));
}

void check_computes(const Program& program) {
  if (!program.computes) return;
  const MatmulSpec& spec = *program.computes;
  check_shape(program, "a", TensorRole::kActivation, spec.m, spec.k);
  check_shape(program, "b", TensorRole::kWeights, spec.k, spec.n);
  if (spec.bias) check_shape(program, "bias", TensorRole::kBias, 1, spec.n);
  check_shape(program, "out", TensorRole::kResult, spec.m, spec.n);
  const auto holds_weights = [&](const TensorDecl& each) { return is_weight_rows(program, each); };
  if (std::ranges::any_of(program.tensors, holds_weights)) {
    check_shape(program, kWeightRows, TensorRole::kActivation, spec.k, spec.n);
  }
  for (const TensorDecl& tensor : program.tensors) {
    constexpr std::array<std::string_view, 5> kNames = {"a", "b", "bias", "out", kWeightRows};
    if (std::ranges::find(kNames, tensor.name) != kNames.end()) continue;
    fail_tensor(program, tensor,
                "is none of a, b, bias, out and b_rows, which computes matmul names");
  }
}

}  // namespace

std::string_view to_string(TensorRole role) {
  const auto index = static_cast<std::size_t>(role);
  return index < table::kRole.names.size() ? table::kRole.names[index] : "unknown";
}

bool is_weight_rows(const Program& program, const TensorDecl& tensor) {
  return program.computes && tensor.name == kWeightRows;
}

std::uint32_t result_row_rows(const Program& program) {
  check_array(program);
  const std::uint32_t row_bytes = program.array_rows * element_bytes(program.dtype);
  return static_cast<std::uint32_t>(ceil_div(std::uint64_t{program.array_cols} * 4, row_bytes));
}

std::uint64_t tensor_extent(const TensorDecl& tensor, const Program& program) {
  const std::uint64_t row_rows = result_row_rows(program);
  const std::uint64_t k_tiles_of_cols = ceil_div(tensor.cols, program.array_rows);
  const std::uint64_t n_tiles = ceil_div(tensor.cols, program.array_cols);
  switch (tensor.role) {
    case TensorRole::kActivation:
    case TensorRole::kNarrow:
      return checked_product(program, tensor, k_tiles_of_cols, tensor.rows);
    case TensorRole::kWeights:
      return checked_product(program, tensor, n_tiles, ceil_div(tensor.rows, program.array_rows));
    case TensorRole::kImage:
      return ceil_div(checked_product(program, tensor, tensor.rows, tensor.cols),
                      program.array_rows);
    case TensorRole::kBias:
    case TensorRole::kResult:
      break;
  }
  return checked_product(program, tensor, checked_product(program, tensor, n_tiles, tensor.rows),
                         row_rows);
}

void validate_tensors(const Program& program) {
  check_array(program);
  std::set<std::string_view> names;
  for (const TensorDecl& tensor : program.tensors) {
    check_tensor(tensor, program);
    if (!names.insert(tensor.name).second) fail_tensor(program, tensor, "the name is taken");
  }
  check_overlaps(program, /*weight_memory=*/true);
  check_overlaps(program, /*weight_memory=*/false);
  check_computes(program);
}

TensorMap::TensorMap(const Program& program, bool weight_memory) {
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorDecl& tensor = program.tensors[i];
    if (lies_in_weight_memory(tensor.role) != weight_memory) continue;
    spans_.push_back({tensor.base, end_address(tensor, program), i});
  }
  std::ranges::sort(spans_, {}, &TensorSpan::base);
}

const TensorSpan* TensorMap::find(std::uint64_t first, std::uint64_t count) const {
  const auto after = std::ranges::upper_bound(spans_, first, {}, &TensorSpan::base);
  if (after == spans_.begin()) return nullptr;
  const TensorSpan& span = *(after - 1);
  return first < span.end && count <= span.end - first ? &span : nullptr;
}

}  // namespace weft
