#include "compiler/mapping/bound/dependence.h"

#include <algorithm>
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/graph/shapes/slice.h"
#include "compiler/graph/shapes/windows.h"
#include "compiler/mapping/bound/demand.h"

namespace weft::compiler {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::Trait;
using graph::ValueId;
using Range = std::optional<AxisRange>;

Range whole(std::int64_t extent) {
  return AxisRange{0, extent};
}

bool is_whole(const Range& range, std::int64_t extent) {
  return range == whole(extent);
}

/// Axes of one shape that hold the positions of some of another, as 2 x 3 and 6.
struct AxisGroup {
  std::size_t in_first, in_end, out_first, out_end;
};

/// The smallest groups from left to right. Neither shape has an extent of 0.
std::vector<AxisGroup> axis_groups(const Shape& in, const Shape& out) {
  std::vector<AxisGroup> groups;
  std::size_t i = 0;
  std::size_t o = 0;
  while (i < in.size() || o < out.size()) {
    AxisGroup group = {i, i, o, o};
    std::int64_t before = 1;
    std::int64_t after = 1;
    do {
      if (o == out.size() || (i < in.size() && before <= after)) {
        before *= in[i++];
      } else {
        after *= out[o++];
      }
    } while (before != after && (i < in.size() || o < out.size()));
    group.in_end = i;
    group.out_end = o;
    groups.push_back(group);
  }
  return groups;
}

class Rule {
 public:
  Rule(const Graph& graph, const Node& node, std::size_t output, const Elements& elements)
      : graph_(graph), node_(node), output_(output), elements_(elements) {}

  Dependence apply() {
    if (elements_of(graph_, node_.outputs[output_]) <= 0) return {};
    for (const ValueId input : node_.inputs) {
      if (input != kNoValue && elements_of(graph_, input) <= 0) return {};
    }
    const graph::Operator& row = graph::operator_of(node_.op);
    const graph::Traits traits = row.traits;
    if (traits.has(Trait::kContraction)) return contraction(row.product);
    if (traits.has(Trait::kSoftmaxLike)) return along(axis(-1), axis(-1) + 1);
    switch (node_.op) {
      case Op::kLayerNormalization:
        return along(axis(-1), elements_.size());
      case Op::kGlobalAveragePool:
      case Op::kInstanceNormalization:
        return along(2, elements_.size());
      case Op::kTranspose:
        return transposed();
      case Op::kReshape:
      case Op::kFlatten:
      case Op::kSqueeze:
      case Op::kUnsqueeze:
        return reshaped();
      case Op::kConcat:
        return concatenated();
      case Op::kSplit:
        return split();
      case Op::kSlice:
        return sliced();
      default:
        break;
    }
    const bool binary = traits.has(Trait::kBinary);
    const bool in_place = binary || traits.has(Trait::kFunction) ||
                          traits.has(Trait::kNormalization) || traits.has(Trait::kQuantized) ||
                          node_.op == Op::kIdentity || node_.op == Op::kCast;
    if (in_place && output_ == 0) in_position(binary ? node_.inputs.size() : 1);
    return std::move(found_);
  }

 private:
  const Shape& shape(std::size_t input) const { return graph_.type(node_.inputs[input]).shape; }
  const Shape& result() const { return graph_.type(node_.outputs[output_]).shape; }

  std::size_t axis(std::int64_t otherwise) const {
    const std::int64_t given = node_.attributes.integer("axis", otherwise);
    return static_cast<std::size_t>(
        graph::normalized_axis(given, static_cast<std::int64_t>(shape(0).size())));
  }

  void add(std::size_t input, Elements elements) {
    found_.operands.push_back({node_.inputs[input], std::move(elements)});
  }

  /// The elements at the same positions of the first inputs, which may be broadcast.
  void in_position(std::size_t inputs) {
    for (std::size_t i = 0; i < inputs; ++i) {
      if (node_.inputs[i] != kNoValue) add(i, of_broadcast(shape(i), elements_.size()));
    }
  }

  /// The ranges of the first `axes` axes of the elements, for an operand whose last axes they are.
  Elements of_broadcast(const Shape& operand, std::size_t axes) const {
    Elements elements;
    for (std::size_t i = 0; i < operand.size(); ++i) {
      const bool is_one = operand[i] == 1 || i + axes < operand.size();
      elements.push_back(is_one ? whole(1) : elements_[i + axes - operand.size()]);
    }
    return elements;
  }

  /// The first input with all positions of the axes from `first` to before `end`.
  Dependence along(std::size_t first, std::size_t end) {
    if (output_ != 0 || shape(0).size() != elements_.size()) return {};
    Elements elements = elements_;
    for (std::size_t i = first; i < end; ++i) elements[i] = whole(shape(0)[i]);
    add(0, std::move(elements));
    return std::move(found_);
  }

  // --- Contractions ---

