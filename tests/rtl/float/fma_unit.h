// rtl/fma_binary32.sv, simulated by Verilator.
#pragma once

#include "Vfma_binary32.h"
#include "tests/rtl/float/fma_triple.h"

namespace weft::test {

class FmaUnit {
 public:
  std::uint32_t operator()(FmaTriple t) {
    model_.a_i = t.a;
    model_.b_i = t.b;
    model_.c_i = t.c;
    model_.eval();
    return model_.result_o;
  }

 private:
  VerilatedContext context_;
  Vfma_binary32 model_{&context_};
};

}  // namespace weft::test
