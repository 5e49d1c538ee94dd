// Random vector instructions and buffer tiles that are valid on a machine. They use every operator,
// format, window and walk. They read mainly the lower half of the unified buffer and write the
// upper half.
#pragma once

#include <bit>
#include <map>
#include <string>

#include "base/error.h"
#include "sim/isa/check/operand_check.h"
#include "tests/machine/random_program.h"

namespace weft::testing {

/// Returns a small machine of 1 to 9 rows and columns whose buffer has at least 96 rows.
inline MachineConfig small_vector_machine(ElementType dtype, Random& random) {
  MachineConfig config;
  config.dtype = dtype;
  config.array_rows = random.between(1, 9);
  config.array_cols = random.between(1, 9);
  config.accumulator_rows = random.between(6, 12);
  config.unified_buffer_kib = random.between(2, 3);
  config.vector_latency_cycles = random.chance(40) ? 1 : random.between(2, 9);
  return config;
}

class RandomVectors {
 public:
  RandomVectors(const MachineConfig& config, Random& random)
      : config_(config),
        random_(random),
        half_(static_cast<std::uint32_t>(config.unified_buffer_rows() / 2)) {}

  Vector vector() {
    while (true) {
      const Vector candidate = any_vector();
      if (valid([&] { check_vector(candidate, config_); }) && within_halves(candidate)) {
        return candidate;
      }
    }
  }

  BufferTile tile() {
    while (true) {
      BufferTile tile;
      tile.transpose = random_.chance(50);
      tile.at = random_.chance(50) ? 0 : random_.between(0, config_.array_rows - 1);
      const std::uint32_t down = random_.between(1, config_.array_rows - tile.at);
      const std::uint32_t across = random_.between(1, config_.array_cols);
      tile.rows = tile.transpose ? across : down;
      tile.lanes = tile.transpose ? down : across;
      tile.row = random_.between(0, half_);
      tile.window = window(6);
      if (valid([&] { check_buffer_tile(tile, config_); })) return tile;
    }
  }

 private:
  template <class Check>
  static bool valid(Check check) {
    try {
      check();
    } catch (const InputError&) {
      return false;
    }
    return true;
  }

  /// Writes only to the upper half, so that a program's reads and writes often do not overlap.
  bool within_halves(const Vector& vector) const {
    bool inside = true;
    for_each_access(vector, config_, [&](const RowAccess& access) {
      inside &= !access.writes() || access.touch.row >= half_;
    });
    return inside;
  }

  template <class E>
  E one_of(std::size_t count) {
    return static_cast<E>(random_.between(0, static_cast<std::uint32_t>(count) - 1));
  }
  std::uint32_t low_row() { return random_.between(0, half_ - 1); }
  RowFormat format() { return one_of<RowFormat>(2); }
  LaneWindow window(std::uint32_t furthest) {
    if (random_.chance(30)) return {0, random_.between(1, furthest)};
    return {random_.between(0, config_.array_rows - 1), random_.between(1, furthest)};
  }
  LaneWindow window_of(RowFormat format, std::uint32_t furthest) {
    return format == RowFormat::kNarrow ? window(furthest) : LaneWindow{};
  }
  std::uint32_t small_float() {
    const auto eighths = static_cast<float>(random_.between(0, 64)) / 8.0F - 4.0F;
    return std::bit_cast<std::uint32_t>(eighths);
  }
  Quantization quantization(RowFormat format, VectorDomain domain) {
    if (format != RowFormat::kNarrow || config_.dtype != ElementType::kInt8 ||
        domain != VectorDomain::kFloat) {
      return {};
    }
    const float scale = static_cast<float>(random_.between(1, 4000)) / 1024.0F;
    return {std::bit_cast<std::uint32_t>(scale),
            static_cast<std::int32_t>(random_.between(0, 255)) - 128};
  }

  RowGenerator walk(std::uint32_t rows) {
    RowGenerator walk;
    walk.base = low_row();
    walk.loops[0] = {random_.chance(50) ? rows : random_.between(1, 3),
                     static_cast<std::int32_t>(random_.between(0, 8)) - 3};
    walk.loops[1] = {random_.between(1, 4), static_cast<std::int32_t>(random_.between(0, 6)) - 3};
    walk.loops[2] = {random_.between(1, 4), static_cast<std::int32_t>(random_.between(0, 2))};
    for (RowBound& bound : walk.bounds) {
      if (random_.chance(60)) continue;
      bound = {static_cast<std::int32_t>(random_.between(0, 3)) - 2, 1, random_.between(1, 4)};
    }
    return walk;
  }