  Dependence contraction(const graph::Product& product) {
    using Form = graph::Product::Form;
    if (product.form == Form::kMatrices) matrices(product);
    if (product.form == Form::kGemm) gemm(product);
    if (product.form == Form::kConvolution) convolution(product);
    return std::move(found_);
  }

  void matrices(const graph::Product& product) {
    const Shape& a = shape(product.a);
    const Shape& b = shape(product.b);
    const std::size_t rank = elements_.size();
    if (a.size() < 2 || b.size() < 2) return;
    const auto operand = [&](const Shape& of, Range row, Range column) {
      Elements elements = of_broadcast({of.begin(), of.end() - 2}, rank - 2);
      elements.push_back(row);
      elements.push_back(column);
      return elements;
    };
    add(product.a, operand(a, elements_[rank - 2], whole(a.back())));
    add(product.b, operand(b, whole(a.back()), elements_[rank - 1]));
  }

  void gemm(const graph::Product& product) {
    const Shape& a = shape(product.a);
    const bool turns_a = node_.attributes.integer("transA", 0) != 0;
    const bool turns_b = node_.attributes.integer("transB", 0) != 0;
    const Range inner = whole(turns_a ? a[0] : a[1]);
    const auto operand = [](bool turned, const Range& first, const Range& second) {
      return turned ? Elements{second, first} : Elements{first, second};
    };
    add(product.a, operand(turns_a, elements_[0], inner));
    add(product.b, operand(turns_b, inner, elements_[1]));
  }

  /// All channels at a position of the image, or of a depthwise convolution one, and one tap. Other
  /// groups are left out.
  void convolution(const graph::Product& product) {
    const Shape& x = shape(product.a);
    const Shape& w = shape(product.b);
    const bool depthwise = node_.attributes.integer("group", 1) != 1;
    if (depthwise && (w[1] != 1 || w[0] != x[1])) return;
    const Shape kernel(w.begin() + 2, w.end());
    for (const graph::WindowDim& dim : graph::resolve_windows(node_.attributes, x, kernel)) {
      if (!meets_image(dim)) return;
    }
    found_.evenly = false;
    Elements image = {elements_[0], depthwise ? elements_[1] : whole(x[1])};
    Elements weights = {elements_[1], whole(w[1])};
    for (std::size_t i = 2; i < w.size(); ++i) {
      image.push_back(x[i] == 1 ? whole(1) : std::nullopt);
      weights.push_back(w[i] == 1 ? whole(1) : std::nullopt);
    }
    add(product.a, std::move(image));
    add(product.b, std::move(weights));
  }

  /// True if no window lies in the padding as a whole.
  static bool meets_image(const graph::WindowDim& dim) {
    if (dim.pad_begin == 0 && dim.pad_end == 0) return dim.extent() <= dim.input;
    const bool reaches = dim.pad_begin < dim.kernel && dim.pad_end < dim.kernel;
    const std::int64_t last = (dim.output - 1) * dim.stride - dim.pad_begin;
    return dim.dilation == 1 && reaches && last < dim.input;
  }

  // --- Movement ---

  Dependence transposed() {
    const auto rank = static_cast<std::int64_t>(elements_.size());
    std::vector<std::int64_t> reversed;
    for (std::int64_t i = rank; i-- > 0;) reversed.push_back(i);
    const auto from = node_.attributes.integers("perm", reversed);
    Elements elements(elements_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      elements[static_cast<std::size_t>(from[i])] = elements_[i];
    }
    add(0, std::move(elements));
    return std::move(found_);
  }

  Dependence reshaped() {
    const Shape& in = shape(0);
    const Shape& out = result();
    Elements elements(in.size());
    for (const AxisGroup& group : axis_groups(in, out)) move(group, in, out, elements);
    add(0, std::move(elements));
    return std::move(found_);
  }

  /// The ranges of a group's axes of the operand. If the elements are no box of it, one of them.
  void move(const AxisGroup& group, const Shape& in, const Shape& out, Elements& elements) {
    const auto is_one = [](std::int64_t extent) { return extent == 1; };
    const auto begin = in.begin();
    const auto ins = std::vector<std::int64_t>(begin + static_cast<std::ptrdiff_t>(group.in_first),
                                               begin + static_cast<std::ptrdiff_t>(group.in_end));
    bool all = true;
    for (std::size_t o = group.out_first; o < group.out_end; ++o) {
      all = all && is_whole(elements_[o], out[o]);
    }
    if (group.in_end - group.in_first == 1 && group.out_end - group.out_first == 1) {
      elements[group.in_first] = elements_[group.out_first];
      return;
    }
    for (std::size_t i = group.in_first; i < group.in_end; ++i) {
      if (all || is_one(in[i])) elements[i] = whole(in[i]);
    }
    if (all || ins.empty() || group.out_first == group.out_end) return;
    for (std::size_t o = group.out_first; o < group.out_end; ++o) {
      found_.evenly = found_.evenly && (out[o] == 1 || !elements_[o]);
    }
    if (ins.size() == 1) {
      elements[group.in_first] = joined(group, out);
    } else if (group.out_end - group.out_first == 1) {
      divide(elements_[group.out_first], group.in_first, group.in_end, in, elements);
    }
  }

