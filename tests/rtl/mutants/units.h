// Units that a mutant may break without an effect on the array, which reaches only few of their
// inputs. Units named in the mutant's patch are Verilated alone; the others are empty.
#pragma once

#include <cstdint>
#include <functional>

namespace weft::testing {

struct AccumulatorInputs {
  bool write = false;
  bool accumulate = false;
  std::uint8_t row = 0;
  std::uint32_t data = 0;
  std::uint8_t read_row = 0;
};

struct AccumulatorOutputs {
  std::uint32_t write_data = 0;
  std::uint32_t read_data = 0;
  friend bool operator==(const AccumulatorOutputs&, const AccumulatorOutputs&) = default;
};

inline constexpr std::uint32_t kAccumulatorRows = 4;  // of one integer column

struct Units {
  std::function<std::uint32_t(std::uint32_t a, std::uint32_t b, std::uint32_t c)> fma;
  std::function<std::uint32_t(std::uint16_t)> widen_bf16;
  std::function<std::uint32_t(std::uint16_t)> widen_fp16;
  /// The PE's sum one cycle after act and psum arrive, with `weight` pushed and swapped in before.
  std::function<std::uint32_t(std::uint8_t act, std::uint8_t weight, std::uint32_t psum)> pe_int8;
  /// Runs one cycle and returns the outputs before the clock edge.
  std::function<AccumulatorOutputs(const AccumulatorInputs&)> accumulator;
};

/// The export `weft_mutant_units` of units.so, generated for each mutant.
struct UnitLibrary {
  const char* interface = nullptr;
  Units (*make)() = nullptr;
};

}  // namespace weft::testing
