#include "cli/sweep/sweep_workloads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/any.hpp>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/options/common_options.h"
#include "cli/options/conv_options.h"
#include "cli/options/network_options.h"
#include "cli/options/problem_options.h"
#include "runtime/analysis/axis_values.h"

namespace weft::cli {

void refuse_options(const Arguments& arguments, const po::options_description& options,
                    std::string_view why) {
  for (const auto& option : options.options()) {
    if (!arguments.has(option->long_name())) continue;
    throw InputError(fmt::format("--{}: {}", option->long_name(), why));
  }
}

sweep::Axis make_axis(const std::string& name, const std::string& text, const std::string& what) {
  return {name, runtime::parse_values(text, what)};
}

namespace {

/// `--option value` of all those that `options` has and the user gave, as words.
std::vector<std::string> given_words(const Arguments& arguments,
                                     const po::options_description& options) {
  std::vector<std::string> words;
  for (const auto& option : options.options()) {
    const std::string& name = option->long_name();
    if (!arguments.has(name)) continue;
    const auto& value = arguments.values[name].value();
    if (const auto* text = boost::any_cast<std::string>(&value)) {
      words.push_back("--" + name);
      if (!text->empty()) words.push_back(*text);
    } else if (const auto* all = boost::any_cast<std::vector<std::string>>(&value)) {
      for (const std::string& text_of_one : *all) {
        words.push_back("--" + name);
        words.push_back(text_of_one);
      }
    }
  }
  return words;
}

/// A product has a bias and an activation, and no other option of conv.
void refuse_conv_sizes(const Arguments& arguments) {
  const po::options_description all = conv_flags();
  const po::options_description kept = workload_flags();
  for (const auto& option : all.options()) {
    const std::string& name = option->long_name();
    if (!arguments.has(name) || kept.find_nothrow(name, false) != nullptr) continue;
    throw InputError(fmt::format("--{}: is for conv; drop it", name));
  }
}

constexpr std::array<const char*, 3> kSizes = {"m", "k", "n"};
constexpr std::array<const char*, 3> kSizeNames = {"M", "K", "N"};

/// `sizes` are M, K and N, each a number, a list or a range.
void add_product(const Arguments& arguments, std::span<const std::string> sizes,
                 sweep::Request& request) {
  MatmulSpec spec;
  spec.bias = arguments.has("with-bias");
  spec.activation = read_activation(arguments);
  std::vector<std::string> command = {"matmul"};
  for (const std::string& word : given_words(arguments, workload_flags())) {
    command.push_back(word);
  }
  request.workloads.push_back({spec, std::move(command)});
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    request.axes.push_back(
        make_axis(kSizes[i], sizes[i], fmt::format("matmul: {}", kSizeNames[i])));
    for (const std::string& size : request.axes.back().values) parse_size(size, kSizeNames[i]);
  }
}

[[noreturn]] void refuse_mixed(const std::string& word, std::string_view kind) {
  throw InputError(
      fmt::format("{}: networks and {} cannot be mixed in one sweep; run one sweep for each",
                  printable(word), kind));
}

void read_product(const Arguments& arguments, sweep::Request& request) {
  const std::span<const std::string> words = arguments.positionals;
  for (const std::string& word : words.subspan(std::min(words.size(), kSizes.size() + 1))) {
    const char first = word.empty() ? '0' : word.front();
    if (first < '0' || first > '9') refuse_mixed(word, "products");
  }
  if (words.size() != kSizes.size() + 1) {
    throw InputError("matmul: give three sizes, M K N, each a number, a list or a range");
  }
  add_product(arguments, words.subspan(1), request);
}

void read_one_conv(const Arguments& arguments, sweep::Request& request) {
  if (arguments.positionals.size() > 1) {
    throw InputError(fmt::format("{}: one argument too many; conv takes its sizes as options",
                                 printable(arguments.positionals[1])));
  }
  std::vector<std::string> command = {"conv"};
  for (const std::string& word : given_words(arguments, conv_flags())) command.push_back(word);
  request.workloads.push_back({read_conv(arguments), std::move(command)});
}

/// The options of conv that give these sizes. A point is known by its command, so that must change
/// when the file of --problem does.
std::vector<std::string> size_words(const runtime::ConvSpec& spec) {
  const auto list = [](const auto& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); };
  return {"--input",    list(spec.input),     "--filters", std::to_string(spec.filters),
          "--kernel",   list(spec.kernel),    "--stride",  list(spec.strides),
          "--dilation", list(spec.dilations), "--groups",  std::to_string(spec.groups)};
}