  VectorSource source(const Vector& vector) {
    VectorSource source;
    source.format = format();
    source.rows = walk(vector.rows);
    source.window = window_of(source.format, 9);
    source.quantization = quantization(source.format, vector.domain);
    if (source.format == RowFormat::kNarrow) {
      const auto bits = static_cast<std::uint16_t>(random_.bits());
      source.rows.pad = element_bytes(config_.dtype) == 1 ? bits & 0xFFU : bits;
    }
    return source;
  }

  VectorOperand operand(const Vector& vector) {
    VectorOperand operand;
    operand.row = low_row();
    operand.step = random_.between(0, 5);
    operand.format = format();
    operand.window = window_of(operand.format, 9);
    operand.quantization = quantization(operand.format, vector.domain);
    return operand;
  }

  Vector any_vector() {
    Vector vector;
    vector.rows = random_.between(1, std::min(6U, config_.accumulator_rows));
    vector.domain = one_of<VectorDomain>(2);
    vector.op = one_of<VectorOp>(kVectorOpCount);
    vector.combine = random_.chance(50) ? one_of<VectorCombine>(9) : VectorCombine::kNone;
    vector.reduce = random_.chance(70) ? VectorReduce::kNone : one_of<VectorReduce>(3);
    vector.mode = random_.chance(50) ? VectorMode::kOverwrite : one_of<VectorMode>(3);
    if (random_.chance(60)) vector.source = source(vector);
    if (!vector.source) {
      vector.acc = random_.between(0, config_.accumulator_rows - vector.rows);
    }
    if (vector.combine != VectorCombine::kNone) vector.operand = operand(vector);
    vector.has_bias = random_.chance(30);
    if (vector.has_bias) vector.bias = low_row();
    vector.format = format();
    vector.window = window_of(vector.format, 9);
    vector.quantization = quantization(vector.format, vector.domain);
    vector.ub = half_ + low_row();
    vector.lanes = random_.chance(50) ? 0 : random_.between(1, config_.array_cols);
    vector.fill = random_.chance(60);
    set_parameters(vector);
    return vector;
  }

  void set_parameters(Vector& vector) {
    const bool integers =
        vector.domain == VectorDomain::kAccumulator && config_.dtype == ElementType::kInt8;
    const VectorOp op = vector.op;
    if (op == VectorOp::kClamp) {
      vector.low = integers ? 0xFFFFFF00U + random_.between(0, 255) : small_float() | 0x80000000U;
      vector.high = integers ? random_.between(0, 100'000) : small_float() & 0x7FFFFFFFU;
    }
    if (op == VectorOp::kLeakyRelu || op == VectorOp::kElu || op == VectorOp::kSelu ||
        op == VectorOp::kHardSigmoid) {
      vector.low = small_float();
    }
    if (op == VectorOp::kSelu || op == VectorOp::kHardSigmoid) vector.high = small_float();
  }

  const MachineConfig& config_;
  Random& random_;
  const std::uint32_t half_;
};

/// Counts the drawn variants, so that a random test can prove that it covers all.
class VectorVariety {
 public:
  void add(const Vector& vector) {
    name("op", vector.op);
    name("combine", vector.combine);
    name("reduce", vector.reduce);
    name("mode", vector.mode);
    name("domain", vector.domain);
    name("format", vector.format);
    name("fill", vector.fill);
    name("lanes", vector.lanes != 0);
    name("bias", vector.has_bias);
    name("source", vector.source ? 1 + static_cast<int>(vector.source->format) : 0);
    name("operand", vector.operand ? 1 + static_cast<int>(vector.operand->format) : 0);
  }

  static constexpr std::size_t kAllKinds = kVectorOpCount + 9 + 3 + 3 + 2 + 2 + 2 + 2 + 2 + 3 + 3;
  const std::map<std::string, int>& hits() const { return hits_; }

 private:
  template <class E>
  void name(const char* what, E value) {
    ++hits_[what + std::string(" ") + std::to_string(static_cast<int>(value))];
  }

  std::map<std::string, int> hits_;
};

}  // namespace weft::testing