  /// The range of the one axis that holds several: known if all but the first are whole.
  Range joined(const AxisGroup& group, const Shape& out) const {
    std::int64_t inner = 1;
    for (std::size_t o = group.out_first + 1; o < group.out_end; ++o) {
      if (!is_whole(elements_[o], out[o])) return std::nullopt;
      inner *= out[o];
    }
    const Range& outer = elements_[group.out_first];
    if (!outer) return std::nullopt;
    return AxisRange{outer->begin * inner, outer->end * inner};
  }

  /// The ranges of the axes from `first` to before `end`, whose positions one axis holds: known as
  /// long as the range is made of whole inner axes or lies in one position of the first axis.
  static void divide(Range range, std::size_t first, std::size_t end, const Shape& in,
                     Elements& elements) {
    if (!range || first == end) return;
    std::int64_t inner = 1;
    for (std::size_t i = first + 1; i < end; ++i) inner *= in[i];
    const std::int64_t outer = range->begin / inner;
    if (range->begin % inner == 0 && range->end % inner == 0) {
      elements[first] = AxisRange{outer, range->end / inner};
      for (std::size_t i = first + 1; i < end; ++i) elements[i] = whole(in[i]);
    } else if (outer == (range->end - 1) / inner) {
      elements[first] = AxisRange{outer, outer + 1};
      divide(AxisRange{range->begin - outer * inner, range->end - outer * inner}, first + 1, end,
             in, elements);
    }
  }

  Dependence concatenated() {
    const std::size_t at = axis(0);
    const Range& range = elements_[at];
    const auto all = static_cast<double>(result()[at]);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const std::int64_t end = begin + shape(i)[at];
      Elements elements = elements_;
      if (range) {
        elements[at] =
            AxisRange{std::max(range->begin, begin) - begin, std::min(range->end, end) - begin};
        if (elements[at]->size() > 0) add(i, std::move(elements));
      } else {
        if (end == begin + 1) elements[at] = whole(1);
        add(i, std::move(elements));
        found_.shares.push_back(static_cast<double>(end - begin) / all);
      }
      begin = end;
    }
    return std::move(found_);
  }

  Dependence split() {
    const std::size_t at = axis(0);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < output_; ++i) {
      // The extent of a part that nothing uses is not known here.
      if (node_.outputs[i] == kNoValue) return {};
      before += graph_.type(node_.outputs[i]).shape[at];
    }
    Elements elements = elements_;
    if (elements[at]) {
      elements[at] = AxisRange{elements[at]->begin + before, elements[at]->end + before};
    } else {
      found_.evenly = false;
    }
    add(0, std::move(elements));
    return std::move(found_);
  }

  std::optional<std::vector<std::int64_t>> numbers(std::size_t input) const {
    const ValueId value = node_.input(input);
    if (value == kNoValue) return std::vector<std::int64_t>{};
    if (!graph_.is_constant(value)) return std::nullopt;
    const graph::Tensor tensor = graph_.values[value].constant->tensor();
    if (tensor.type() != graph::DataType::kInt64) return std::nullopt;
    const auto data = tensor.data<std::int64_t>();
    return std::vector<std::int64_t>(data.begin(), data.end());
  }

  Dependence sliced() {
    const auto starts = numbers(1);
    const auto ends = numbers(2);
    const auto axes = numbers(3);
    const auto steps = numbers(4);
    if (!starts || !ends || !axes || !steps) return {};
    const auto dims = graph::resolve_slices(shape(0), *starts, *ends, *axes, *steps);
    Elements elements = elements_;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].length == 1) elements[i] = whole(1);
      if (!elements[i]) found_.evenly = found_.evenly && dims[i].length == shape(0)[i];
      if (!elements[i]) continue;
      const std::int64_t first = dims[i].start + elements[i]->begin * dims[i].step;
      elements[i] = AxisRange{first, first + elements[i]->size()};
      if (dims[i].step != 1) elements[i]->end = first + 1;
    }
    add(0, std::move(elements));
    return std::move(found_);
  }

  const Graph& graph_;
  const Node& node_;
  const std::size_t output_;
  const Elements& elements_;
  Dependence found_;
};

}  // namespace

Elements any_element(const Graph& graph, ValueId value) {
  Elements elements;
  for (const std::int64_t extent : graph.type(value).shape) {
    elements.push_back(extent == 1 ? whole(1) : std::nullopt);
  }
  return elements;
}

Dependence dependence(const Graph& graph, const Node& node, std::size_t output,
                      const Elements& elements) {
  return Rule(graph, node, output, elements).apply();
}

}  // namespace weft::compiler
