// Runs points of a sweep one after the other. What points share is made once: a workload's graph,
// and the graph after the passes, which depends on the machine only by its number format.
#pragma once

#include <list>
#include <tuple>

#include "compiler/graph/graph.h"
#include "pe/element_type.h"
#include "runtime/compile.h"
#include "runtime/sweep/points/figures.h"
#include "runtime/sweep/space/space.h"

namespace weft::sweep {

class PointRunner {
 public:
  /// `space` must outlive the runner.
  explicit PointRunner(const Space& space) : space_(space) {}

  /// The same figures as those of space.command(point). Never throws for a point that fails: then
  /// the outcome has an error.
  Outcome run(const Point& point);

 private:
  /// What determines a prepared graph.
  struct GraphKey {
    std::size_t workload = 0;
    MatmulSpec product;
    std::optional<std::int64_t> batch;
    ElementType dtype = ElementType::kInt8;
    friend bool operator==(const GraphKey&, const GraphKey&) = default;
  };

  struct Prepared {
    GraphKey key;
    graph::Graph graph;                // as it was imported or built
    runtime::PreparedNetwork network;  // of it, without values
  };

  Figures figures_of(const Point& point);
  runtime::NetworkRun run_of(const Point& point);
  const Prepared& prepared(const Point& point);
  graph::Graph built(const Point& point) const;
  runtime::NetworkRun run_analytic(const Point& point);
  runtime::NetworkRun run_product(const Point& point) const;
  runtime::NetworkRun run_with_values(const Point& point);
  compiler::MappingOptions mapping(const Point& point) const;

  const Space& space_;
  std::list<Prepared> prepared_;  // those used last, the latest first
};

}  // namespace weft::sweep
