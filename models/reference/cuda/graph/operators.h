// The operators that run on the device, by family. Each has a function that runs bodies and
// products there. Other operators, and nodes that takes() refuses, run on the CPU reference.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/graph/op_array.h"
#include "models/reference/cuda/graph/node_run.h"

namespace weft::cuda {

using graph::Op;

/// How close an operator's results must be to the CPU reference's.
enum class Closeness : std::uint8_t {
  kBits,       // the same bits (a NaN for a NaN)
  kLastPlace,  // adjacent float32 values: functions such as exp, or sums in another order
  kProduct,    // within product_bound()
};

struct DeviceOperator {
  /// Whether the operator runs this node. It depends on types, ranks and attributes only, so it is
  /// known before the network runs.
  bool (*takes)(const graph::Graph& graph, const graph::Node& node);
  void (*run)(NodeRun& node);
  Closeness closeness;
};

using DeviceEntry = graph::OpEntry<DeviceOperator>;
using DeviceOperators = std::span<const DeviceEntry>;

/// The device operator, or the reason why there is none.
const DeviceEntry& device_operator(Op op);

/// The operator that runs this node on the device; null if none does.
const DeviceOperator* find_operator(const graph::Graph& graph, const graph::Node& node);

// Conditions of several families. All need ranks that the bodies can walk.
bool takes_any(const graph::Graph& graph, const graph::Node& node);
/// All inputs are of `type`.
bool takes_inputs(const graph::Graph& graph, const graph::Node& node, graph::DataType type);
bool takes_floats(const graph::Graph& graph, const graph::Node& node);
/// Input 0 is float32; the others may be axes.
bool takes_float_data(const graph::Graph& graph, const graph::Node& node);
bool takes_bools(const graph::Graph& graph, const graph::Node& node);
/// Float32 with one to three spatial dimensions.
bool takes_window(const graph::Graph& graph, const graph::Node& node);

DeviceOperators elementwise_operators();    // elementwise.cpp
DeviceOperators product_operators();        // contraction.cpp: recurrences too
DeviceOperators convolution_operators();    // convolution.cpp
DeviceOperators pool_operators();           // pooling.cpp
DeviceOperators reduction_operators();      // reduction.cpp
DeviceOperators normalization_operators();  // normalization.cpp
DeviceOperators movement_operators();       // movement.cpp
DeviceOperators indexed_operators();        // indexed.cpp: and running sums

}  // namespace weft::cuda
