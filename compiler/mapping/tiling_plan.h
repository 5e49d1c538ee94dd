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

#include <cstdint>

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

/// The order in which the instructions walk the folds.
enum class LoopOrder : std::uint8_t {
  kChunkOutermost,  // for chunk, for n tile, for k tile: tiles are fetched anew for each chunk
  kChunkInnermost,  // k_tiles == 1: for n tile, for chunk: each tile is fetched once and kept
};

struct TilingPlan {
  MatmulSpec spec;
  std::uint64_t k_tiles = 0;
  std::uint64_t n_tiles = 0;
  std::uint64_t m_chunks = 0;
  std::uint32_t chunk_rows = 0;  // rows of every chunk but the last, shorter one
  std::uint64_t folds = 0;       // tiles swapped in
  LoopOrder order = LoopOrder::kChunkOutermost;

  // Buffers. From row 0 on the UB holds three of them:
  //
  //   | activation slots           | bias slots      | output slots                  | unused |
  //     chunk_rows UB rows each      rr rows each      chunk_rows * rr rows each
  //
  // with rr = MachineConfig::result_row_rows(). Each is a ring: use i takes slot i % slots.
  std::uint32_t accumulator_regions = 0;  // ring of chunk_rows accumulator rows each
  // kChunkOutermost: the k slices of a chunk are loaded once and stay for all n tiles. The slots
  // hold one or more sets of k_tiles slices. kChunkInnermost: all chunks are loaded once and stay.
  // Not resident: every matmul has its own load, in a ring.
  bool activations_resident = false;
  std::uint32_t activation_slots = 0;  // slices of chunk_rows rows
  std::uint32_t bias_slots = 0;        // n_tiles: loaded once, all of it stays; 0: no bias
  std::uint32_t output_slots = 0;      // results of one region each, waiting for their store

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
  /// Uses of accumulator regions: each has one vector and one store instruction.
  std::uint64_t region_uses() const { return m_chunks * n_tiles; }
  std::uint64_t matmuls() const { return region_uses() * k_tiles; }
  friend bool operator==(const TilingPlan&, const TilingPlan&) = default;
};

/// True if the unified buffer holds a row of activations, a row of results, and one of bias if
/// there is one: the least that plan_matmul() needs.
bool fits_unified_buffer(const MatmulSpec& spec, const MachineConfig& config);

/// Cuts the matmul for the machine so that the array waits as little as possible. `config` has
/// passed validate(). Throws InputError for zero or overflowing sizes, ConfigError if the unified
/// buffer cannot hold even one row of activations, bias and results.
TilingPlan plan_matmul(const MatmulSpec& spec, const MachineConfig& config);

}  // namespace weft
