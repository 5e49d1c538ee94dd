#include "cli/options/problem_options.h"

#include <fmt/format.h>

#include <string_view>

#include "base/error.h"

namespace weft::cli {
namespace {

constexpr std::string_view kOption = "--problem";

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
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == kOption && i + 1 < words.size()) return imports::read_problem(words[i + 1]);
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      return imports::read_problem(std::string(word.substr(kOption.size() + 1)));
    }
  }
  return std::nullopt;
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
