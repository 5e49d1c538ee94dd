// How a matmul is cut to fit the machine. `weft explain` prints this plan, and lowering makes the
// program from it.
//
//            K                     N                         N
//        +---+---+--+          +---+---+-+               +---+---+-+
//      M |chunk 0   |   x   K  |0,0|0,1| |   ->  results |chunk 0  |
//        +---+---+--+          +---+---+-+               +---+---+-+
//        |chunk 1   |          |1,0|1,1| |               |chunk 1  |
//        +---+---+--+          +---+---+-+               +---+---+-+
//     rows of one matmul       tiles of R x C, the last
//     instruction              ones padded
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/program/mapping.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft {

struct MacCount {
  std::uint64_t useful = 0;    // M*K*N
  std::uint64_t issued = 0;    // M*Kp*Np = useful + padded_k + padded_n
  std::uint64_t padded_k = 0;  // M*(Kp-K)*Np
  std::uint64_t padded_n = 0;  // M*K*(Np-N)
  friend bool operator==(const MacCount&, const MacCount&) = default;
};

/// The predicted array_span as terms; formula_cycles() is their sum.
struct FormulaTerms {
  std::uint64_t weight_load = 0;  // R: the first tile's pushes
  std::uint64_t steps = 0;        // between first activation rows of consecutive folds
  std::uint64_t last_fold = 0;    // M + R+C-2: the last fold streams and drains

  std::uint64_t cycles() const { return weight_load + steps + last_fold; }
  friend bool operator==(const FormulaTerms&, const FormulaTerms&) = default;
};

/// A mapping of one product, with its counts and its closed formula.
struct TilingPlan : Mapping {
  TilingPlan() { transfers = Transfers::kRings; }

  MatmulSpec spec;
  std::uint64_t k_tiles = 0;
  std::uint64_t n_tiles = 0;
  std::uint64_t m_chunks = 0;
  std::uint64_t folds = 0;  // tiles swapped in

  std::uint64_t padded_m = 0;  // M: rows are streamed, never padded
  std::uint64_t padded_k = 0;
  std::uint64_t padded_n = 0;
  MacCount macs;
  FormulaTerms formula;

  std::uint64_t formula_cycles() const { return formula.cycles(); }
  /// 1 - useful/issued.
  double padding_waste() const;
  /// Rows of chunk `chunk`: chunk_rows, or fewer for the last chunk.
  std::uint32_t rows_of_chunk(std::uint64_t chunk) const;
  /// Uses of accumulator regions: each has one vector instruction.
  std::uint64_t region_uses() const { return m_chunks * n_tiles; }
  /// One for each use, or for each row of the last column tile (Mapping::stores_by_row).
  std::uint64_t stores() const {
    return stores_by_row ? m_chunks * (n_tiles - 1) + spec.m : region_uses();
  }
  std::uint64_t matmuls() const { return region_uses() * k_tiles; }
  friend bool operator==(const TilingPlan&, const TilingPlan&) = default;
};

/// True if the unified buffer holds a row of activations, a row of results, and one of bias if
/// there is one: the least that plan_matmul() needs.
bool fits_unified_buffer(const MatmulSpec& spec, const MachineConfig& config);

/// Ways to cut the matmul for the machine: the one with which, by the closed estimate, the array
/// waits least, then the others by ascending estimate; `most` (at least 1) in all. `config` has
/// passed validate(). Throws InputError for zero or overflowing sizes, ConfigError if the unified
/// buffer cannot hold even one row of activations, bias and results.
std::vector<TilingPlan> matmul_plans(const MatmulSpec& spec, const MachineConfig& config,
                                     std::size_t most);

/// Ways with equal chunks of M, by ascending estimate. The sizes of the chunks depend on M alone,
/// so that a machine has all those of one with less of something. Throws like matmul_plans().
std::vector<TilingPlan> plans_of_equal_chunks(const MatmulSpec& spec, const MachineConfig& config);

/// All ways with chunks of `chunk_rows` rows, 1 to largest_chunk(). Throws like matmul_plans().
std::vector<TilingPlan> plans_with_chunks(const MatmulSpec& spec, const MachineConfig& config,
                                          std::uint32_t chunk_rows);

/// The first of matmul_plans().
TilingPlan plan_matmul(const MatmulSpec& spec, const MachineConfig& config);

/// The plan of `mapping`, which was chosen for this product and machine.
TilingPlan plan_of(const Mapping& mapping, const MatmulSpec& spec, const MachineConfig& config);

}  // namespace weft