void add_conv_problem(const Arguments& arguments, sweep::Request& request) {
  const runtime::ConvSpec spec = read_conv(arguments);
  std::vector<std::string> command = {"conv"};
  for (const std::string& word : size_words(spec)) command.push_back(word);
  for (const std::string& word :
       words_without(given_words(arguments, conv_flags()), {"--problem"})) {
    command.push_back(word);
  }
  request.workloads.push_back({spec, std::move(command)});
}

/// The file says whether it is a product or a convolution, whichever of them is named beside it.
void read_problem_workload(const Arguments& arguments, sweep::Request& request) {
  refuse_options(arguments, network_flags(), "is for networks; drop it");
  const auto& words = arguments.positionals;
  const auto is_kind = [](const std::string& word) { return word == "matmul" || word == "conv"; };
  if (!words.empty() && (words.size() > 1 || !is_kind(words.front()))) {
    throw InputError(fmt::format("{}: --problem gives the whole workload; drop one of them",
                                 printable(words.back())));
  }
  const std::optional<imports::Problem> problem = given_problem(arguments);
  const auto* product = std::get_if<imports::ProductProblem>(&*problem);
  if (product == nullptr) return add_conv_problem(arguments, request);
  add_product(arguments,
              std::array<std::string, 3>{std::to_string(product->m), std::to_string(product->k),
                                         std::to_string(product->n)},
              request);
}

void read_networks(const Arguments& arguments, sweep::Request& request) {
  refuse_options(arguments, conv_flags(), "is for matmul and conv; a network has its own");
  for (const std::string& name : arguments.positionals) {
    if (name == "matmul") refuse_mixed(name, "products");
    if (name == "conv") refuse_mixed(name, "convolutions");
    Arguments one = arguments;
    one.positionals = {name};
    one.values.erase("batch");  // an axis
    const runtime::NetworkRequest network = read_network_request(one);
    std::vector<std::string> command = {"run", name};
    for (const std::string& word : given_words(one, network_flags())) command.push_back(word);
    request.workloads.push_back({network, std::move(command)});
  }
  if (const auto batch = arguments.text("batch")) {
    request.axes.push_back(make_axis("batch", *batch, "--batch"));
    for (const std::string& value : request.axes.back().values) {
      parse_number(value, "--batch", 1, 65536);
    }
  }
}

}  // namespace

void read_workloads(const Arguments& arguments, sweep::Request& request) {
  if (arguments.has("problem")) return read_problem_workload(arguments, request);
  if (arguments.positionals.empty()) {
    throw InputError(
        "no workload; give matmul M K N, conv and its options, --problem FILE, networks, or a file "
        ".ini");
  }
  const std::string& first = arguments.positionals.front();
  if (first == "matmul" || first == "conv") {
    refuse_options(arguments, network_flags(), "is for networks; drop it");
    if (arguments.has("optimize") && first == "matmul") {
      throw InputError("--optimize: is for networks and conv; a product's plan needs no search");
    }
  }
  if (first == "matmul") {
    refuse_conv_sizes(arguments);
    return read_product(arguments, request);
  }
  if (first == "conv") return read_one_conv(arguments, request);
  read_networks(arguments, request);
}

}  // namespace weft::cli
