// One clock edge of all PEs of an R x C grid, in place, on whole vectors.
//
// The rows are updated bottom-up: row r reads psum, weight_out and push of row r-1 as they were
// before the edge, and row r-1 is updated after row r.
//
//   buffer row 0    what enters the top: zero psums, the skewed weights
//   buffer row r+1  the registers of array row r
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

/// Columns are padded to a multiple of this many, the most lanes of any instruction set.
inline constexpr std::size_t kGridLanes = 64;

/// The registers of the grid and what enters it at this edge. Every PE on the diagonal r + c = i
/// gets swap_i = swaps[i] and push_i = pushes[i] (0 or -1). Each signal starts at PE(0,0) and takes
/// one cycle per row and per column, so one register per diagonal stands for all PEs on it.
template <class Operand, class Psum>
struct GridView {
  std::size_t rows;
  std::size_t stride;   // padded columns
  const Operand* acts;  // act_i of PE(r,c) is acts[r * acts_stride + r + c]
  std::size_t acts_stride;
  const std::int8_t* swaps;
  const std::int8_t* pushes;
  Operand* weight_active;  // [rows, stride]
  Operand* weight_shadow;  // [rows, stride]
  Operand* weight_out;     // [1 + rows, stride]; row 0 is weight_i of the top row
  Psum* psum;              // [1 + rows, stride]; row 0 is zero
};

template <class Operand, class Psum>
using GridKernel = void (*)(const GridView<Operand, Psum>&);

/// The kernel for the best instruction set that this processor has. Operand and Psum are int8_t
/// and int32_t, or float and float (bf16 and fp16 alike: operands are widened).
template <class Operand, class Psum>
GridKernel<Operand, Psum> best_grid_kernel();

}  // namespace weft
