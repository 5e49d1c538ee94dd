#include "sim/array/stepped_array.h"

#include <cstring>

#include "sim/array/array_sides.h"
#include "sim/array/kernels/aligned_buffer.h"
#include "sim/array/kernels/grid_kernel.h"
#include "sim/array/shift_rows.h"
#include "sim/array/skew_rows.h"

namespace weft {
namespace {

std::size_t padded(std::size_t cols) {
  return (cols + kGridLanes - 1) / kGridLanes * kGridLanes;
}

void shift_control(ShiftRows<std::int8_t>& chain, bool on) {
  const auto value = static_cast<std::int8_t>(on ? -1 : 0);
  chain.shift(&value);
}

}  // namespace

template <class Arithmetic>
struct SteppedArray<Arithmetic>::Impl {
  Impl(std::size_t array_rows, std::size_t array_cols)
      : rows(array_rows),
        cols(array_cols),
        stride(padded(array_cols)),
        // One chain for each row r: r skew registers, then the act registers of its C PEs. One
        // chain of R+C-1 for each control signal, from PE(0,0) to PE(R-1,C-1). One such chain for
        // the valid bits, because the results take as long.
        acts(rows, rows + cols - 1, stride),
        swaps(1, rows + cols - 1, stride),
        pushes(1, rows + cols - 1, stride),
        valid(1, rows + cols - 1, 0),
        weight_active(rows * stride),
        weight_shadow(rows * stride),
        weight_out((1 + rows) * stride),
        psum((1 + rows) * stride),
        weight_skew(cols, cols),
        deskew(cols, cols),
        no_acts(rows),
        result(cols) {}

  /// The result row that the output shows before the edge; empty if there is none.
  std::span<const Psum> output() {
    deskew.next_cycle();
    deskew.record(psum.data() + rows * stride);
    if (valid.row(0)[rows + cols - 2] == 0) return {};
    deskew.read_deskewed(result.data());
    return {result.data(), cols};
  }

  void enter_weights(const Operand* weight_row) {
    weight_skew.next_cycle();
    if (weight_row != nullptr) weight_skew.record(weight_row);
    // Without a push no PE reads weight_i, so it may keep its last value.
    if (std::memchr(pushes.row(0), 0xFF, cols) == nullptr) return;
    weight_skew.read_skewed(weight_out.data());
  }

  GridView<Operand, Psum> view() {
    return {.rows = rows,
            .stride = stride,
            .acts = acts.row(0),
            .acts_stride = acts.stride(),
            .swaps = swaps.row(0),
            .pushes = pushes.row(0),
            .weight_active = weight_active.data(),
            .weight_shadow = weight_shadow.data(),
            .weight_out = weight_out.data(),
            .psum = psum.data()};
  }

  std::size_t rows;
  std::size_t cols;
  std::size_t stride;
  GridKernel<Operand, Psum> clock_grid = best_grid_kernel<Operand, Psum>();
  ShiftRows<Operand> acts;
  ShiftRows<std::int8_t> swaps;
  ShiftRows<std::int8_t> pushes;
  ShiftRows<std::int8_t> valid;
  AlignedBuffer<Operand> weight_active;
  AlignedBuffer<Operand> weight_shadow;
  AlignedBuffer<Operand> weight_out;
  AlignedBuffer<Psum> psum;
  SkewRows<Operand> weight_skew;
  SkewRows<Psum> deskew;
  AlignedBuffer<Operand> no_acts;  // zeros, which enter if no row does
  AlignedBuffer<Psum> result;
};

template <class Arithmetic>
SteppedArray<Arithmetic>::SteppedArray(std::uint32_t rows, std::uint32_t cols) {
  check_array_sides(rows, cols);
  impl_ = std::make_unique<Impl>(rows, cols);
}

template <class Arithmetic>
SteppedArray<Arithmetic>::~SteppedArray() = default;
template <class Arithmetic>
SteppedArray<Arithmetic>::SteppedArray(SteppedArray&&) noexcept = default;
template <class Arithmetic>
SteppedArray<Arithmetic>& SteppedArray<Arithmetic>::operator=(SteppedArray&&) noexcept = default;

template <class Arithmetic>
auto SteppedArray<Arithmetic>::step(const Inputs& inputs) -> std::span<const Psum> {
  Impl& impl = *impl_;
  const std::span<const Psum> result = impl.output();
  impl.acts.shift(inputs.act_row != nullptr ? inputs.act_row : impl.no_acts.data());
  shift_control(impl.valid, inputs.act_row != nullptr);
  shift_control(impl.swaps, inputs.swap);
  shift_control(impl.pushes, inputs.weight_row != nullptr);
  impl.enter_weights(inputs.weight_row);
  impl.clock_grid(impl.view());
  return result;
}

template <class Arithmetic>
PeRegisters<Arithmetic> SteppedArray<Arithmetic>::registers(std::uint32_t row,
                                                            std::uint32_t col) const {
  const Impl& impl = *impl_;
  const std::size_t diagonal = std::size_t{row} + col;
  const std::size_t index = row * impl.stride + col;
  return {.act = impl.acts.row(row)[diagonal],
          .weight_active = impl.weight_active.data()[index],
          .weight_shadow = impl.weight_shadow.data()[index],
          .weight_out = impl.weight_out.data()[index + impl.stride],
          .psum = impl.psum.data()[index + impl.stride],
          .push = impl.pushes.row(0)[diagonal] != 0,
          .swap = impl.swaps.row(0)[diagonal] != 0};
}

template class SteppedArray<Int8Arithmetic>;
template class SteppedArray<Bf16Arithmetic>;
template class SteppedArray<Fp16Arithmetic>;

}  // namespace weft
