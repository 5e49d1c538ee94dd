// The vector unit's datapath: computes one row of a vector instruction. All engines with values use
// it, row by row: `fast` writes each row at once, `stepped` and `rtl` when it becomes readable.
//
//   sums, or UB row --load, + bias--> x --combine y--> op --> reduce --mode, destination--> store
//
// All steps use one type, the domain's words. Source: docs/numerics.md, "The vector unit".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "pe/arithmetic.h"
#include "sim/array/kernels/aligned_buffer.h"
#include "sim/array/kernels/lane_kernels.h"
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

  /// Starts the instruction `vector`. It must be valid and outlive the calls of compute().
  void begin(const Vector& vector);

  /// Computes row `index` of the result from the current values. Returns only the lanes to write,
  /// in the format of the result; they are valid until the next call. `sums`: the row's C
  /// accumulators, or null if the instruction has a source. Throws SimulationError if the buffer
  /// lacks a row.
  std::span<const std::byte> compute(std::uint32_t index, const Psum* sums,
                                     const UnifiedBuffer& buffer);

 private:
  /// Lanes of one type: the computed lanes x, and the lanes y that are combined with them.
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
  std::vector<std::optional<std::int64_t>> walk_;  // UB row of each source row; nullopt: padding
  std::tuple<Lanes<std::int32_t>, Lanes<float>> lanes_;
  std::vector<std::byte> encoded_;
};

/// Writes row `index` of the result of `vector`, as VectorLanes::compute() returned it, to its
/// place in the buffer. The bytes around it keep their values. Throws SimulationError if the buffer
/// lacks a row.
void write_vector_row(const Vector& vector, std::uint32_t index, std::span<const std::byte> lanes,
                      const MachineConfig& config, UnifiedBuffer& buffer);

extern template class VectorLanes<Int8Arithmetic>;
extern template class VectorLanes<Bf16Arithmetic>;
extern template class VectorLanes<Fp16Arithmetic>;

}  // namespace weft
