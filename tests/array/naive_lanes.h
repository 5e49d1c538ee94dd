// The vector unit, computed lane by lane from the definitions alone. It computes the address of
// each lane separately. It does each binary32 operation in binary64 and rounds the result, which
// gives the same bits because binary64 has more than twice the digits. It shares only the
// conversions of pe/ with VectorLanes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "pe/arithmetic.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::testing {

/// binary32 arithmetic. NaNs are not made canonical here.
struct NaiveFloat {
  static float rounded(double value) { return static_cast<float>(value); }
  static double wide(float value) { return static_cast<double>(value); }

  static float larger(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::nanf("");
    if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? -0.0F : 0.0F;
    return a > b ? a : b;
  }
  static float smaller(float a, float b) { return -larger(-a, -b); }

  static float combine(VectorCombine combine, float x, float y) {
    switch (combine) {
      case VectorCombine::kNone:
        return x;
      case VectorCombine::kAdd:
        return rounded(wide(x) + wide(y));
      case VectorCombine::kSub:
        return rounded(wide(x) - wide(y));
      case VectorCombine::kMul:
        return rounded(wide(x) * wide(y));
      case VectorCombine::kDiv:
        return rounded(wide(x) / wide(y));
      case VectorCombine::kMin:
        return smaller(x, y);
      case VectorCombine::kMax:
        return larger(x, y);
      case VectorCombine::kPow:
        return rounded(std::pow(wide(x), wide(y)));
      case VectorCombine::kPrelu:
        return x < 0 ? rounded(wide(x) * wide(y)) : x;
    }
    return x;
  }

  static float hard_sigmoid(float x, float alpha, float beta) {
    const float line = rounded(wide(rounded(wide(alpha) * wide(x))) + wide(beta));
    return larger(0, smaller(1, line));
  }

  static float exponential(VectorOp op, double x, double alpha, double gamma) {
    const double step = alpha * std::expm1(x);
    return rounded(op == VectorOp::kElu ? step : gamma * step);
  }

  static float apply(const Vector& vector, float x) {
    const auto low = std::bit_cast<float>(vector.low);
    const auto high = std::bit_cast<float>(vector.high);
    const double w = wide(x);
    switch (vector.op) {
      case VectorOp::kCopy:
        return x;
      case VectorOp::kRelu:
        return x <= 0 ? 0.0F : x;
      case VectorOp::kClamp:
        return std::isnan(x) ? x : x <= low ? low : x > high ? high : x;
      case VectorOp::kLeakyRelu:
        return x < 0 ? rounded(w * wide(low)) : x;
      case VectorOp::kElu:
        return x < 0 ? exponential(vector.op, w, wide(low), 1) : x;
      case VectorOp::kSelu:
        return x <= 0 ? exponential(vector.op, w, wide(low), wide(high)) : rounded(wide(high) * w);
      case VectorOp::kSigmoid:
        return rounded(1 / (1 + std::exp(-w)));
      case VectorOp::kHardSigmoid:
        return hard_sigmoid(x, low, high);
      case VectorOp::kHardSwish:
        return rounded(w * wide(hard_sigmoid(x, 1.0F / 6, 0.5F)));
      case VectorOp::kTanh:
        return rounded(std::tanh(w));
      case VectorOp::kErf:
        return rounded(std::erf(w));
      case VectorOp::kSoftplus:
        return rounded(w > 0 ? w + std::log1p(std::exp(-w)) : std::log1p(std::exp(w)));
      case VectorOp::kSqrt:
        return rounded(std::sqrt(w));
      case VectorOp::kExp:
        return rounded(std::exp(w));
      case VectorOp::kLog:
        return rounded(std::log(w));
      case VectorOp::kNeg:
        return -x;
      case VectorOp::kAbs:
        return std::fabs(x);
      case VectorOp::kReciprocal:
        return rounded(1 / w);
    }
    return x;
  }
};

/// 32-bit integer arithmetic that wraps, computed in 64 bits.
struct NaiveInt {
  static std::int32_t wrapped(std::int64_t value) { return static_cast<std::int32_t>(value); }

  static std::int32_t combine(VectorCombine combine, std::int64_t x, std::int64_t y) {
    switch (combine) {
      case VectorCombine::kAdd:
        return wrapped(x + y);
      case VectorCombine::kSub:
        return wrapped(x - y);
      case VectorCombine::kMul:
        return wrapped(x * y);
      case VectorCombine::kMin:
        return wrapped(std::min(x, y));
      case VectorCombine::kMax:
        return wrapped(std::max(x, y));
      default:
        return wrapped(x);
    }
  }

