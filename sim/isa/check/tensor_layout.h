// Computes the layouts of program.h: where the rows and tiles of a program's tensors lie, and which
// tensor an address belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/isa/program.h"

namespace weft {

/// ceil(a / b) without overflow; b is at least 1.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// True for tensors that are addressed in tiles, false for tensors that are addressed in host rows.
constexpr bool lies_in_weight_memory(TensorRole role) {
  return role == TensorRole::kWeights;
}

/// "activation", "weights", "bias", "result", "narrow" or "image".
std::string_view to_string(TensorRole role);

/// A tensor's addresses, [base, end).
struct TensorSpan {
  std::uint64_t base = 0;
  std::uint64_t end = 0;
  std::size_t index = 0;  // in Program::tensors
};

/// The tensors of one of the two memories, sorted by address.
class TensorMap {
 public:
  /// Throws InputError, like validate_tensors(), for extents that overflow.
  TensorMap(const Program& program, bool weight_memory);

  /// The tensor that holds all `count` addresses from `first` on, or nullptr.
  const TensorSpan* find(std::uint64_t first, std::uint64_t count) const;

  const std::vector<TensorSpan>& spans() const { return spans_; }

 private:
  std::vector<TensorSpan> spans_;
};

}  // namespace weft
