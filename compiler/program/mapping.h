// How one layer is cut and ordered. The compiler chooses a mapping; the instructions of the layer
// follow from it and from nothing else that the compiler could choose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

enum class MappedUnit : std::uint8_t { kArray, kVectorUnit };

/// The operand that stays in the array while the other streams through it.
enum class Stationary : std::uint8_t {
  kWeights,        // constants
  kActivations,    // and rows of constants stream: the product is computed transposed
  kFirstOperand,   // A of a product (AB)' = B'A' of two computed operands
  kSecondOperand,  // B of a product AB of two computed operands
};

/// The order in which the instructions walk the folds.
enum class LoopOrder : std::uint8_t {
  kChunkOutermost,  // for chunk, for n tile, for k tile: tiles are fetched anew for each chunk
  kChunkInnermost,  // one fold a column tile: for n tile, for chunk: each tile is fetched once
};

/// How rows get from the host to the array and back.
enum class Transfers : std::uint8_t {
  // Sheets (compiler/rows/view.h): whole in the unified buffer, or block by block through staging.
  kSheets,
  // Rings of slots. Loads run ahead of the array, and stores come after it. Only products whose
  // operands and result lie on the host are mapped this way.
  kRings,
};

/// When the instructions of a product enter the program, in matmuls (compiler/mapping/pacing.h).
struct Pacing {
  // What the rest was chosen for: at most what the machine has, as with fewer tiles and shorter
  // queues the instructions may come in a better order.
  std::uint32_t weight_fifo_tiles = 0;
  std::uint32_t queue_depth = 0;
  std::uint64_t fetch_ahead = 1;  // tiles fetched ahead of the matmul just emitted
  std::uint64_t load_ahead = 1;   // ring loads ahead of the matmul just emitted
  std::uint64_t slot_lag = 1;     // matmuls between a slice's last use and its slot's next load
  std::uint64_t vector_lag = 1;   // matmuls between a region's last matmul and its vector
  std::uint64_t store_lag = 1;    // matmuls between a region's last matmul and its store
  friend bool operator==(const Pacing&, const Pacing&) = default;
};

/// See Mapping::buffered_tiles.
constexpr std::uint32_t kTileShares = 64;

struct Mapping {
  // On the vector unit only transfers, chunk_rows and column_tiles mean something.
  MappedUnit unit = MappedUnit::kArray;
  std::uint32_t array = 0;  // which array of the machine runs it; a machine has one
  Stationary stationary = Stationary::kWeights;
  std::uint32_t packed_taps = 1;  // taps of a window side by side along the array's rows
  Transfers transfers = Transfers::kSheets;
  LoopOrder order = LoopOrder::kChunkOutermost;
  std::uint32_t chunk_rows = 0;           // rows of every chunk but the last, shorter ones
  std::uint32_t accumulator_regions = 0;  // ring of chunk_rows accumulator rows each

  // kSheets: what one step reads and writes at once.
  std::uint32_t column_tiles = 0;  // tiles of C columns of the result, or of C lanes
  std::uint32_t planes = 0;        // planes of the operand: R channels each

  // How many of every kTileShares tiles of constant weights come through the unified buffer. Loads
  // bring the rows of such a tile from host memory, and a fetch takes the tile from the buffer. All
  // other tiles come from weight memory.
  std::uint32_t buffered_tiles = 0;

  // kRings. From row 0 on the UB holds four rings, in which use i takes slot i % slots:
  //
  //   | activation slots     | bias slots   | output slots           | tile slots        | unused |
  //     chunk_rows rows each   rr rows each   chunk_rows * rr each     tile_slot_rows()
  //
  // with rr = MachineConfig::result_row_rows(). Buffered tiles that all have a slot are loaded
  // once.
  //
  // kChunkOutermost: the k slices of a chunk are loaded once and stay for all n tiles. The slots
  // hold one or more sets of k_tiles slices. kChunkInnermost: all chunks are loaded once and stay.
  // Not resident: every matmul has its own load, in a ring.
  bool activations_resident = false;
  std::uint32_t activation_slots = 0;  // slices of chunk_rows rows
  std::uint32_t bias_slots = 0;        // all n tiles: loaded once, all of it stays; 0: no bias
  std::uint32_t output_slots = 0;      // results of one region each, waiting for their store
  std::uint32_t tile_slots = 0;        // buffered tiles; 0: there are none
  // Each result of the last column tile has a store of its own, without the rows of the unified
  // buffer in which all columns are padding.
  bool stores_by_row = false;
  Pacing pacing = {};

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// "all tiles of weights come through the unified buffer", or some of them; empty if none do.
std::string buffered_tiles_text(std::uint32_t share);

/// What is unusual about the transfers of a product in rings: buffered_tiles_text(), and "results
/// of the last column tile leave one by one".
std::vector<std::string> transfer_notes(const Mapping& mapping);

/// One line, such as "array 0; weights stationary; chunks of 500 rows, outermost; accumulator
/// regions: 4; rings of 8 resident activation, 1 bias and 2 output slots; matmuls of lead: fetches
/// 2, loads 1; of lag: slots 1, vectors 1, stores 1". The note of the layer's form says which taps
/// lie side by side.
std::string to_text(const Mapping& mapping);

}  // namespace weft
