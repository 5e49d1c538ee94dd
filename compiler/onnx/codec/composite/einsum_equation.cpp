#include "compiler/onnx/codec/composite/einsum_equation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"

namespace weft::onnx_io {
namespace {

using graph::Shape;

// Labels above all letters; in a term, kEllipsis alone stands for all dimensions of the ellipsis.
constexpr Label kEllipsis = 256;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string label_text(Label label) {
  return label < kEllipsis ? std::string(1, static_cast<char>(label)) : "...";
}

bool has(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) != labels.end();
}

/// The labels of one term, with kEllipsis in the place of "...".
Labels parse_term(std::string_view text) {
  Labels labels;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (is_letter(text[i])) {
      labels.push_back(text[i]);
    } else if (text.substr(i, 3) == "...") {
      if (has(labels, kEllipsis)) throw InputError("has two ellipses in one term");
      labels.push_back(kEllipsis);
      i += 2;
    } else {
      throw InputError(fmt::format("has {} where a letter, an ellipsis or a comma is expected",
                                   printable(text.substr(i, 1))));
    }
  }
  return labels;
}

struct Terms {
  std::vector<Labels> operands;
  std::optional<Labels> result;
};

Terms parse_terms(std::string_view text) {
  Terms terms;
  const std::size_t arrow = text.find("->");
  if (arrow != std::string_view::npos) terms.result = parse_term(text.substr(arrow + 2));
  text = text.substr(0, arrow);
  while (true) {
    const std::size_t comma = text.find(',');
    terms.operands.push_back(parse_term(text.substr(0, comma)));
    if (comma == std::string_view::npos) return terms;
    text.remove_prefix(comma + 1);
  }
}

/// The term with the ellipsis replaced by labels of `dimensions` dimensions.
Labels expanded(const Labels& term, std::size_t dimensions) {
  Labels labels;
  for (const Label label : term) {
    if (label != kEllipsis) {
      labels.push_back(label);
      continue;
    }
    for (std::size_t i = dimensions; i > 0; --i) {
      labels.push_back(kEllipsis + static_cast<Label>(i) - 1);
    }
  }
  return labels;
}

Labels expanded_operand(const Labels& term, const Shape& shape, std::size_t i) {
  const std::size_t letters = term.size() - (has(term, kEllipsis) ? 1 : 0);
  const bool fits = has(term, kEllipsis) ? shape.size() >= letters : shape.size() == letters;
  if (!fits) {
    throw InputError(fmt::format("names {} dimensions of input {}, which is {}", letters, i,
                                 graph::to_string(shape)));
  }
  return expanded(term, shape.size() - letters);
}

void learn_extent(EinsumEquation& equation, Label label, std::int64_t extent) {
  const auto [at, added] = equation.extents.try_emplace(label, extent);
  if (added || at->second == extent || extent == 1) return;
  if (at->second != 1) {
    throw InputError(fmt::format("has {} for dimensions of extents {} and {}", label_text(label),
                                 at->second, extent));
  }
  at->second = extent;
}

/// A diagonal needs equal extents: broadcasting within one operand is not defined.
void require_square(const Labels& labels, const Shape& shape) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (labels[i] != labels[j] || shape[i] == shape[j]) continue;
      throw InputError(fmt::format("has {} for dimensions of extents {} and {}",
                                   label_text(labels[i]), shape[j], shape[i]));
    }
  }
}

/// The result of an equation without "->".
Labels implicit_result(const EinsumEquation& equation, std::size_t dimensions) {
  std::map<Label, int> counts;
  for (const Labels& labels : equation.operands) {
    for (const Label label : labels) ++counts[label];
  }
  Labels result = expanded({kEllipsis}, dimensions);
  for (const auto& [label, count] : counts) {
    if (label < kEllipsis && count == 1) result.push_back(label);
  }
  return result;
}

Labels explicit_result(const EinsumEquation& equation, const Labels& term, std::size_t dimensions) {
  if (dimensions > 0 && !has(term, kEllipsis)) {
    throw InputError("has an ellipsis that its result lacks");
  }
  Labels result = expanded(term, dimensions);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (std::count(result.begin(), result.end(), result[i]) > 1) {
      throw InputError(fmt::format("has {} twice in its result", label_text(result[i])));
    }
    if (!equation.extents.contains(result[i])) {
      throw InputError(
          fmt::format("has {} in its result, but in no operand", label_text(result[i])));
    }
  }
  return result;
}

EinsumEquation parse(const std::string& text, const std::vector<Shape>& shapes) {
  const Terms terms = parse_terms(text);
  if (terms.operands.size() != shapes.size()) {
    throw InputError(
        fmt::format("has {} terms for {} inputs", terms.operands.size(), shapes.size()));
  }
  EinsumEquation equation;
  std::size_t dimensions = 0;  // of the longest ellipsis
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Labels labels = expanded_operand(terms.operands[i], shapes[i], i);
    require_square(labels, shapes[i]);
    for (std::size_t d = 0; d < labels.size(); ++d) {
      learn_extent(equation, labels[d], shapes[i][d]);
    }
    const auto extra = static_cast<std::size_t>(
        std::ranges::count_if(labels, [](Label label) { return label >= kEllipsis; }));
    dimensions = std::max(dimensions, extra);
    equation.operands.push_back(labels);
  }
  equation.result = terms.result ? explicit_result(equation, *terms.result, dimensions)
                                 : implicit_result(equation, dimensions);
  return equation;
}

}  // namespace

EinsumEquation parse_einsum(const std::string& equation, const std::vector<Shape>& shapes) {
  try {
    return parse(equation, shapes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("attribute equation: {} {}", printable(equation), error.what()));
  }
}

}  // namespace weft::onnx_io
