// What the compiler makes of a network: steps that run one after the other, each a program of the
// machine or one node on the host. Values pass between steps through the host's memory; within a
// program they stay in the unified buffer as far as they fit.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/network/view.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/matrix.h"

namespace weft::network {

/// A value that the host takes from a sheet.
struct HostValue {
  graph::ValueId value = graph::kNoValue;
  View view = {};
  Quantization quantization = {};
  bool dequantized = false;  // a float value that lies as int8
};

/// What lies behind one tensor of a program.
struct HostTensor {
  enum class Kind : std::uint8_t {
    kInput,     // `value`, brought into the layout of `view`
    kConstant,  // `make`
    kResult,    // rows that the program stores, and may load again
  };
  Kind kind = Kind::kResult;
  graph::ValueId value = graph::kNoValue;
  View view = {};
  std::function<Matrix()> make = {};
  bool fixed = false;                   // `make` gives the same in every run
  std::vector<HostValue> results = {};  // what the host reads from it after the run
};

/// A sheet that did not stay in the unified buffer.
struct Spill {
  bool is_input = false;  // else a result
  SheetSize size = {};
  std::uint64_t bytes = 0;
};

/// Where the tiles of a contraction's product begin, from 0 on; the last entry is the size. Along K
/// the channels of each tap are cut anew, so that its tiles need not be of equal width.
struct LayerTiles {
  std::vector<std::int64_t> m = {};  // chunks of rows
  std::vector<std::int64_t> k = {};
  std::vector<std::int64_t> n = {};
  std::uint64_t products = 1;  // of this size, with operands of their own
};

/// What an instruction works on, by number of tile; -1 for what it does not depend on, as for all
/// instructions of other layers.
struct TileNumbers {
  std::int32_t chunk = -1;
  std::int32_t k_tile = -1;
  std::int32_t n_tile = -1;
  friend bool operator==(const TileNumbers&, const TileNumbers&) = default;
};

/// One row of the layer table: what was planned, before anything ran.
struct LayerInfo {
  std::string name;
  std::string op;
  graph::ValueType result;
  std::string note;
  std::uint64_t macs = 0;         // useful
  std::uint64_t issued_macs = 0;  // rows streamed * R * C
  std::uint64_t k_tiles = 0;      // folds along K, taps included
  std::uint64_t n_tiles = 0;
  std::uint64_t chunks = 0;
  std::uint64_t fetches = 0;
  std::uint64_t vector_rows = 0;  // cycles of the vector unit
  std::uint64_t weight_bytes = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::vector<Spill> spilled;
  LayerTiles tiles = {};  // of a contraction
};

/// Where a layer's result can be seen: in the unified buffer once the layer's last instruction is
/// done, or behind one of the program's tensors after the run.
struct LayerResult {
  graph::ValueId value = graph::kNoValue;  // kNoValue: the compiler's own arrangement of others
  View view;
  SheetSize size;
  bool wide = false;                  // 32-bit words, in the tensor
  std::optional<std::uint64_t> base;  // first UB row
  std::optional<std::size_t> tensor;  // in the step's tensors
  /// Values of the host that the layer read as elements of the array, rounded to its type;
  /// constants that are not among them it read as 32-bit words.
  std::vector<graph::ValueId> narrow_inputs = {};
};

struct MachineStep {
  Program program;
  std::vector<HostTensor> tensors;  // of program.tensors
  std::vector<LayerInfo> layers;
  std::vector<LayerResult> results;              // of each layer
  std::vector<std::uint32_t> instruction_layer;  // of each instruction
  std::vector<TileNumbers> instruction_tile;     // of each instruction
};

/// A node that the host computes, and why.
struct HostStep {
  std::size_t node = 0;
  std::string reason;
};

struct NetworkProgram {
  graph::Graph graph;
  std::vector<std::variant<MachineStep, HostStep>> steps;
};

/// Choices that are the compiler's own unless a caller makes them.
struct CompileOptions {
  /// The zero points come from ranges that a run of the same network may change: a 0 among them is
  /// corrected as any other, so that no cycle depends on the ranges.
  bool calibrated = false;
  std::optional<bool> depthwise_on_vector_unit = {};  // where it can run in both places
  std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();  // for the instructions
};

/// Compiles a network for the machine. `graph` has been through the passes (compiler/passes).
/// Throws InputError for what the network cannot be on this machine, ConfigError if the unified
/// buffer or the accumulators are too small for a layer, naming both, InputError before the
/// instructions take more than `memory_bytes` or the 2^26 that a program may have.
NetworkProgram compile_network(graph::Graph graph, const MachineConfig& config,
                               const CompileOptions& options = {});

}  // namespace weft::network
