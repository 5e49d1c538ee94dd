// Reads the registers of each PE inside a Verilated array. The constructor finds them by their
// names in the RTL's hierarchy, which rtl/verilator.vlt keeps public.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

class VerilatedContext;

namespace weft {

/// The raw bits of the registers of pe_registers.sv, zero-extended.
struct PeBits {
  std::uint32_t act = 0;
  std::uint32_t weight_active = 0;
  std::uint32_t weight_shadow = 0;
  std::uint32_t weight_out = 0;
  std::uint32_t psum = 0;
  bool push = false;
  bool swap = false;
};

class PeProbe {
 public:
  /// Probes a `rows` x `cols` matmul_datapath that lives in `context` under `model_name`. Throws
  /// std::logic_error if the hierarchy lacks one of the registers.
  PeProbe(const VerilatedContext& context, const std::string& model_name, std::uint32_t rows,
          std::uint32_t cols);

  PeBits read(std::uint32_t row, std::uint32_t col) const;

 private:
  // A register of 1 to 32 bits; Verilator stores it in 1, 2 or 4 bytes.
  struct Register {
    const void* data = nullptr;
    std::size_t bytes = 0;
    std::uint32_t read() const;
  };
  struct ProbedPe {
    Register act, swap, push, weight_active, weight_shadow, weight_out, psum;
  };

  static Register find(const VerilatedContext& context, const std::string& scope, const char* name);

  std::uint32_t cols_;
  std::vector<ProbedPe> pes_;
};

}  // namespace weft
