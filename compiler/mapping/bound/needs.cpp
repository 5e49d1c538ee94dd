#include "compiler/mapping/bound/needs.h"

#include <algorithm>
#include <bit>

#include "compiler/graph/operator_table.h"

namespace weft::compiler {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using Set = std::vector<std::uint64_t>;

/// More parts of a value are taken together.
constexpr std::size_t kMostParts = 64;
/// More boxes of one constant are not joined.
constexpr std::size_t kMostJoined = 16;
/// Words kept and boxes counted: about 32 MB, and a second.
constexpr std::size_t kMostSpent = std::size_t{1} << 22U;

void unite(Set& set, const Set& more) {
  set.resize(std::max(set.size(), more.size()), 0);
  for (std::size_t i = 0; i < more.size(); ++i) set[i] |= more[i];
}

void intersect(Set& set, const Set& other) {
  set.resize(std::min(set.size(), other.size()));
  for (std::size_t i = 0; i < set.size(); ++i) set[i] &= other[i];
}

double size_of(const Elements& elements) {
  double size = 1;
  for (const auto& range : elements) size *= range ? static_cast<double>(range->size()) : 1;
  return size;
}

/// Makes one box of two, if they differ in one axis, in which they touch.
bool joins(Elements& box, const Elements& other) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (box[i] == other[i]) continue;
    if (axis || !box[i] || !other[i]) return false;
    axis = i;
  }
  if (!axis) return true;
  AxisRange& range = *box[*axis];
  const AxisRange& more = *other[*axis];
  if (more.begin > range.end || range.begin > more.end) return false;
  range = {std::min(range.begin, more.begin), std::max(range.end, more.end)};
  return true;
}

/// The elements of the largest box that these make.
double largest(std::vector<Elements> boxes) {
  for (bool changed = boxes.size() <= kMostJoined; changed;) {
    changed = false;
    for (std::size_t i = 0; i + 1 < boxes.size() && !changed; ++i) {
      for (std::size_t k = i + 1; k < boxes.size() && !changed; ++k) {
        changed = joins(boxes[i], boxes[k]);
        if (changed) boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
  }
  double most = 0;
  for (const Elements& box : boxes) most = std::max(most, size_of(box));
  return most;
}

}  // namespace

Needs::Needs(const Graph& graph, const std::vector<bool>& on_host)
    : graph_(graph), on_host_(on_host), producers_(graph::producers(graph)) {}

std::vector<Need> Needs::of_elements(ValueId value) {
  std::vector<Need> all;
  for (const Part& part : parts_of({value, any_element(graph_, value)})) {
    all.push_back({part.share, elements(part.boxes)});
  }
  return all;
}

double Needs::of_all(std::initializer_list<ValueId> values) {
  Set all;
  for (const ValueId value : values) {
    unite(all, common(parts_of({value, any_element(graph_, value)})));
  }
  return elements(all);
}

double Needs::of(ValueId value, const Elements& elements) {
  return this->elements(common(parts_of({value, elements})));
}

std::optional<Dependence> Needs::dependence_of(const Key& key) const {
  const std::size_t producer = producers_[key.first];
  if (producer == graph::kNoProducer) return std::nullopt;
  const Node& node = graph_.nodes[producer];
  const auto output = std::ranges::find(node.outputs, key.first) - node.outputs.begin();
  return dependence(graph_, node, static_cast<std::size_t>(output), key.second);
}

bool Needs::at_end() const {
  return spent_ > kMostSpent;
}

void Needs::keep(const Key& key, Parts parts) {
  spent_ += 8 + 2 * key.second.size();
  for (const Part& part : parts) spent_ += 4 + part.boxes.size();
  known_[key] = std::move(parts);
}

/// Without recursion: networks may be deep.
const Needs::Parts& Needs::parts_of(const Key& key) {
  struct Open {
    Key key;
    Dependence dependence;
    std::size_t next = 0;  // operand
  };
  std::vector<Open> open;
  const auto begin = [&](const Key& of) {
    if (known_.contains(of)) return;
    auto found = at_end() ? std::nullopt : dependence_of(of);
    if (found) {
      open.push_back({of, std::move(*found)});
    } else {
      keep(of, {Part{}});
    }
  };
  begin(key);
  while (!open.empty()) {
    Open& last = open.back();
    if (last.next < last.dependence.operands.size()) {
      const Dependence::Operand operand = last.dependence.operands[last.next++];
      begin({operand.value, operand.elements});
      continue;
    }
    const std::size_t producer = producers_[last.key.first];
    const bool contracts =
        graph::operator_of(graph_.nodes[producer].op).traits.has(graph::Trait::kContraction);
    keep(last.key, combined(last.dependence, contracts && !on_host_[producer]));
    open.pop_back();
  }
  return known_.at(key);
}

/// What the result needs if each of its elements depends on only one of the operands.
Needs::Parts Needs::side_by_side(const Dependence& dependence) const {
  std::size_t count = 0;
  const auto parts_of_operand = [&](std::size_t i) -> const Parts& {
    const Dependence::Operand& operand = dependence.operands[i];
    return known_.at({operand.value, operand.elements});
  };
  for (std::size_t i = 0; i < dependence.operands.size(); ++i) count += parts_of_operand(i).size();
  Parts all;
  for (std::size_t i = 0; i < dependence.operands.size(); ++i) {
    if (count > kMostParts) {
      const Set boxes = common(parts_of_operand(i));
      if (all.empty()) all = {{1, boxes}};
      intersect(all.front().boxes, boxes);
      continue;
    }
    for (Part part : parts_of_operand(i)) {
      part.share *= dependence.shares[i];
      all.push_back(std::move(part));
    }
  }
  return all;
}

Needs::Parts Needs::combined(const Dependence& dependence, bool uses_weights) {
  if (!dependence.shares.empty()) return side_by_side(dependence);
  Parts all = {Part{}};
  for (const Dependence::Operand& operand : dependence.operands) {
    const Parts& parts = known_.at({operand.value, operand.elements});
    Set more = common(parts);
    // Which part of one operand meets which part of another is not known.
    if (dependence.evenly && all.size() == 1 && parts.size() > 1) {
      more = std::move(all.front().boxes);
      all = parts;
    }
    if (uses_weights && graph_.is_constant(operand.value)) unite(more, box(operand));
    for (Part& part : all) unite(part.boxes, more);
  }
  return all;
}

/// The boxes that all parts need.
Needs::Set Needs::common(const Parts& parts) {
  Set boxes = parts.front().boxes;
  for (const Part& part : parts) intersect(boxes, part.boxes);
  return boxes;
}

Needs::Set Needs::box(const Dependence::Operand& operand) {
  const Key key = {operand.value, operand.elements};
  const auto [entry, is_new] = numbers_.try_emplace(key, boxes_.size());
  if (is_new) boxes_.push_back(key);
  Set set(entry->second / 64 + 1, 0);
  set.back() = std::uint64_t{1} << (entry->second % 64);
  return set;
}

double Needs::elements(const Set& boxes) {
  if (at_end()) return 0;
  std::map<ValueId, std::vector<Elements>> by_weights;
  for (std::size_t word = 0; word < boxes.size(); ++word) {
    for (std::uint64_t left = boxes[word]; left != 0; left &= left - 1) {
      const Key& key = boxes_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))];
      by_weights[key.first].push_back(key.second);
      ++spent_;
    }
  }
  double all = 0;
  for (auto& [value, several] : by_weights) all += largest(std::move(several));
  return all;
}

}  // namespace weft::compiler
