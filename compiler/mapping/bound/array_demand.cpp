#include "compiler/mapping/bound/array_demand.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::compiler {
namespace {

/// The largest of two sums, after the exchanges that make it smallest: those first that save most
/// for what they cost.
double balanced(double array, double vector, std::vector<Exchange> exchanges) {
  std::ranges::sort(exchanges, [](const Exchange& a, const Exchange& b) {
    return a.array * b.vector > b.array * a.vector;
  });
  for (const Exchange& exchange : exchanges) {
    if (vector >= array || exchange.array <= 0) break;
    // The part p of it after which array - p * saved = vector + p * cost.
    const double part = std::min(1.0, (array - vector) / (exchange.array + exchange.vector));
    array -= part * exchange.array;
    vector += part * exchange.vector;
  }
  return std::max(array, vector);
}

}  // namespace

void ArrayDemand::add(const ContractionDemand& demand, OperandOrigins origins) {
  if (origins.smaller != origins.larger) smaller_.insert(origins.smaller);
  Group& group = groups_[origins.larger];
  const double elements = std::max(demand.first, demand.second);
  group.operands = std::max(group.operands, elements / std::max(rows_, cols_));
  for (const Sums& sums : demand.sums) add_sums(sums, demand.depthwise, group);
  group.drained += demand.results() / cols_;
  group.products += demand.products() / cols_;
  group.depthwise = group.depthwise && demand.depthwise;
}

// The steps 1, 3, 5, ... come one after the other. In each of them all elements enter, except those
// of a tile that lies there when the step begins. After the last step, no swap need follow.
void ArrayDemand::add_chain(const std::vector<graph::ValueId>& origins, double elements,
                            std::size_t steps) {
  const bool known = std::ranges::all_of(origins, [&](graph::ValueId origin) {
    const auto group = groups_.find(origin);
    return group != groups_.end() && !group->second.chain && !smaller_.contains(origin);
  });
  const bool different = std::set(origins.begin(), origins.end()).size() == origins.size();
  if (!known || !different) return;
  for (const graph::ValueId origin : origins) groups_[origin].chain = chains_.size();
  const double apart = std::ceil(static_cast<double>(steps) / 2);
  const double tile = rows_ * cols_;
  const double all = elements * static_cast<double>(origins.size());
  chains_.push_back({origins, (apart * (all - tile) - tile) / std::max(rows_, cols_)});
}

// The vector unit can take over products of a depthwise convolution, one a lane: first those that
// do not fill a row of the array.
void ArrayDemand::add_sums(const Sums& sums, bool depthwise, Group& group) const {
  if (sums.depth == 0) return;
  const double lanes = sums.count / cols_;
  const auto depth = static_cast<double>(sums.depth);
  const double additions = std::ceil(depth / rows_);
  group.sums += lanes * additions;
  if (!depthwise) return;
  const double last = depth - rows_ * (additions - 1);  // products of the last addition
  // Without any addition left, nothing is taken from the accumulators.
  group.exchanges.push_back({lanes, lanes * (last - (additions == 1 ? 1 : 0))});
  if (additions == 1) return;
  const double others = additions - 1;
  group.exchanges.push_back({lanes * others, lanes * (rows_ * others - 1)});
}

// An operand that streams for its own group may at the same time stream for other groups, if it is
// their smaller operand. Then its cycles are not only its group's.
double ArrayDemand::entering(graph::ValueId origin, const Group& group, Start start) const {
  return smaller_.contains(origin) || start == Start::kApart ? 0 : group.operands;
}

double ArrayDemand::cycles_of(graph::ValueId origin, const Group& group, Start start) const {
  return std::max(entering(origin, group, start), group.sums);
}

/// Cycles before the first row and after the last one; 0 if the vector unit could do everything.
double ArrayDemand::latency(Start start) const {
  if (start == Start::kOverlapped) return 0;
  const bool rows = std::ranges::any_of(
      groups_, [](const auto& each) { return !each.second.depthwise && each.second.sums > 0; });
  if (!rows) return 0;
  return rows_ + cols_ - 2 + (start == Start::kApart ? rows_ : 0);
}

double ArrayDemand::array(Start start) const {
  double cycles = latency(start);
  for (const auto& [origin, group] : groups_) {
    if (!group.chain) cycles += cycles_of(origin, group, start);
  }
  for (const Chain& chain : chains_) {
    double apart = 0;
    for (const graph::ValueId origin : chain.origins) {
      apart += cycles_of(origin, groups_.at(origin), start);
    }
    cycles += std::max(apart, chain.cycles);
  }
  return cycles;
}

double ArrayDemand::array() const {
  return std::max(array(Start::kApart), array(Start::kWithOperands));
}

double ArrayDemand::drained() const {
  double cycles = 0;
  for (const auto& [origin, group] : groups_) cycles += group.drained;
  return cycles;
}

double ArrayDemand::least(double vector, Start start) const {
  std::vector<Exchange> exchanges;
  for (const auto& [origin, group] : groups_) {
    const double cycles = entering(origin, group, start);
    if (group.sums >= cycles) {
      exchanges.insert(exchanges.end(), group.exchanges.begin(), group.exchanges.end());
    } else if (group.depthwise) {
      exchanges.push_back({cycles, group.products - group.drained});
    }
  }
  return balanced(array(start), vector + drained(), std::move(exchanges));
}

double ArrayDemand::least(double vector) const {
  return std::max(least(vector, Start::kApart), least(vector, Start::kWithOperands));
}

}  // namespace weft::compiler
