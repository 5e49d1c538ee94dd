#include "cli/options/problem_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/options/common_options.h"
#include "cli/options/conv_options.h"
#include "cli/options/search_options.h"

namespace weft::cli {
namespace {

constexpr std::string_view kOption = "--problem";
constexpr std::array<const char*, 4> kProductFiles = {"a", "b", "bias", "out"};

/// Options that convolutions have and products do not.
std::vector<std::string> only_of_convolutions() {
  po::options_description products = workload_flags();
  products.add(problem_flag());
  std::vector<std::string> names;
  for (const po::options_description& part : {conv_flags(), search_flags()}) {
    for (const auto& option : part.options()) {
      const std::string& name = option->long_name();
      if (products.find_nothrow(name, false) == nullptr) names.push_back(name);
    }
  }
  return names;
}

/// Throws InputError for an option that `given` says is there and that the problem's kind does not
/// have.
void check_kind(const imports::Problem& problem, const std::string& file,
                const std::function<bool(const std::string&)>& given) {
  if (std::holds_alternative<imports::ProductProblem>(problem)) {
    for (const std::string& name : only_of_convolutions()) {
      if (!given(name)) continue;
      throw InputError(
          fmt::format("{} is a product; --{} is for convolutions, so drop it", file, name));
    }
    return;
  }
  for (const std::string name : kProductFiles) {
    if (!given(name)) continue;
    throw InputError(
        fmt::format("{} is a convolution; --{} is for products, so drop it", file, name));
  }
}

/// True if an option of this name is one of the words, with a value or before it.
bool has_option(const std::vector<std::string>& words, const std::string& name) {
  const std::string option = "--" + name;
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word == option || word.starts_with(option + "=");
  });
}

/// The file that --problem names; nullopt without it.
std::optional<std::string> problem_file(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == kOption && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      return std::string(word.substr(kOption.size() + 1));
    }
  }
  return std::nullopt;
}

void refuse_sizes(const std::string& what) {
  throw InputError(fmt::format("{}: --problem gives all sizes; drop one of them", what));
}

std::int64_t extent(std::uint64_t size) {
  return static_cast<std::int64_t>(size);
}

}  // namespace

po::options_description problem_flag() {
  po::options_description options;
  options.add_options()("problem", text_value("FILE"),
                        "take the sizes from a Timeloop problem, .yaml");
  return options;
}

std::optional<imports::Problem> named_problem(const std::vector<std::string>& words) {
  const auto file = problem_file(words);
  if (!file) return std::nullopt;
  imports::Problem problem = imports::read_problem(*file);
  check_kind(problem, *file, [&](const std::string& name) { return has_option(words, name); });
  return problem;
}

std::optional<imports::Problem> given_problem(const Arguments& arguments) {
  const auto file = arguments.text("problem");
  if (!file) return std::nullopt;
  imports::Problem problem = imports::read_problem(*file);
  check_kind(problem, *file, [&](const std::string& name) { return arguments.has(name); });
  return problem;
}

std::optional<imports::ProductProblem> read_product_problem(const Arguments& arguments) {
  const auto file = arguments.text("problem");
  if (!file) return std::nullopt;
  if (!arguments.positionals.empty()) refuse_sizes(arguments.positionals.front());
  return std::get<imports::ProductProblem>(imports::read_problem(*file));
}

std::optional<runtime::ConvSpec> read_conv_problem(const Arguments& arguments) {
  const auto file = arguments.text("problem");
  if (!file) return std::nullopt;
  for (const char* name : {"input", "filters", "kernel", "stride", "pad", "dilation", "groups"}) {
    if (arguments.has(name)) refuse_sizes(fmt::format("--{}", name));
  }
  const auto conv = std::get<imports::ConvProblem>(imports::read_problem(*file));
  runtime::ConvSpec spec;
  spec.input = {extent(conv.images), extent(conv.channels), extent(conv.input_height),
                extent(conv.input_width)};
  spec.filters = extent(conv.filters);
  spec.kernel = {extent(conv.filter_height), extent(conv.filter_width)};
  spec.strides = {extent(conv.stride_height), extent(conv.stride_width)};
  spec.dilations = {extent(conv.dilation_height), extent(conv.dilation_width)};
  spec.pads = {{0, 0, 0, 0}};
  spec.groups = extent(conv.groups);
  return spec;
}

}  // namespace weft::cli
