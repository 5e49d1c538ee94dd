#include "rtl/cosim/pe_probe.h"

#include <fmt/format.h>
#include <verilated.h>
#include <verilated_sym_props.h>

#include <cstring>
#include <stdexcept>

namespace weft {

PeProbe::PeProbe(const VerilatedContext& context, const std::string& model_name, std::uint32_t rows,
                 std::uint32_t cols)
    : cols_(cols) {
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < cols; ++c) {
      const std::string scope =
          fmt::format("{}.matmul_datapath.u_mxu.gen_row[{}].gen_col[{}].gen_pe.u_pe.u_registers",
                      model_name, r, c);
      const auto reg = [&](const char* name) { return find(context, scope, name); };
      pes_.push_back({.act = reg("act_q"),
                      .swap = reg("swap_q"),
                      .push = reg("push_q"),
                      .weight_active = reg("weight_active_q"),
                      .weight_shadow = reg("weight_shadow_q"),
                      .weight_out = reg("weight_out_q"),
                      .psum = reg("psum_q")});
    }
  }
}

PeProbe::Register PeProbe::find(const VerilatedContext& context, const std::string& scope,
                                const char* name) {
  const VerilatedScope* found = context.scopeFind(scope.c_str());
  const VerilatedVar* var = found != nullptr ? found->varFind(name) : nullptr;
  if (var == nullptr || var->entSize() > sizeof(std::uint32_t)) {
    throw std::logic_error(fmt::format("the RTL has no register {}.{}", scope, name));
  }
  return {var->datap(), var->entSize()};
}

std::uint32_t PeProbe::Register::read() const {
  std::uint32_t value = 0;
  std::memcpy(&value, data, bytes);
  return value;
}

PeBits PeProbe::read(std::uint32_t row, std::uint32_t col) const {
  const ProbedPe& pe = pes_[std::size_t{row} * cols_ + col];
  return {.act = pe.act.read(),
          .weight_active = pe.weight_active.read(),
          .weight_shadow = pe.weight_shadow.read(),
          .weight_out = pe.weight_out.read(),
          .psum = pe.psum.read(),
          .push = pe.push.read() != 0,
          .swap = pe.swap.read() != 0};
}

}  // namespace weft
