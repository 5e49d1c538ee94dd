#include "models/imports/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "models/imports/projections.h"
#include "models/imports/spliced_text.h"

namespace weft::imports {
namespace {

constexpr std::string_view kProblemFile = "a problem";
constexpr std::array<std::string_view, 8> kConvDimensions = {"N", "G", "C", "M",
                                                             "P", "Q", "R", "S"};
constexpr std::array<std::string_view, 4> kCoefficients = {"Wstride", "Hstride", "Wdilation",
                                                           "Hdilation"};
// Sizes that follow from the others and that Timeloop does not read either.
constexpr std::array<std::string_view, 4> kDescriptions = {"H", "W", "Hpad", "Wpad"};
constexpr std::size_t kMostEntries = 100;  // of a list in a data space
constexpr std::size_t kMostTerms = 1000;   // of all projections
// Far above any layer, yet sums of products of two of them fit 64 bits.
constexpr std::uint64_t kMostDimension = std::uint64_t{1} << 31U;
constexpr std::uint64_t kMostProductSize = std::uint64_t{1} << 40U;

/// A scalar with its place in the file.
struct Scalar {
  std::string text;
  std::size_t line = 0;
};
using Scalars = std::map<std::string, Scalar>;

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != names.end();
}

class ProblemFile {
 public:
  explicit ProblemFile(const std::string& file) : file_(file), text_(file, kProblemFile) {
    try {
      root_ = YAML::Load(text_.text());
      read();
    } catch (const YAML::Exception& error) {
      const bool placed = error.mark.line >= 0;
      throw InputError(fmt::format("{}: is not YAML: {}",
                                   placed ? text_.place(index(error.mark.line)) : file, error.msg));
    }
  }

  Problem problem() const { return is_convolution() ? Problem(convolution()) : Problem(product()); }

 private:
  static std::size_t index(int line) { return static_cast<std::size_t>(std::max(0, line)); }

  std::string place(const YAML::Node& node) const { return text_.place(index(node.Mark().line)); }

  [[noreturn]] void refuse(const YAML::Node& node, const std::string& why) const {
    throw InputError(fmt::format("{}: {}", place(node), why));
  }

  /// Calls `entry` with each key and value; refuses what is no map, and keys that come twice.
  template <class Entry>
  void for_each(const YAML::Node& map, std::string_view what, Entry&& entry) const {
    if (!map.IsMap()) refuse(map, fmt::format("{} must be a map of names and values", what));
    std::set<std::string> seen;
    for (const auto& each : map) {
      if (!each.first.IsScalar()) refuse(each.first, "a name must be a word");
      const std::string& key = each.first.Scalar();
      if (!seen.insert(key).second) {
        refuse(each.first, printable(key) + " is given twice; keep one");
      }
      entry(key, each.second, each.first);
    }
  }

  /// The problem is the root, or under the root's key of that name.
  void read() {
    YAML::Node problem = root_;
    if (root_.IsMap() && root_["problem"]) problem.reset(root_["problem"]);
    if (!problem.IsMap()) {
      throw InputError(fmt::format("{}: has no map problem:, so it is no Timeloop problem", file_));
    }
    for_each(problem, "problem",
             [&](const std::string& key, const YAML::Node& value, const YAML::Node& name) {
               if (key == "<<" || key == "<<<") return read_base(value);
               if (key == "shape") return read_shape(value, true);
               if (key == "instance") return read_instance(value);
               if (key == "version" || key == "name") return;
               // Version 0.2 has no instance.
               if (value.IsScalar() || is_known(key) || key == "densities") {
                 return add(key, value, name);
               }
               refuse(name,
                      printable(key) + " is unknown in a problem; there are shape and instance");
             });
    if (values_.empty() && defaults_.empty()) {
      throw InputError(
          fmt::format("{}: gives no dimension; add instance: with the size of each", file_));
    }
  }

  /// What a problem is merged with: its values count where the problem gives none.
  void read_base(const YAML::Node& base) {
    for_each(base, "a merged problem",
             [&](const std::string& key, const YAML::Node& value, const YAML::Node&) {
               if (key == "shape") return read_shape(value, false);
               if (key != "instance") return;
               for_each(value, "instance",
                        [&](const std::string& name, const YAML::Node& size, const YAML::Node&) {
                          if (size.IsScalar()) defaults_.insert_or_assign(name, scalar(size));
                        });
             });
  }

  static Scalar scalar(const YAML::Node& node) { return {node.Scalar(), index(node.Mark().line)}; }

  void read_instance(const YAML::Node& instance) {
    for_each(instance, "instance",
             [&](const std::string& key, const YAML::Node& value, const YAML::Node& name) {
               add(key, value, name);
             });
  }

  void add(const std::string& key, const YAML::Node& value, const YAML::Node& name) {
    if (is_one_of(key, kDescriptions)) return;
    if (key == "densities") {
      refuse(name, "sparse problems are not modelled; remove densities for a dense one");
    }
    if (!value.IsScalar()) refuse(name, printable(key) + " must be a number");
    if (!is_known(key)) {
      refuse(name, fmt::format("{} is no dimension that is known: a product has M, K, N; a "
                               "convolution {}, K for M; coefficients are {}",
                               printable(key), fmt::join(kConvDimensions, ", "),
                               fmt::join(kCoefficients, ", ")));
    }
    if (!values_.emplace(key, scalar(value)).second) {
      refuse(name, printable(key) + " is given twice; keep one");
    }
  }

