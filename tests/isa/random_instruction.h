// Random instructions that use each operand's whole range, for round-trip tests.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <variant>

#include "sim/isa/program.h"

namespace weft::testing_support {

class RandomInstructions {
 public:
  explicit RandomInstructions(std::uint64_t seed) : random_(seed) {}

  /// Returns an instruction of opcode `opcode`.
  Instruction next(Opcode opcode) {
    Instruction instruction;
    switch (opcode) {
      case Opcode::kLoad:
        instruction.operation = load();
        break;
      case Opcode::kFetch:
        instruction.operation = fetch();
        break;
      case Opcode::kMatmul:
        instruction.operation = matmul();
        break;
      case Opcode::kVector:
        instruction.operation = vector();
        break;
      case Opcode::kStore:
        instruction.operation = Store{word(), number(), word()};
        break;
    }
    for (std::uint32_t& count : instruction.after.count) count = chance(3) ? word() : 0;
    return instruction;
  }

  Instruction next() { return next(static_cast<Opcode>(random_() % kOpcodeCount)); }

  bool chance(unsigned one_in) { return random_() % one_in == 0; }

 private:
  /// Returns small, large and extreme values.
  std::uint64_t number() { return random_() >> random_() % 64; }
  std::uint32_t word() { return static_cast<std::uint32_t>(number()); }
  std::int32_t signed_word() { return static_cast<std::int32_t>(word()); }

  template <class E>
  E one_of(std::uint64_t count) {
    return static_cast<E>(random_() % count);
  }
  RowFormat format() { return one_of<RowFormat>(2); }
  LaneWindow window() { return chance(2) ? LaneWindow{word(), word()} : LaneWindow{}; }
  Quantization quantization() {
    return chance(2) ? Quantization{word(), signed_word()} : Quantization{};
  }

  Load load() {
    Load load{number(), word(), word()};
    const auto axis = [this] { return PatchAxis{signed_word(), word(), word(), word(), word()}; };
    if (chance(2)) {
      load.patches = Patches{
          word(), word(), axis(), axis(), word(), number(), static_cast<std::uint16_t>(number())};
    }
    return load;
  }

  Fetch fetch() {
    if (chance(2)) return {number(), std::nullopt};
    return {0, BufferTile{word(), word(), word(), window(), chance(2), chance(2) ? word() : 0}};
  }

  RowGenerator generator(std::uint32_t rows) {
    RowGenerator generator;
    generator.base = word();
    if (chance(3)) {
      generator.loops[0] = {rows, 1};
    } else {
      for (RowLoop& loop : generator.loops) {
        if (!chance(3)) loop = {word(), signed_word()};
      }
    }
    for (RowBound& bound : generator.bounds) {
      if (chance(2)) bound = {signed_word(), signed_word(), word()};
    }
    generator.pad = static_cast<std::uint16_t>(number());
    return generator;
  }

  Matmul matmul() {
    Matmul matmul;
    matmul.rows = word();
    matmul.ub = generator(matmul.rows);
    matmul.acc = word();
    matmul.accumulate = chance(2);
    matmul.next_weights = chance(2);
    return matmul;
  }

  Vector vector() {
    Vector vector;
    vector.op = one_of<VectorOp>(kVectorOpCount);
    vector.combine = one_of<VectorCombine>(9);
    vector.reduce = one_of<VectorReduce>(3);
    vector.mode = one_of<VectorMode>(3);
    vector.domain = one_of<VectorDomain>(2);
    vector.ub = word();
    vector.rows = word();
    if (chance(2)) {
      vector.source = VectorSource{generator(vector.rows), format(), window(), quantization()};
    } else {
      vector.acc = word();
    }
    if (chance(2)) {
      vector.operand =
          VectorOperand{word(), chance(2) ? word() : 0, format(), window(), quantization()};
    }
    vector.format = format();
    vector.window = window();
    vector.quantization = quantization();
    vector.lanes = chance(2) ? word() : 0;
    vector.fill = chance(2);
    vector.has_bias = chance(2);
    if (vector.has_bias) vector.bias = word();
    vector.low = chance(2) ? word() : 0;
    vector.high = chance(2) ? word() : 0;
    return vector;
  }

  std::mt19937_64 random_;
};

/// Counts which parts and names occur in instructions, so that a random test can prove that it
/// covers all.
class VarietyCount {
 public:
  void add(const Instruction& instruction) {
    ++hits_[instruction.opcode() == Opcode::kVector ? "vector" : "other"];
    if (const auto* fetch = std::get_if<Fetch>(&instruction.operation)) add(*fetch);
    if (const auto* vector = std::get_if<Vector>(&instruction.operation)) add(*vector);
  }

  /// Returns how many different parts and names occurred. Besides the ops, there are 9 combines, 3
  /// reductions, 3 modes, 2 domains, and 2 formats each for source, operand and result. Buffer
  /// tile, transpose, source, operand, loops, windows, quantization, lanes and fill occur both with
  /// and without.
  std::size_t kinds() const { return hits_.size(); }
  static constexpr std::size_t kAllKinds = 2 + kVectorOpCount + 9 + 3 + 3 + 2 + 3 * 2 + 14 * 2;

 private:
  template <class E>
  void name(const char* what, E value) {
    ++hits_[what + std::to_string(static_cast<int>(value))];
  }

  void add(const Fetch& fetch) {
    name("buffer", fetch.buffer.has_value());
    if (!fetch.buffer) return;
    name("transpose", fetch.buffer->transpose);
    name("at", fetch.buffer->at != 0);
    name("buffer window", fetch.buffer->window != LaneWindow{});
  }

  void add(const Vector& vector) {
    name("op", vector.op);
    name("combine", vector.combine);
    name("reduce", vector.reduce);
    name("mode", vector.mode);
    name("domain", vector.domain);
    name("format", vector.format);
    name("window", vector.window != LaneWindow{});
    name("quantization", vector.quantization != Quantization{});
    name("lanes", vector.lanes != 0);
    name("fill", vector.fill);
    name("source", vector.source.has_value());
    name("operand", vector.operand.has_value());
    if (vector.source) {
      name("source format", vector.source->format);
      name("source window", vector.source->window != LaneWindow{});
      name("source loops", vector.source->rows.loops[0].count != vector.rows);
    }
    if (vector.operand) {
      name("operand format", vector.operand->format);
      name("operand quantization", vector.operand->quantization != Quantization{});
      name("operand step", vector.operand->step != 0);
    }
  }

  std::map<std::string, int> hits_;
};

}  // namespace weft::testing_support
