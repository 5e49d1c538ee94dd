// A compiled network: steps that run one after another. Each step is a program of the machine or
// one node that the host computes. Values pass between steps through host memory. Within a program
// they stay in the unified buffer as far as they fit.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/program/fold_map.h"
#include "compiler/program/schedule.h"
#include "compiler/rows/image_lines.h"
#include "compiler/rows/view.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/memory/matrix.h"
#include "sim/timing/timeline.h"

namespace weft::compiler {

/// A value that the host reads from a sheet (view.h).
struct HostValue {
  graph::ValueId value = graph::kNoValue;
  View view = {};
  Quantization quantization = {};
  bool dequantized = false;  // a float value stored as int8
};

/// The host's side of one tensor of a program.
struct HostTensor {
  enum class Kind : std::uint8_t {
    kInput,     // `value`, laid out as `view` says
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

/// A sheet that did not stay in the unified buffer, or its parts that did not.
struct Spill {
  bool is_input = false;  // else a result
  SheetSize size = {};    // of these parts; rows that two of them have count twice
  std::int64_t whole_rows = 0;
  std::uint64_t bytes = 0;
};

/// Where the tiles of a contraction's product begin; the last entry of each list is the size. Along
/// K every tap begins a new tile, so the tiles may differ in width.
struct LayerTiles {
  std::vector<std::int64_t> m = {};  // chunks of rows
  std::vector<std::int64_t> k = {};
  std::vector<std::int64_t> n = {};
  std::uint64_t products = 1;  // products of this size, each with its own operands
};

/// The tiles that an instruction works on; -1 for each dimension that it does not depend on. In
/// layers that are not contractions all three are -1.
struct TileNumbers {
  std::int32_t chunk = -1;
  std::int32_t k_tile = -1;
  std::int32_t n_tile = -1;
  friend bool operator==(const TileNumbers&, const TileNumbers&) = default;
};

/// One row of the layer table: the plan, before anything has run.
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
  std::uint64_t weight_row_bytes = 0;  // of them, those that loads bring (Mapping::buffered_tiles)
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::vector<Spill> spilled;
  /// How the schedule takes the layer, if not at once: "in 8 bands of lines, halos kept".
  std::vector<std::string> scheduled = {};
  LayerTiles tiles = {};              // contractions only
  std::optional<FoldMap> folds = {};  // likewise
  /// Channels of each part of a layer of the vector unit: concatenations have several, others one.
  std::vector<std::int64_t> lanes = {};
};

/// Where rows of a layer's result are: in the unified buffer once an instruction is done, or in one
/// of the program's tensors after the run. The rows of a plane follow one another; the next plane
/// begins `plane_rows` after this one.
struct ResultRows {
  std::int64_t first = 0;  // row of the layer's sheet
  std::int64_t count = 0;
  std::optional<std::uint64_t> base;  // UB row of row `first`
  std::int64_t plane_rows = 0;
  std::size_t done_by = 0;            // this instruction, in the buffer
  std::optional<std::size_t> tensor;  // index into the step's tensors
  std::int64_t tensor_row = 0;        // of row `first`
};

/// A layer's result as a view of a sheet, and where the rows of the sheet are.
struct LayerResult {
  graph::ValueId value = graph::kNoValue;  // kNoValue: rearranged elements of other values
  View view;
  /// If they have a border or slices, the view is of the image of joined lines.
  ImageLines lines = {};
  SheetSize size;
  bool wide = false;  // 32-bit words, in the tensor
  std::vector<ResultRows> rows;
  /// Host values that the layer read as array elements, rounded to the array's type. It read all
  /// other constants as 32-bit words.
  std::vector<graph::ValueId> narrow_inputs = {};
};

struct MachineStep {
  Schedule schedule;
  Program program;
  std::vector<HostTensor> tensors;  // of program.tensors
  std::vector<LayerInfo> layers;
  std::vector<LayerResult> results;              // of each layer
  std::vector<std::uint32_t> instruction_layer;  // of each instruction
  std::vector<TileNumbers> instruction_tile;     // of each instruction
  /// The rows of staging that the program uses; nullopt if it uses some again.
  std::optional<std::uint64_t> staged_rows;
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

/// How long the compiler looks for a schedule.
enum class SearchEffort : std::uint8_t {
  kNone,      // the first that fits, by estimates alone
  kNormal,    // replays of about a second
  kThorough,  // of up to a minute, with further choices for each layer
};

/// Mappings that the compiler chooses unless the caller does.
struct MappingOptions {
  std::optional<bool> depthwise_on_vector_unit = {};  // if both units can run it
  /// Whether the taps of a convolution lie side by side in the array's rows where loads can cut the
  /// windows out of the image. By default they do if that takes fewer folds and no more
  /// cycles.
  std::optional<bool> packed_taps = {};
  /// Whether several lines of an image lie in a row of the unified buffer where an estimate says
  /// that this saves cycles: true, as in a large batch, whose images share the fetches of weights.
  /// By default the estimate is for one image, and another choice is taken if the network is then
  /// faster.
  std::optional<bool> joined_lines = {};
  /// Whether joined lines may have a border of padding where the same estimate says that this saves
  /// cycles. By default they may, unless the network is faster without.
  std::optional<bool> line_borders = {};
  /// Whether the channels of joined lines may lie in slices, likewise.
  std::optional<bool> line_slices = {};
  /// The number of the form in which layers run (Schedule::forms). Layers with fewer forms run in
  /// form 0. By default each layer has the form of the schedule with the fewest cycles.
  std::optional<std::size_t> form = {};
  /// Whether a product that only the host reads is computed transposed, as B'A', where that is
  /// possible: the first operand lies in the channels, or the second is constant. By default
  /// constant weights stay in the array, and else the way with fewer estimated cycles is taken,
  /// unless the network is faster with all in one way.
  std::optional<bool> turned_results = {};
  /// Whether products with constant weights are computed transposed where an estimate says that
  /// this saves cycles, even if their results stay on the machine. By default they are if the
  /// network is then faster.
  std::optional<bool> turned_values = {};
  /// Whether the images of a batch may go on in groups (Schedule::groups). By default they do if
  /// that takes fewer cycles, or without a search if not all fit in the unified buffer.
  std::optional<bool> image_groups = {};
  /// Whether some lines of an image may go on in bands (Schedule::bands), where rows would leave
  /// the unified buffer between layers and that takes fewer cycles.
  bool line_bands = true;
  SearchEffort effort = SearchEffort::kNormal;
  /// Programs of the network. If there are many, each is searched only on the machine itself.
  std::size_t programs = 1;
  /// Cycles that other options lead to. If the search begins far above them, it soon ends.
  std::optional<Cycle> to_beat = {};
  /// Called with the share of the search that is done, 0 to 1. A network may be searched more than
  /// once.
  std::function<void(double)> progress = {};
};

struct CompileOptions {
  /// The zero points come from ranges that a later run may change. The code then corrects for a
  /// zero point of 0 like for any other, so that no cycle count depends on the ranges.
  bool calibrated = false;
  MappingOptions mapping = {};
  std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();  // for the instructions
};

}  // namespace weft::compiler