  static bool is_known(std::string_view key) {
    return key == "K" || is_one_of(key, kConvDimensions) || is_one_of(key, kCoefficients);
  }

  /// The shape of the problem, or of one with which it is merged, whose data spaces count only if
  /// the problem has none.
  void read_shape(const YAML::Node& shape, bool is_own) {
    if (shape.IsScalar()) return;  // the name of a shape that another file has
    for_each(shape, "shape",
             [&](const std::string& key, const YAML::Node& value, const YAML::Node&) {
               if (key == "coefficients") read_coefficients(value);
               if (key == "dimensions") read_dimensions(value);
               const bool spaces = key == "data_spaces" || key == "data-spaces";
               if (spaces && (is_own || spaces_.empty())) read_spaces(value);
             });
  }

  /// Values that an instance may leave out.
  void read_coefficients(const YAML::Node& coefficients) {
    if (!coefficients.IsSequence()) refuse(coefficients, "coefficients must be a list");
    for (const auto& each : coefficients) {
      if (!each.IsMap() || !each["name"] || !each["name"].IsScalar()) {
        refuse(each, "a coefficient must have a name and a default");
      }
      const YAML::Node value = each["default"];
      if (value && value.IsScalar()) {
        defaults_.try_emplace(each["name"].Scalar(), scalar(value));
      }
    }
  }

  void read_dimensions(const YAML::Node& dimensions) {
    if (!dimensions.IsSequence()) refuse(dimensions, "dimensions must be a list");
    for (const auto& each : dimensions) {
      if (!each.IsScalar() || !is_known(each.Scalar())) {
        refuse(each, fmt::format("{} is no dimension that is known: a product has M, K, N; a "
                                 "convolution {}, K for M",
                                 each.IsScalar() ? printable(each.Scalar()) : "a list or map",
                                 fmt::join(kConvDimensions, ", ")));
      }
      dimensions_.push_back(scalar(each));
    }
  }

  void read_spaces(const YAML::Node& spaces) {
    if (!spaces.IsSequence()) refuse(spaces, "data spaces must be a list");
    check_length(spaces);
    spaces_.clear();
    std::size_t terms = 0;
    for (const auto& space : spaces) {
      if (!space.IsMap()) refuse(space, "a data space must be a map");
      const YAML::Node projection = space["projection"];
      if (!projection || !projection.IsSequence()) continue;
      check_length(projection);
      spaces_.push_back({is_true(space["read_write"]) || is_true(space["read-write"]),
                         index(space.Mark().line),
                         {}});
      for (const auto& sum : projection) {
        terms += sum.IsSequence() ? sum.size() : 1;
        if (terms > kMostTerms) {
          refuse(sum, fmt::format("the projections have more than {} terms", kMostTerms));
        }
        spaces_.back().indices.push_back(read_index(sum));
      }
    }
  }

  /// A sum of terms, or the name of one dimension, as in [N, K].
  std::vector<ProjectionTerm> read_index(const YAML::Node& sum) const {
    if (sum.IsScalar()) return {ProjectionTerm{sum.Scalar(), "", index(sum.Mark().line)}};
    if (!sum.IsSequence()) refuse(sum, "an index of a projection must be a list of terms");
    check_length(sum);
    std::vector<ProjectionTerm> index;
    for (const auto& term : sum) {
      const bool fits = term.IsSequence() && (term.size() == 1 || term.size() == 2) &&
                        term[0].IsScalar() && term[term.size() - 1].IsScalar();
      if (!fits) {
        refuse(term,
               "a term of a projection must be a list of a dimension and at most one coefficient");
      }
      const Scalar dimension = scalar(term[0]);
      index.push_back({dimension.text, term.size() == 2 ? term[1].Scalar() : "", dimension.line});
    }
    return index;
  }

  /// Lists in lists of aliases would be read for hours.
  void check_length(const YAML::Node& list) const {
    if (list.size() > kMostEntries) {
      refuse(list, fmt::format("the list has more than {} entries", kMostEntries));
    }
  }

  static bool is_true(const YAML::Node& node) {
    return node && node.IsScalar() && (node.Scalar() == "True" || node.Scalar() == "true");
  }

  bool has(std::string_view name) const {
    const auto named = [&](const Scalar& each) { return each.text == name; };
    return values_.contains(std::string(name)) || std::ranges::any_of(dimensions_, named);
  }

  bool is_convolution() const {
    for (const std::string_view name : {"C", "P", "Q", "R", "S"}) {
      if (has(name)) return true;
    }
    return false;
  }

