#include "sim/array/vector_lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "sim/array/lane_window.h"
#include "sim/isa/row_access.h"
#include "sim/isa/row_generator.h"

namespace weft {
namespace {

std::size_t lane_bytes(RowFormat format, const MachineConfig& config) {
  return format == RowFormat::kWide ? 4 : element_bytes(config.dtype);
}

}  // namespace

template <class Arithmetic>
VectorLanes<Arithmetic>::VectorLanes(const MachineConfig& config)
    : config_(config),
      kernels_(best_lane_kernels()),
      lanes_(config.array_cols, config.array_cols),
      encoded_(std::size_t{config.array_cols} * 4) {}

template <class Arithmetic>
void VectorLanes<Arithmetic>::begin(const Vector& vector) {
  vector_ = &vector;
  count_ = computed_lanes(vector, config_);
  results_ = result_lanes(vector, config_);
  walk_.clear();
  if (!vector.source) return;
  for_each_row(vector.source->rows, vector.rows, [this](auto, auto row) { walk_.push_back(row); });
}

template <class Arithmetic>
template <class Word>
const WordKernels<Word>& VectorLanes<Arithmetic>::kernels_of() const {
  if constexpr (std::is_same_v<Word, float>) {
    return kernels_.float32;
  } else {
    return kernels_.int32;
  }
}

template <class Arithmetic>
std::span<const std::byte> VectorLanes<Arithmetic>::compute(std::uint32_t index, const Psum* sums,
                                                            const UnifiedBuffer& buffer) {
  if (vector_->domain == VectorDomain::kFloat) return compute_as<float>(index, sums, buffer);
  return compute_as<Psum>(index, sums, buffer);
}

template <class Arithmetic>
template <class Word>
std::span<const std::byte> VectorLanes<Arithmetic>::compute_as(std::uint32_t index,
                                                               const Psum* sums,
                                                               const UnifiedBuffer& buffer) {
  const Vector& vector = *vector_;
  const WordKernels<Word>& kernels = kernels_of<Word>();
  Word* const x = std::get<Lanes<Word>>(lanes_).x.data();
  Word* const y = std::get<Lanes<Word>>(lanes_).y.data();
  load_first<Word>(index, sums, buffer);
  if (vector.operand) {
    const VectorOperand& operand = *vector.operand;
    load_row(operand.format, operand.window, operand.quantization,
             operand.row + std::uint64_t{index} * operand.step, count_, buffer, y);
    kernels.combine(vector.combine, x, y, count_);
  }
  kernels.apply(vector.op, std::bit_cast<Word>(vector.low), std::bit_cast<Word>(vector.high), x,
                count_);
  reduce(x);
  if (vector.mode != VectorMode::kOverwrite) {
    const std::uint32_t step = vector.format == RowFormat::kWide ? config_.result_row_rows() : 1;
    load_row(vector.format, vector.window, vector.quantization,
             vector.ub + std::uint64_t{index} * step, results_, buffer, y);
    kernels.combine(vector.mode == VectorMode::kAdd ? VectorCombine::kAdd : VectorCombine::kMax, x,
                    y, results_);
  }
  return encode(x);
}

template <class Arithmetic>
template <class Word>
void VectorLanes<Arithmetic>::load_first(std::uint32_t index, const Psum* sums,
                                         const UnifiedBuffer& buffer) {
  auto& [x, y] = std::get<Lanes<Word>>(lanes_);
  if (vector_->source) {
    load_source(index, buffer, x.data());
  } else if constexpr (std::is_same_v<Word, Psum>) {
    std::memcpy(x.data(), sums, count_ * sizeof(Word));
  } else {  // the bias is added before the conversion
    const std::uint32_t width = config_.result_row_rows();
    const std::byte* bias =
        vector_->has_bias ? buffer.rows_from(vector_->bias, width).data() : nullptr;
    return kernels_.convert_sums(sums, bias, x.data(), count_);
  }
  if (!vector_->has_bias) return;
  load_row(RowFormat::kWide, {}, {}, vector_->bias, count_, buffer, y.data());
  kernels_of<Word>().combine(VectorCombine::kAdd, x.data(), y.data(), count_);
}

template <class Arithmetic>
template <class Word>
void VectorLanes<Arithmetic>::load_source(std::uint32_t index, const UnifiedBuffer& buffer,
                                          Word* out) const {
  const VectorSource& source = *vector_->source;
  if (walk_[index]) {
    const auto row = static_cast<std::uint64_t>(*walk_[index]);
    return load_row(source.format, source.window, source.quantization, row, count_, buffer, out);
  }
  Word pad{};
  if (source.format == RowFormat::kNarrow) {
    const auto element = Arithmetic::from_bits(source.rows.pad);
    load_narrow(reinterpret_cast<const std::byte*>(&element), source.quantization, &pad, 1);
  }
  std::fill_n(out, count_, pad);
}

template <class Arithmetic>
template <class Word>
void VectorLanes<Arithmetic>::load_row(RowFormat format, const LaneWindow& window,
                                       Quantization quantization, std::uint64_t row,
                                       std::uint32_t count, const UnifiedBuffer& buffer,
                                       Word* out) const {
  if (format == RowFormat::kWide) {
    const auto rows = buffer.rows_from(row, config_.result_row_rows());
    std::memcpy(out, rows.data(), count * sizeof(Word));
    return;
  }
  const std::size_t size = element_bytes(config_.dtype);
  for_each_piece(window, count, config_.array_rows, [&](const LanePiece& piece) {
    const std::byte* from = buffer.row(row + piece.row_offset).data() + piece.element * size;
    load_narrow(from, quantization, out + piece.lane, piece.count);
  });
}

template <class Arithmetic>
template <class Word>
void VectorLanes<Arithmetic>::load_narrow(const std::byte* from,
                                          [[maybe_unused]] Quantization quantization, Word* out,
                                          std::size_t count) const {
  if constexpr (Arithmetic::kType == ElementType::kBf16) {
    kernels_.load_bf16(from, out, count);
  } else if constexpr (Arithmetic::kType == ElementType::kFp16) {
    kernels_.load_fp16(from, out, count);
  } else if constexpr (std::is_same_v<Word, float>) {
    kernels_.load_quantized(from, quantization, out, count);
  } else {
    kernels_.load_int8(from, out, count);
  }
}

template <class Arithmetic>
template <class Word>
void VectorLanes<Arithmetic>::reduce(Word* x) const {
  if (vector_->reduce == VectorReduce::kNone) return;
  const WordKernels<Word>& kernels = kernels_of<Word>();
  const bool sums = vector_->reduce == VectorReduce::kSum;
  const Word result = sums ? kernels.sum(x, count_) : kernels.max(x, count_);
  std::fill_n(x, results_, result);
}

template <class Arithmetic>
template <class Word>
std::span<const std::byte> VectorLanes<Arithmetic>::encode(const Word* x) {
  const std::size_t size = lane_bytes(vector_->format, config_);
  const std::size_t computed = results_ * size;
  const std::size_t written = written_lanes(*vector_, config_) * size;
  if (vector_->format == RowFormat::kNarrow) {
    store_narrow(x);
  } else if constexpr (std::is_same_v<Word, float>) {
    kernels_.store_float32(x, encoded_.data(), results_);
  } else {
    std::memcpy(encoded_.data(), x, computed);
  }
  if (written > computed) std::memset(encoded_.data() + computed, 0, written - computed);
  return std::span(encoded_).first(written);
}

template <class Arithmetic>
template <class Word>
void VectorLanes<Arithmetic>::store_narrow(const Word* x) {
  if constexpr (Arithmetic::kType == ElementType::kBf16) {
    kernels_.store_bf16(x, encoded_.data(), results_);
  } else if constexpr (Arithmetic::kType == ElementType::kFp16) {
    kernels_.store_fp16(x, encoded_.data(), results_);
  } else if constexpr (std::is_same_v<Word, float>) {
    kernels_.store_quantized(x, vector_->quantization, encoded_.data(), results_);
  } else {
    kernels_.store_int8(x, encoded_.data(), results_);
  }
}

void write_vector_row(const Vector& vector, std::uint32_t index, std::span<const std::byte> lanes,
                      const MachineConfig& config, UnifiedBuffer& buffer) {
  if (vector.format == RowFormat::kWide) {
    const std::uint32_t width = config.result_row_rows();
    const auto rows = buffer.rows_from(vector.ub + std::uint64_t{index} * width, width);
    std::ranges::copy(lanes, rows.begin());
    return;
  }
  const std::size_t size = element_bytes(config.dtype);
  const auto count = static_cast<std::uint32_t>(lanes.size() / size);
  for_each_piece(vector.window, count, config.array_rows, [&](const LanePiece& piece) {
    const auto row = buffer.row(std::uint64_t{vector.ub} + index + piece.row_offset);
    std::memcpy(row.data() + piece.element * size, lanes.data() + piece.lane * size,
                piece.count * size);
  });
}

template class VectorLanes<Int8Arithmetic>;
template class VectorLanes<Bf16Arithmetic>;
template class VectorLanes<Fp16Arithmetic>;

}  // namespace weft
