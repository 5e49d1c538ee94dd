// SCALE-Sim's cycles in closed form. A layer is a product [M,K] x [K,N], and its folds run one
// after the other: the stationary operand is loaded, the other streams, the array drains.
//
//   ws   F (2R + C + M - 2)   F = ceil(K/R) ceil(N/C)   R pushes, M rows, R + C - 2 to drain
//   is   F (2R + C + N - 2)   F = ceil(K/R) ceil(M/C)   the same with the operands exchanged
//   os   F (K + R + C - 2)    F = ceil(M/R) ceil(N/C)   sums stay, both operands stream
//
// Source: A. Samajdar et al., "A Systematic Methodology for Characterizing Scalability of DNN
// Accelerators using SCALE-Sim", ISPASS 2020, and github.com/scalesim-project. The tool prints one
// cycle less a layer, the number of its last cycle (its issue 125).
#pragma once

#include <cstdint>

#include "models/imports/scalesim_config.h"
#include "models/imports/scalesim_topology.h"
#include "sim/isa/program.h"

namespace weft::runtime {

/// Words that pass between the array and SRAM, or between SRAM and DRAM.
struct OperandWords {
  std::uint64_t ifmap = 0;
  std::uint64_t filter = 0;
  std::uint64_t ofmap = 0;
  friend bool operator==(const OperandWords&, const OperandWords&) = default;
};

struct SerialLaw {
  std::uint64_t folds = 0;
  std::uint64_t fold_cycles = 0;
  std::uint64_t macs = 0;  // M K N
  /// Share of the array's PEs that a fold uses, the mean of all folds.
  double mapping_efficiency = 0;

  std::uint64_t cycles() const { return folds * fold_cycles; }
};

/// Throws InputError if a count exceeds 64 bits.
SerialLaw serial_law(const MatmulSpec& product, const imports::ScaleSimConfig& config);

/// Cycles that SCALE-Sim's "Compute Util" takes for a fold. For ws and is it adds C - 1 to the
/// fold's cycles, as if each column of the drain came one cycle later once more.
std::uint64_t printed_fold_cycles(const SerialLaw& law, const imports::ScaleSimConfig& config);

/// Words that the array asks of its SRAMs. Each fold reads what it loads and streams, and writes
/// its sums; with ws and is, all ceil(K/R) partial sums of an output are written. Throws InputError
/// if a count exceeds 64 bits.
OperandWords sram_words(const MatmulSpec& product, const imports::ScaleSimConfig& config);

/// Words that come from and go to DRAM. An operand whose different words fit half its SRAM (the
/// other half is being filled) comes once. Else each read of the SRAM comes from DRAM. Each word
/// that the array writes goes to DRAM.
OperandWords dram_words(const imports::ScaleSimLayer& layer, const imports::ScaleSimConfig& config);

/// The layer's product.
MatmulSpec product_of(const imports::ScaleSimLayer& layer);

}  // namespace weft::runtime
