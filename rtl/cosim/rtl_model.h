// One array of the RTL, compiled into a library that the program loads. Verilator fixes the
// parameters of a model when it compiles it, so there is a library for each size, element type and
// number of accumulator rows. This header is the whole interface between program and library.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "sim/array/datapath.h"

namespace weft {

template <class Arithmetic>
using MakeDatapath = std::unique_ptr<Datapath<Arithmetic>> (*)();

/// What a library exports as `weft_rtl_model`.
struct RtlModel {
  const char* interface = nullptr;  // WEFT_RTL_INTERFACE of the build that compiled it
  std::variant<MakeDatapath<Int8Arithmetic>, MakeDatapath<Bf16Arithmetic>,
               MakeDatapath<Fp16Arithmetic>>
      make;  // the alternative tells the element type
};

inline constexpr const char* kRtlModelSymbol = "weft_rtl_model";

}  // namespace weft
