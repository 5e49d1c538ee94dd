// One array out of the RTL, as a library that the program loads. Verilator fixes the parameters of
// a model when it compiles it, so there is a library for each size, element type and number of
// accumulator rows. This header is all that program and library share.
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
  const char* interface = nullptr;  // kRtlInterface of whoever compiled it
  std::variant<MakeDatapath<Int8Arithmetic>, MakeDatapath<Bf16Arithmetic>,
               MakeDatapath<Fp16Arithmetic>>
      make;  // which one is the element type
};

inline constexpr const char* kRtlModelSymbol = "weft_rtl_model";

}  // namespace weft