  static std::int32_t apply(const Vector& vector, std::int64_t x) {
    switch (vector.op) {
      case VectorOp::kRelu:
        return wrapped(std::max<std::int64_t>(x, 0));
      case VectorOp::kClamp:
        return wrapped(std::clamp<std::int64_t>(x, wrapped(vector.low), wrapped(vector.high)));
      case VectorOp::kNeg:
        return wrapped(-x);
      case VectorOp::kAbs:
        return wrapped(x < 0 ? -x : x);
      default:
        return wrapped(x);
    }
  }
};

/// Buffer and accumulators as plain memory, and the effect of a vector instruction on them.
template <class Arithmetic>
class NaiveLanes {
 public:
  explicit NaiveLanes(const MachineConfig& config)
      : buffer(config.unified_buffer_rows() * config.row_bytes()),
        sums(std::size_t{config.accumulator_rows} * config.array_cols),
        config_(config),
        row_bytes_(config.row_bytes()) {}

  std::vector<std::byte> buffer;
  std::vector<std::uint32_t> sums;  // bit patterns, C per row

  void execute(const Vector& vector) {
    for (std::uint32_t row = 0; row < vector.rows; ++row) {
      if constexpr (Arithmetic::kType == ElementType::kInt8) {
        if (vector.domain != VectorDomain::kFloat) {
          execute_row<std::int32_t, NaiveInt>(vector, row);
          continue;
        }
      }
      execute_row<float, NaiveFloat>(vector, row);
    }
  }

 private:
  std::uint32_t lanes(const Vector& vector) const {
    return vector.lanes == 0 ? config_.array_cols : vector.lanes;
  }

  std::size_t place(RowFormat format, const LaneWindow& window, std::uint64_t row,
                    std::uint32_t lane) const {
    if (format == RowFormat::kWide) return row * row_bytes_ + std::size_t{lane} * 4;
    const std::uint64_t column = std::uint64_t{window.column} + lane;
    const std::uint64_t r = row + column / config_.array_rows * window.plane;
    return r * row_bytes_ + column % config_.array_rows * element_bytes(config_.dtype);
  }

  template <class T>
  T read(std::size_t at) const {
    T value;
    std::memcpy(&value, &buffer.at(at + sizeof(T) - 1) - (sizeof(T) - 1), sizeof(T));
    return value;
  }
  template <class T>
  void write(std::size_t at, T value) {
    std::memcpy(&buffer.at(at + sizeof(T) - 1) - (sizeof(T) - 1), &value, sizeof(T));
  }

  template <class Word>
  static Word decoded(typename Arithmetic::Element element, const Quantization& quantization) {
    if constexpr (Arithmetic::kType != ElementType::kInt8) {
      return Arithmetic::widen(element);
    } else if constexpr (std::is_same_v<Word, float>) {
      const double scale = static_cast<double>(std::bit_cast<float>(quantization.scale));
      return static_cast<float>((element - quantization.zero) * scale);
    } else {
      return element;
    }
  }

  template <class Word>
  Word load(RowFormat format, const LaneWindow& window, const Quantization& quantization,
            std::uint64_t row, std::uint32_t lane) const {
    const std::size_t at = place(format, window, row, lane);
    if (format == RowFormat::kWide) return read<Word>(at);
    return decoded<Word>(read<typename Arithmetic::Element>(at), quantization);
  }

  std::optional<std::int64_t> source_row(const Vector& vector, std::uint32_t row) const {
    std::optional<std::int64_t> found;
    const RowGenerator& walk = vector.source->rows;
    std::int64_t at = walk.base;
    std::uint32_t rest = row;
    bool inside = true;
    for (std::size_t j = 0; j < walk.loops.size(); ++j) {
      const std::int64_t index = rest % walk.loops[j].count;
      rest /= walk.loops[j].count;
      at += index * walk.loops[j].stride;
      if (j >= walk.bounds.size() || walk.bounds[j].limit == 0) continue;
      const std::int64_t coordinate = walk.bounds[j].origin + index * walk.bounds[j].step;
      inside = inside && coordinate >= 0 && coordinate < std::int64_t{walk.bounds[j].limit};
    }
    if (inside) found = at;
    return found;
  }

  template <class Word>
  Word first(const Vector& vector, std::uint32_t row, std::uint32_t lane) const {
    if (vector.source) {
      const VectorSource& source = *vector.source;
      if (const auto at = source_row(vector, row)) {
        return load<Word>(source.format, source.window, source.quantization,
                          static_cast<std::uint64_t>(*at), lane);
      }
      if (source.format == RowFormat::kWide) return Word{};
      return decoded<Word>(Arithmetic::from_bits(source.rows.pad), source.quantization);
    }
    const std::uint32_t bits = sums[std::size_t{vector.acc + row} * config_.array_cols + lane];
    return std::bit_cast<Word>(bits);
  }

