// The arrays that were compiled from RTL into this program. Verilator fixes a model's parameters
// when it compiles it, so there is one for each size and element type that the build was asked for
// (WEFT_RTL_SIZES, WEFT_RTL_TYPES).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "sim/array/datapath.h"
#include "sim/config/machine_config.h"

namespace weft {

template <class Arithmetic>
using MakeDatapath = std::unique_ptr<Datapath<Arithmetic>> (*)();

struct RtlModel {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t accumulator_rows = 0;
  std::variant<MakeDatapath<Int8Arithmetic>, MakeDatapath<Bf16Arithmetic>,
               MakeDatapath<Fp16Arithmetic>>
      make;  // which one is the element type

  ElementType type() const;
};

/// All of them; empty in a build without RTL. The build generates the definition; a program that
/// defines it itself has other models.
std::span<const RtlModel> rtl_models();

/// The model for the array and the accumulators of `config`. Throws ConfigError that lists what is
/// there if none fits.
const RtlModel& find_rtl_model(const MachineConfig& config);

/// A datapath from find_rtl_model(config), fresh from reset. config.dtype is Arithmetic's.
template <class Arithmetic>
std::unique_ptr<Datapath<Arithmetic>> make_rtl_datapath(const MachineConfig& config) {
  return std::get<MakeDatapath<Arithmetic>>(find_rtl_model(config).make)();
}

}  // namespace weft
