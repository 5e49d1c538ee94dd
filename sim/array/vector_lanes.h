// The vector unit's datapath: what one row of a vector instruction becomes. Both engines with
// values use it, row by row: `fast` writes each row at once, `stepped` and `rtl` when it becomes
// readable.
//
//   sums, or UB row --load, + bias--> x --combine y--> op --> reduce --mode, destination--> store
//
// Everything happens in one type, the domain's words. Source: docs/numerics.md, "The vector unit".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "pe/arithmetic.h"
#include "sim/array/aligned_buffer.h"
#include "sim/array/lane_kernels.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/memory/unified_buffer.h"

namespace weft {

template <class Arithmetic>
class VectorLanes {
 public:
  using Psum = typename Arithmetic::Psum;

  /// `config` must outlive this.
  explicit VectorLanes(const MachineConfig& config);

  /// The rows to come are those of `vector`, which must be valid and outlive them.
  void begin(const Vector& vector);

  /// Row `index` of the result, from the values of this moment: lanes in the format of the result,
  /// those to be written and no others. `sums`: the row's C accumulators, or null if it has a
  /// source. The bytes are valid until the next call. Throws SimulationError if the buffer lacks a
  /// row.
  std::span<const std::byte> compute(std::uint32_t index, const Psum* sums,
                                     const UnifiedBuffer& buffer);

 private:
  /// Lanes of one type: those that are computed, and those that join them.
  template <class Word>
  struct Lanes {
    explicit Lanes(std::size_t size) : x(size), y(size) {}
    AlignedBuffer<Word> x;
    AlignedBuffer<Word> y;
  };

  template <class Word>
  std::span<const std::byte> compute_as(std::uint32_t index, const Psum* sums,
                                        const UnifiedBuffer& buffer);
  template <class Word>
  void load_first(std::uint32_t index, const Psum* sums, const UnifiedBuffer& buffer);
  template <class Word>
  void load_source(std::uint32_t index, const UnifiedBuffer& buffer, Word* out) const;
  template <class Word>
  void load_row(RowFormat format, const LaneWindow& window, Quantization quantization,
                std::uint64_t row, std::uint32_t count, const UnifiedBuffer& buffer,
                Word* out) const;
  template <class Word>
  void load_narrow(const std::byte* from, Quantization quantization, Word* out,
                   std::size_t count) const;
  template <class Word>
  void reduce(Word* x) const;
  template <class Word>
  std::span<const std::byte> encode(const Word* x);
  template <class Word>
  void store_narrow(const Word* x);

  template <class Word>
  const WordKernels<Word>& kernels_of() const;

  const MachineConfig& config_;
  const LaneKernels kernels_;
  const Vector* vector_ = nullptr;
  std::uint32_t count_ = 0;                        // lanes that are computed
  std::uint32_t results_ = 0;                      // lanes that hold a result
  std::vector<std::optional<std::int64_t>> walk_;  // the source's row of each row; none: padding
  std::tuple<Lanes<std::int32_t>, Lanes<float>> lanes_;
  std::vector<std::byte> encoded_;
};

/// Puts row `index` of the result of `vector`, as VectorLanes::compute() returned it, where it
/// belongs; everything around it keeps its value. Throws SimulationError if the buffer lacks a row.
void write_vector_row(const Vector& vector, std::uint32_t index, std::span<const std::byte> lanes,
                      const MachineConfig& config, UnifiedBuffer& buffer);

extern template class VectorLanes<Int8Arithmetic>;
extern template class VectorLanes<Bf16Arithmetic>;
extern template class VectorLanes<Fp16Arithmetic>;

}  // namespace weft