  /// In int8, the array's sums stay int32 until the bias is added.
  template <class Word, class Naive>
  Word first_with_bias(const Vector& vector, std::uint32_t row, std::uint32_t lane) const {
    if constexpr (Arithmetic::kType == ElementType::kInt8 && std::is_same_v<Word, float>) {
      if (!vector.source) {
        return static_cast<float>(first_with_bias<std::int32_t, NaiveInt>(vector, row, lane));
      }
    }
    const Word x = first<Word>(vector, row, lane);
    if (!vector.has_bias) return x;
    const Word bias = load<Word>(RowFormat::kWide, {}, {}, vector.bias, lane);
    return Naive::combine(VectorCombine::kAdd, x, bias);
  }

  template <class Word, class Naive>
  Word lane_value(const Vector& vector, std::uint32_t row, std::uint32_t lane) const {
    Word x = first_with_bias<Word, Naive>(vector, row, lane);
    if (vector.operand) {
      const VectorOperand& b = *vector.operand;
      const Word y =
          load<Word>(b.format, b.window, b.quantization, b.row + std::uint64_t{row} * b.step, lane);
      x = Naive::combine(vector.combine, x, y);
    }
    return Naive::apply(vector, x);
  }

  template <class Word, class Naive>
  static void reduce(const Vector& vector, std::size_t columns, std::vector<Word>& lanes) {
    if (vector.reduce == VectorReduce::kNone) return;
    const auto combine =
        vector.reduce == VectorReduce::kSum ? VectorCombine::kAdd : VectorCombine::kMax;
    std::vector<Word> level = lanes;
    while (level.size() > 1) {
      std::vector<Word> next;
      for (std::size_t i = 0; i < level.size(); i += 2) {
        const bool pair = i + 1 < level.size();
        next.push_back(pair ? Naive::combine(combine, level[i], level[i + 1]) : level[i]);
      }
      level = next;
    }
    lanes.assign(columns, level.at(0));
  }

  template <class Word, class Naive>
  void execute_row(const Vector& vector, std::uint32_t row) {
    std::vector<Word> values;
    for (std::uint32_t c = 0; c < lanes(vector); ++c) {
      values.push_back(lane_value<Word, Naive>(vector, row, c));
    }
    reduce<Word, Naive>(vector, config_.array_cols, values);
    const bool wide = vector.format == RowFormat::kWide;
    const std::uint64_t to =
        vector.ub + std::uint64_t{row} * (wide ? config_.result_row_rows() : 1U);
    for (std::uint32_t c = 0; c < values.size(); ++c) {
      Word value = values[c];
      if (vector.mode != VectorMode::kOverwrite) {
        const Word old = load<Word>(vector.format, vector.window, vector.quantization, to, c);
        const bool adds = vector.mode == VectorMode::kAdd;
        value = Naive::combine(adds ? VectorCombine::kAdd : VectorCombine::kMax, value, old);
      }
      store(vector, place(vector.format, vector.window, to, c), value);
    }
    if (!vector.fill) return;
    for (auto c = static_cast<std::uint32_t>(values.size()); c < config_.array_cols; ++c) {
      const std::size_t at = place(vector.format, vector.window, to, c);
      wide ? write(at, std::uint32_t{0}) : write(at, typename Arithmetic::Element{});
    }
  }

  void store(const Vector& vector, std::size_t at, std::int32_t value) {
    if (vector.format == RowFormat::kWide) return write(at, value);
    write(at, static_cast<std::int8_t>(std::clamp(value, -128, 127)));
  }

  void store(const Vector& vector, std::size_t at, float value) {
    if (vector.format == RowFormat::kWide) return write(at, canonical(value));
    if constexpr (Arithmetic::kType == ElementType::kBf16) {
      write(at, to_bf16(value));
    } else if constexpr (Arithmetic::kType == ElementType::kFp16) {
      write(at, to_fp16(value));
    } else {
      write(at, quantized(vector.quantization, value));
    }
  }

  static std::int8_t quantized(const Quantization& quantization, float value) {
    const auto scale = static_cast<double>(std::bit_cast<float>(quantization.scale));
    const auto quotient = static_cast<float>(static_cast<double>(value) / scale);
    if (std::isnan(quotient)) return static_cast<std::int8_t>(quantization.zero);
    const double real = std::nearbyint(static_cast<double>(quotient)) + quantization.zero;
    return static_cast<std::int8_t>(std::clamp(real, -128.0, 127.0));
  }

  const MachineConfig config_;
  const std::size_t row_bytes_;
};

}  // namespace weft::testing