  /// The value of a dimension or coefficient; `otherwise` if it is nowhere given.
  std::uint64_t value(const std::string& name, std::uint64_t most,
                      std::optional<std::uint64_t> otherwise) const {
    auto found = values_.find(name);
    if (found == values_.end()) {
      found = defaults_.find(name);
      if (found == defaults_.end()) return otherwise ? *otherwise : missing(name);
    }
    return parse_number(found->second.text,
                        fmt::format("{}: {}", text_.place(found->second.line), name), 1, most);
  }

  [[noreturn]] std::uint64_t missing(const std::string& name) const {
    const auto listed = std::ranges::find(dimensions_, name, &Scalar::text);
    throw InputError(fmt::format("{}: the size of dimension {} is missing; add it to instance",
                                 listed == dimensions_.end() ? file_ : text_.place(listed->line),
                                 name));
  }

  /// The value of a term's coefficient. Those of windows are 1 where nothing gives them.
  std::uint64_t factor(const ProjectionTerm& term) const {
    const std::string& name = term.coefficient;
    if (name.empty()) return 1;
    if (is_one_of(name, kCoefficients) || defaults_.contains(name)) return coefficient(name);
    throw InputError(
        fmt::format("{}: coefficient {} has no value; give it a default in shape.coefficients",
                    text_.place(term.line), printable(name)));
  }

  /// `most` is what a dimension may be.
  void check_spaces(std::uint64_t most, std::vector<Operand> operands) const {
    ProjectionCheck([this](std::size_t line) { return text_.place(line); },
                    [this](const ProjectionTerm& term) { return factor(term); },
                    [&](const std::string& name) { return dimension(name, most); })
        .check(spaces_, std::move(operands));
  }

  ProductProblem product() const {
    const ProductProblem sizes = {value("M", kMostProductSize, {}),
                                  value("K", kMostProductSize, {}),
                                  value("N", kMostProductSize, {})};
    check_spaces(kMostProductSize, {{"the operand [M,K] of a product", false, false, {"M", "K"}},
                                    {"the operand [K,N] of a product", false, false, {"K", "N"}},
                                    {"the result of a product", true, false, {"M", "N"}}});
    return sizes;
  }

  std::uint64_t dimension(const std::string& name, std::uint64_t most = kMostDimension) const {
    // What the shape does not list is 1; what it lists must have a size.
    const bool listed = std::ranges::find(dimensions_, name, &Scalar::text) != dimensions_.end();
    return value(name, most, listed ? std::nullopt : std::optional<std::uint64_t>(1));
  }

  std::uint64_t coefficient(const std::string& name) const {
    return value(name, kMostDimension, 1);
  }

  std::uint64_t bounded(std::uint64_t size, const char* what) const {
    if (size <= kMostDimension) return size;
    throw InputError(fmt::format("{}: {} exceed 2^31; use smaller dimensions", file_, what));
  }

  /// The result of a depthwise convolution has the channels in place of filters.
  void check_convolution(bool depthwise) const {
    const std::string what = depthwise ? " of a depthwise convolution" : " of a convolution";
    const std::string filters = has("M") ? "M" : "K";
    std::vector<std::string> weights = {"G", "C", "R", "S"};
    if (!depthwise) weights.push_back(filters);
    check_spaces(
        kMostDimension,
        {{"the weights" + what, false, false, std::move(weights)},
         {"the input" + what, false, true, {"N", "G", "C", "R", "P", "S", "Q"}},
         {"the result" + what, true, false, {"N", "G", depthwise ? "C" : filters, "P", "Q"}}});
  }

  ConvProblem convolution() const {
    if (has("M") && has("K")) {
      throw InputError(fmt::format(
          "{}: a convolution has either M or K, which both count its filters; drop one", file_));
    }
    const bool depthwise = !has("M") && !has("K");
    ConvProblem conv;
    conv.images = dimension("N");
    const std::uint64_t groups = dimension("G");
    const std::uint64_t channels = dimension("C");
    conv.groups = depthwise ? bounded(groups * channels, "its channels") : groups;
    conv.channels = bounded(groups * channels, "its channels");
    conv.filters = depthwise ? conv.channels
                             : bounded(groups * dimension(has("M") ? "M" : "K"), "its filters");
    check_convolution(depthwise);
    conv.filter_width = dimension("R");
    conv.filter_height = dimension("S");
    conv.stride_width = coefficient("Wstride");
    conv.stride_height = coefficient("Hstride");
    conv.dilation_width = coefficient("Wdilation");
    conv.dilation_height = coefficient("Hdilation");
    conv.input_width = bounded((dimension("P") - 1) * conv.stride_width +
                                   (conv.filter_width - 1) * conv.dilation_width + 1,
                               "the columns of its input");
    conv.input_height = bounded((dimension("Q") - 1) * conv.stride_height +
                                    (conv.filter_height - 1) * conv.dilation_height + 1,
                                "the rows of its input");
    return conv;
  }

  const std::string& file_;
  const SplicedText text_;
  YAML::Node root_;
  Scalars values_;
  Scalars defaults_;
  std::vector<Scalar> dimensions_;  // that the shape lists
  std::vector<DataSpace> spaces_;
};

}  // namespace

Problem read_problem(const std::string& file) {
  return ProblemFile(file).problem();
}

}  // namespace weft::imports
