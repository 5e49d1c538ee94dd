#include "cli/options/conv_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/options/common_options.h"
#include "cli/options/problem_options.h"

namespace weft::cli {
namespace {

/// Parses numbers separated by commas, each at least `low`.
std::vector<std::int64_t> parse_list(std::string_view text, const std::string& what,
                                     std::uint64_t low) {
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    numbers.push_back(static_cast<std::int64_t>(
        parse_number(text.substr(0, comma), what, low, runtime::kLargestConvExtent)));
    if (comma == text.size()) return numbers;
    text.remove_prefix(comma + 1);
  }
}

std::string required(const Arguments& arguments, const std::string& name) {
  if (const auto text = arguments.text(name)) return *text;
  throw InputError(
      fmt::format("--{} is missing; give --input N,C,H,W --filters F --kernel Y,X", name));
}

/// Parses one number for both sides, or two numbers.
std::array<std::int64_t, 2> parse_pair(std::string_view text, const std::string& what) {
  const std::vector<std::int64_t> numbers = parse_list(text, what, 1);
  if (numbers.size() <= 2) return {numbers.front(), numbers.back()};
  throw InputError(fmt::format("{} {}: must be one number or two", what, printable(text)));
}

std::array<std::int64_t, 2> pair_or_one(const Arguments& arguments, const std::string& name) {
  return parse_pair(arguments.text(name).value_or("1"), "--" + name);
}

std::optional<std::array<std::int64_t, 4>> parse_pads(const std::string& text) {
  if (text == "same") return std::nullopt;
  const std::vector<std::int64_t> pads = parse_list(text, "--pad", 0);
  if (pads.size() == 4) return {{pads[0], pads[1], pads[2], pads[3]}};
  if (pads.size() <= 2) return {{pads.front(), pads.back(), pads.front(), pads.back()}};
  throw InputError(
      fmt::format("--pad {}: must be same, or one, two or four numbers", printable(text)));
}

}  // namespace

po::options_description conv_flags() {
  po::options_description options("Convolution");
  auto add = options.add_options();
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("input", text("N,C,H,W"), "shape of the input");
  add("filters", text("F"), "filters: channels of the result");
  add("kernel", text("Y,X"), "size of a filter, or one number for both");
  add("stride", text("Y,X"), "1 if not given");
  add("pad", text("T,L,B,R"),
      "zeros at the top, left, bottom and right; Y,X: opposite sides; one number: all sides; "
      "same: keeps the size at stride 1; 0 if not given");
  add("dilation", text("Y,X"), "distance between a filter's taps; 1 if not given");
  add("groups", text("G"), "groups of channels; 1 if not given");
  add("taps", text("HOW"),
      "how the filter's taps lie in the array's rows: packed side by side (one group only), apart "
      "(one a fold) or, which is the default, best: what takes fewer cycles");
  for (const auto& part : {problem_flag(), workload_flags()}) {
    for (const auto& option : part.options()) options.add(option);
  }
  return options;
}

namespace {

/// The sizes that options give, without bias, activation and taps.
runtime::ConvSpec read_conv_sizes(const Arguments& arguments) {
  runtime::ConvSpec spec;
  const std::string input = required(arguments, "input");
  spec.input = parse_list(input, "--input", 1);
  if (spec.input.size() != 4) {
    throw InputError(fmt::format("--input {}: must be four numbers, N,C,H,W", printable(input)));
  }
  const auto one = [](const std::string& text, const char* what) {
    return static_cast<std::int64_t>(parse_number(text, what, 1, runtime::kLargestConvExtent));
  };
  spec.filters = one(required(arguments, "filters"), "--filters");
  spec.kernel = parse_pair(required(arguments, "kernel"), "--kernel");
  spec.strides = pair_or_one(arguments, "stride");
  spec.dilations = pair_or_one(arguments, "dilation");
  spec.pads = parse_pads(arguments.text("pad").value_or("0"));
  spec.groups = one(arguments.text("groups").value_or("1"), "--groups");
  return spec;
}

}  // namespace

runtime::ConvSpec read_conv(const Arguments& arguments) {
  const auto problem = read_conv_problem(arguments);
  runtime::ConvSpec spec = problem ? *problem : read_conv_sizes(arguments);
  spec.bias = arguments.has("with-bias");
  spec.activation = read_activation(arguments);
  if (const auto taps = arguments.text("taps")) {
    spec.taps = runtime::parse_tap_packing(*taps, "--taps");
    if (spec.taps == runtime::TapPacking::kPacked && spec.groups > 1) {
      throw InputError(fmt::format(
          "--taps packed: loads cut windows only out of one group, and there are {}; drop --taps",
          spec.groups));
    }
  }
  return spec;
}

}  // namespace weft::cli
