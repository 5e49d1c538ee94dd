// Einsum as products of matrices, so that the array computes it.
//
//   bij,bjk->bik    operands with their labels
//     |   |         a label twice in one operand: its diagonal
//     |   |         labels that only this operand has: summed
//     +-+-+
//       |           per pair: [batch, rows, inner] x [batch, inner, columns], a MatMul;
//       |           without inner labels, an element-wise Mul
//      bik          the order of the result: Transpose
//
// The operands are joined from the first; the next one is that which leaves the smallest result.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/composite/einsum_equation.h"
#include "compiler/onnx/codec/composite/recipes.h"

namespace weft::onnx_io {

using graph::Op;
using graph::Shape;
using graph::ValueId;

namespace {

/// A value whose dimensions have labels, each at most once.
struct Term {
  ValueId value = graph::kNoValue;
  Labels labels;

  bool has(Label label) const { return std::ranges::find(labels, label) != labels.end(); }
};

bool contains(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) != labels.end();
}

Labels operator+(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::int64_t place_of(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) - labels.begin();
}

/// The labels of a pair of terms by their role in the product.
struct Roles {
  Labels batch;    // of both, and needed afterwards
  Labels inner;    // of both, and summed
  Labels rows;     // of the first alone
  Labels columns;  // of the second alone
};

class Contraction {
 public:
  explicit Contraction(Assembly& node) : node_(node) {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      shapes.push_back(node.shape(node.input(i)));
    }
    if (!node.attributes().has("equation")) throw InputError("attribute equation is missing");
    equation_ = parse_einsum(node.attributes().text("equation", ""), shapes);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      terms_.push_back(squeezed(diagonal({node.input(i), equation_.operands[i]})));
    }
  }

  ValueId run() {
    for (std::size_t i = 0; i < terms_.size(); ++i) sum_own_labels(i);
    while (terms_.size() > 1) join(nearest());
    return arranged(terms_.front(), equation_.result);
  }

 private:
  std::int64_t extent(Label label) const { return equation_.extents.at(label); }
  std::int64_t product(const Labels& labels) const {
    std::int64_t result = 1;
    for (const Label label : labels) result = graph::checked_mul(result, extent(label));
    return result;
  }
  Shape shape_of(const Labels& labels) const {
    Shape shape;
    for (const Label label : labels) shape.push_back(extent(label));
    return shape;
  }

  /// Takes the diagonal for each label that occurs twice. Elements 0, n + 1, 2 (n + 1), ... of a
  /// square matrix of n rows are its diagonal.
  Term diagonal(Term term) {
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
      const auto rest = term.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const auto twin = std::find(rest, term.labels.end(), term.labels[i]);
      if (twin == term.labels.end()) continue;
      term = without_twin(std::move(term), i, static_cast<std::size_t>(twin - term.labels.begin()));
      return diagonal(std::move(term));
    }
    return term;
  }

  Term without_twin(Term term, std::size_t first, std::size_t second) {
    const Label label = term.labels[first];
    std::vector<std::int64_t> perm;
    Term result;
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
      if (i == first || i == second) continue;
      perm.push_back(static_cast<std::int64_t>(i));
      result.labels.push_back(term.labels[i]);
    }
    perm.push_back(static_cast<std::int64_t>(first));
    perm.push_back(static_cast<std::int64_t>(second));
    const ValueId last = node_.transpose(term.value, perm);
    Shape flat = node_.shape(last);
    const std::int64_t n = flat.back();
    flat.pop_back();
    flat.back() = graph::checked_mul(n, n);
    const auto axis = static_cast<std::int64_t>(result.labels.size());
    result.value = node_.slice(node_.reshape(last, flat), axis, 0, flat.back(), n + 1);
    result.labels.push_back(label);
    return result;
  }

  /// Removes dimensions of extent 1 that are broadcast: the other operands have their elements.
  Term squeezed(Term term) {
    const Shape shape = node_.shape(term.value);
    Term result{term.value, {}};
    Shape rest;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 1 && extent(term.labels[i]) != 1) continue;
      rest.push_back(shape[i]);
      result.labels.push_back(term.labels[i]);
    }
    result.value = node_.reshape(term.value, rest);
    return result;
  }

  /// How many terms have each label.
  void count_labels() {
    counts_.clear();
    for (const Term& term : terms_) {
      for (const Label label : term.labels) ++counts_[label];
    }
  }

  /// True if the result has the label, or more terms than `own` have it.
  bool is_needed(Label label, int own) const {
    return contains(equation_.result, label) || counts_.at(label) > own;
  }

  /// Sums the labels that nothing but term `i` has.
  void sum_own_labels(std::size_t i) {
    count_labels();
    std::vector<std::int64_t> axes;
    Labels rest;
    for (const Label label : terms_[i].labels) {
      if (is_needed(label, 1)) {
        rest.push_back(label);
      } else {
        axes.push_back(place_of(terms_[i].labels, label));
      }
    }
    terms_[i] = {node_.sum(terms_[i].value, axes, false), std::move(rest)};
  }

  Roles roles(std::size_t second) const {
    const Term& a = terms_[0];
    const Term& b = terms_[second];
    Roles roles;
    for (const Label label : a.labels) {
      if (!b.has(label)) {
        roles.rows.push_back(label);
      } else if (is_needed(label, 2)) {
        roles.batch.push_back(label);
      } else {
        roles.inner.push_back(label);
      }
    }
    for (const Label label : b.labels) {
      if (!a.has(label)) roles.columns.push_back(label);
    }
    return roles;
  }

  /// The term that leaves the smallest result when it is joined to the first.
  std::size_t nearest() const {
    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < terms_.size(); ++i) {
      const Roles pair = roles(i);
      double elements = 1;
      for (const Label label : pair.batch + pair.rows + pair.columns) {
        elements *= static_cast<double>(extent(label));
      }
      if (elements < least) std::tie(best, least) = std::pair(i, elements);
    }
    return best;
  }

  void join(std::size_t second) {
    const Roles pair = roles(second);
    Term joined = pair.inner.empty() ? multiplied(second, pair) : contracted(second, pair);
    terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(second));
    terms_[0] = std::move(joined);
    sum_own_labels(0);
  }

  ValueId arranged(const Term& term, const Labels& order) {
    std::vector<std::int64_t> perm;
    for (const Label label : order) perm.push_back(place_of(term.labels, label));
    return node_.transpose(term.value, perm);
  }

  /// [batch, rows, inner] x [batch, inner, columns].
  Term contracted(std::size_t second, const Roles& pair) {
    const std::int64_t inner = product(pair.inner);
    Shape a = shape_of(pair.batch);
    Shape b = a;
    a.insert(a.end(), {product(pair.rows), inner});
    b.insert(b.end(), {inner, product(pair.columns)});
    const ValueId left = node_.reshape(arranged(terms_[0], pair.batch + pair.rows + pair.inner), a);
    const ValueId right =
        node_.reshape(arranged(terms_[second], pair.batch + pair.inner + pair.columns), b);
    Labels labels = pair.batch + pair.rows + pair.columns;
    const ValueId matrices = node_.add(Op::kMatMul, {left, right});
    return {node_.reshape(matrices, shape_of(labels)), std::move(labels)};
  }

  /// Both with the dimensions [batch, rows, columns], some of extent 1.
  Term multiplied(std::size_t second, const Roles& pair) {
    Labels labels = pair.batch + pair.rows + pair.columns;
    const auto aligned = [&](const Term& term, const Labels& own) {
      Shape shape;
      for (const Label label : labels) shape.push_back(term.has(label) ? extent(label) : 1);
      return node_.reshape(arranged(term, own), shape);
    };
    const ValueId left = aligned(terms_[0], pair.batch + pair.rows);
    const ValueId right = aligned(terms_[second], pair.batch + pair.columns);
    return {node_.add(Op::kMul, {left, right}), std::move(labels)};
  }

  Assembly& node_;
  EinsumEquation equation_;
  std::vector<Term> terms_;
  std::map<Label, int> counts_;
};

}  // namespace

ValueId compose_einsum(Assembly& node) {
  return Contraction(node).run();
}

}  // namespace weft::onnx_io
