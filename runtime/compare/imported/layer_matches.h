// Which measurements are those of a network's layers: by name, by shape, or by order.
//
//   by name    the name of the layer, or "[3]" for the third product
//   by shape   a convolution with the same operands, or a product of the same sizes. Several layers
//              may have the same: if their number divides that of the runs, the runs are theirs in
//              order, else each layer has the median of all
//   by order   kernels without shapes, if the user says so; their number must be a multiple of that
//              of the products
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/measurements/measurement.h"
#include "runtime/compare/imported/run_times.h"

namespace weft::runtime {

class LayerMatches {
 public:
  /// Matches those measurements of the file whose numbers are `candidates`. Throws InputError if
  /// --in-order does not fit.
  LayerMatches(const measurements::MeasurementFile& file, std::vector<std::size_t> candidates,
               const graph::Graph& graph, bool in_order);

  bool empty() const { return used_.empty(); }
  const std::set<std::size_t>& used() const { return used_; }
  /// Of the products that matched, two per MAC.
  double flop() const;
  /// The sum over the layers that matched.
  double seconds() const;
  /// "20 of 21 products, with 97.3 % of the FLOP: the sum of their medians, of 10 runs".
  std::string text(double all_flop) const;
  /// "layers" with times and how each was matched, and "missing" products.
  nlohmann::ordered_json json() const;

 private:
  struct Layer {
    std::string name = {};
    std::optional<devices::GemmShape> shape = {};         // of a product
    std::optional<measurements::ConvOperands> conv = {};  // of a convolution
    RunTimes times = {};
    const char* matched_by = nullptr;
  };

  /// Numbers of measurements by a text: a name, or what work_key() gives.
  using Index = std::unordered_multimap<std::string, std::size_t>;

  void match_names();
  void match_name(const Index& by_name, const std::string& name, Layer& layer);
  void match_shapes();
  void match_order();
  void match_alike(const Index& by_work, const std::vector<Layer*>& alike);
  std::vector<std::size_t> with_work_of(const Index& by_work, const Layer& layer) const;
  void use(std::size_t measurement);

  const measurements::MeasurementFile& file_;
  std::vector<std::size_t> candidates_;
  std::vector<Layer> layers_;
  std::set<std::size_t> used_;
};

}  // namespace weft::runtime
