// Operators whose indices name elements, and running sums. The indices go to the processor, which
// checks them and makes runs of them (tensor_ops/indexed/index_runs.h).
#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/indexed/index_runs.h"
#include "models/reference/cuda/graph/operators.h"
#include "models/reference/cuda/graph/units.h"

namespace weft::cuda {
namespace {

using reference::tensor_ops::IndexRuns;
using reference::tensor_ops::ScatterFunction;

using Numbers = std::vector<std::int64_t>;

/// Numbers in the device's memory.
class DeviceNumbers {
 public:
  DeviceNumbers(NodeRun& node, const Numbers& numbers)
      : memory_(node.device().allocate(std::ssize(numbers) * 8)) {
    node.device().upload(memory_.get(), numbers.data(), std::ssize(numbers) * 8);
  }
  const std::int64_t* data() const { return elements_of<std::int64_t>(memory_); }

 private:
  Memory memory_;
};

/// The places that updates write: one for each element run that is written, with its updates in
/// their order.
struct ScatterPlan {
  Numbers starts = {};   // of different runs
  Numbers firsts = {};   // place p has updates sources[firsts[p]] to sources[firsts[p + 1] - 1]
  Numbers sources = {};  // numbers of updates

  // The list has its size from the start. GCC 12 warns of a null pointer where an empty one grows.
  explicit ScatterPlan(const IndexRuns& runs) : sources(runs.starts.size()) {
    std::iota(sources.begin(), sources.end(), std::int64_t{0});
    const auto start = [&](std::int64_t update) {
      return runs.starts[static_cast<std::size_t>(update)];
    };
    std::ranges::stable_sort(sources, {}, start);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (i > 0 && start(sources[i]) == starts.back()) continue;
      starts.push_back(start(sources[i]));
      firsts.push_back(static_cast<std::int64_t>(i));
    }
    firsts.push_back(std::ssize(sources));
  }

  /// The update that each place keeps if updates replace each other.
  Numbers last() const {
    Numbers result;
    for (std::size_t p = 0; p < starts.size(); ++p) {
      result.push_back(sources[static_cast<std::size_t>(firsts[p + 1]) - 1]);
    }
    return result;
  }
};

IndexRuns element_runs(NodeRun& node) {
  const graph::Shape& data = node.shape(0);
  const std::int64_t axis = graph::normalized_axis(node.attributes().integer("axis", 0),
                                                   static_cast<std::int64_t>(data.size()));
  return reference::tensor_ops::element_runs(node.host(1), data, axis);
}

IndexRuns tuple_runs(NodeRun& node) {
  return reference::tensor_ops::tuple_runs(node.host(1), node.shape(0),
                                           node.attributes().integer("batch_dims", 0));
}

template <IndexRuns (*runs_of)(NodeRun& node)>
void run_gather(NodeRun& node) {
  const IndexRuns runs = runs_of(node);
  const DeviceNumbers starts(node, runs.starts);
  with_unit(node.type(0).type, [&]<class Unit>(Unit) {
    const Unit* from = node.input<Unit>(0);
    node.run(GatherRuns<Unit>{from, starts.data(), node.result<Unit>(), runs.length},
             node.result_count());
  });
}

/// The result, filled with input 0.
void* copied(NodeRun& node) {
  void* result = nullptr;
  with_unit(node.type(0).type, [&]<class Unit>(Unit) {
    const Unit* from = node.input<Unit>(0);
    Unit* to = node.result<Unit>();
    const std::vector<std::int64_t> one{1};
    node.run(Copy<Unit>{from, to, strided<2>({node.result_count()}, {one, one})},
             node.result_count());
    result = to;
  });
  return result;
}

UpdateFunction update_function(ScatterFunction function) {
  switch (function) {
    case ScatterFunction::kAdd:
      return UpdateFunction::kAdd;
    case ScatterFunction::kMul:
      return UpdateFunction::kMul;
    case ScatterFunction::kMax:
      return UpdateFunction::kMax;
    default:
      return UpdateFunction::kMin;
  }
}

void combine(NodeRun& node, ScatterFunction function, const ScatterPlan& plan, std::int64_t inner) {
  const DeviceNumbers starts(node, plan.starts);
  const DeviceNumbers firsts(node, plan.firsts);
  const DeviceNumbers sources(node, plan.sources);
  const float* updates = node.input<float>(2);
  node.run(CombineRuns{update_function(function), updates, starts.data(), firsts.data(),
                       sources.data(), static_cast<float*>(copied(node)), inner},
           std::ssize(plan.starts) * inner);
}

void replace(NodeRun& node, const ScatterPlan& plan, std::int64_t inner) {
  const DeviceNumbers starts(node, plan.starts);
  const DeviceNumbers sources(node, plan.last());
  with_unit(node.type(0).type, [&]<class Unit>(Unit) {
    const Unit* updates = node.input<Unit>(2);
    node.run(PutRuns<Unit>{updates, starts.data(), sources.data(), static_cast<Unit*>(copied(node)),
                           inner},
             std::ssize(plan.starts) * inner);
  });
}

template <IndexRuns (*runs_of)(NodeRun& node)>
void run_scatter(NodeRun& node) {
  const ScatterFunction function = reference::tensor_ops::scatter_function(node.attributes());
  const IndexRuns runs = runs_of(node);
  const ScatterPlan plan(runs);
  if (function == ScatterFunction::kReplace) return replace(node, plan, runs.length);
  combine(node, function, plan, runs.length);
}

/// Any elements can be replaced, but only float32 elements are combined.
bool takes_scatter(const graph::Graph& graph, const graph::Node& node) {
  return takes_any(graph, node) && (node.attributes.text("reduction", "none") == "none" ||
                                    graph.type(node.inputs[0]).type == graph::DataType::kFloat32);
}

void run_cum_sum(NodeRun& node) {
  const graph::Shape& shape = node.shape(0);
  if (node.count(1) != 1) throw InputError("input 1 (axis) must be a scalar");
  const std::int64_t axis = graph::normalized_axis(graph::to_int64(node.host(1)).front(),
                                                   static_cast<std::int64_t>(shape.size()));
  const auto view = reference::tensor_ops::view_along(shape, axis);
  const float* x = node.input<float>(0);
  node.run(CumulativeSum{x, node.result<float>(), view.extent, view.inner,
                         node.attributes().integer("exclusive", 0) != 0,
                         node.attributes().integer("reverse", 0) != 0},
           view.outer * view.inner);
}

}  // namespace

DeviceOperators indexed_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kGatherElements, {{takes_any, run_gather<element_runs>, kBits}}},
      {Op::kGatherNd, {{takes_any, run_gather<tuple_runs>, kBits}}},
      {Op::kScatterElements, {{takes_scatter, run_scatter<element_runs>, kBits}}},
      {Op::kScatterNd, {{takes_scatter, run_scatter<tuple_runs>, kBits}}},
      {Op::kCumSum, {{takes_float_data, run_cum_sum, kBits}}},
      DeviceEntry::none(Op::kOneHot, "its operands are on the host"),
      DeviceEntry::none(Op::kTopK, "only the CPU reference computes it"),
      DeviceEntry::none(Op::kGridSample, "only the CPU reference computes it"),
  });
  return kOperators;
}

}  // namespace weft::cuda
