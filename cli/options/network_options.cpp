#include "cli/options/network_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/options/common_options.h"
#include "models/networks/networks.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

struct NameAndText {
  std::string name;
  std::string text;
};

std::optional<std::int64_t> read_count(const Arguments& arguments, const std::string& name,
                                       std::int64_t most) {
  const auto text = arguments.text(name);
  if (!text) return std::nullopt;
  return static_cast<std::int64_t>(
      parse_number(*text, "--" + name, 1, static_cast<std::uint64_t>(most)));
}

/// Parses "1,3,224,224"; an empty text is an error.
graph::Shape parse_shape(const NameAndText& given) {
  graph::Shape shape;
  std::string_view rest = given.text;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string what = fmt::format("--shape {}: extent", printable(given.name));
    shape.push_back(static_cast<std::int64_t>(parse_size(rest.substr(0, comma), what)));
    if (comma == rest.size()) return shape;
    rest.remove_prefix(comma + 1);
  }
}

/// Tables of layers, as other simulators take them, are no networks: they have no connections.
void check_is_no_table(const std::string& model) {
  std::error_code error;
  if (fs::path(model).extension() != ".csv" || !fs::exists(model, error)) return;
  throw InputError(
      fmt::format("{}: is a table, not an ONNX model; run its layers one by one with `weft conv` "
                  "and `weft matmul`",
                  model));
}

/// Throws InputError unless `model` is the name of a built-in network.
void check_known(const std::string& model) {
  std::error_code error;
  const auto known = networks::networks();
  if (fs::is_directory(model, error) &&
      std::ranges::find(known, model, &networks::NetworkInfo::name) == known.end()) {
    throw InputError(
        model +
        ": is a folder, not a file; give an .onnx file or a name that `weft networks` lists");
  }
  networks::find_network(model);
}

void check_flags_fit(const runtime::NetworkRequest& request) {
  if (request.is_file && request.sequence) {
    throw InputError(
        fmt::format("--sequence: is for networks that come with weft; give {} its --shape instead",
                    request.model));
  }
  if (request.is_file && request.kv_cache) {
    throw InputError(fmt::format(
        "--kv-cache: is for networks that come with weft; the inputs of {} have their own --shape",
        request.model));
  }
  if (request.is_file || request.shapes.empty()) return;
  throw InputError(
      fmt::format("--shape: is for ONNX files; the shapes of {} follow from --batch and --sequence",
                  request.model));
}

/// Reads the values NAME=TEXT of a repeatable option and splits each at the first '='. Throws
/// InputError if a name is empty or repeated, or a text is empty; `form` shows the option's syntax.
std::vector<NameAndText> read_named_texts(const Arguments& arguments, const std::string& option,
                                          std::string_view form) {
  std::vector<NameAndText> all;
  if (!arguments.has(option)) return all;
  for (const std::string& word : arguments.values[option].as<std::vector<std::string>>()) {
    const std::size_t equals = std::min(word.find('='), word.size());
    NameAndText given{word.substr(0, equals), word.substr(std::min(equals + 1, word.size()))};
    if (given.name.empty() || given.text.empty()) {
      throw InputError(
          fmt::format("--{} {}: must look like --{} {}", option, printable(word), option, form));
    }
    const auto known = std::ranges::find(all, given.name, &NameAndText::name);
    if (known != all.end()) {
      throw InputError(
          fmt::format("--{} {}: is given twice; drop one", option, printable(given.name)));
    }
    all.push_back(std::move(given));
  }
  return all;
}

}  // namespace

po::options_description network_flags() {
  po::options_description options("Network");
  auto add = options.add_options();
  add("batch", po::value<std::string>()->value_name("N"),
      "samples per run, for a built-in network or an ONNX file with an open first dimension; 1 if "
      "not given for a built-in network or a dimension named batch");
  add("sequence", po::value<std::string>()->value_name("N"),
      "tokens, for built-in networks that take a sequence");
  add("kv-cache", po::value<std::string>()->value_name("N"),
      "decode one token after N cached ones, for built-in networks that generate text");
  add("shape", po::value<std::vector<std::string>>()->composing()->value_name("NAME=N,..."),
      "shape of an input that an ONNX file leaves open; repeat for each such input");
  return options;
}

runtime::NetworkRequest read_network_request(const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    throw InputError("no network; give an .onnx file or a name that `weft networks` lists");
  }
  check_positional_count(arguments, 1);
  runtime::NetworkRequest request;
  request.model = arguments.positionals.front();
  check_is_no_table(request.model);
  request.is_file = runtime::names_file(request.model);
  if (!request.is_file) check_known(request.model);
  request.batch = read_count(arguments, "batch", networks::kLargestBatch);
  request.sequence = read_count(arguments, "sequence", std::numeric_limits<std::int32_t>::max());
  request.kv_cache = read_count(arguments, "kv-cache", std::numeric_limits<std::int32_t>::max());
  for (const NameAndText& given : read_named_texts(arguments, "shape", "NAME=1,3,224,224")) {
    request.shapes.emplace(given.name, parse_shape(given));
  }
  check_flags_fit(request);
  return request;
}

po::options_description input_flag() {
  po::options_description options;
  options.add_options()(
      "input", po::value<std::vector<std::string>>()->composing()->value_name("NAME=FILE"),
      "values of an input, .npy or .pb; repeat for each input; other inputs are random");
  return options;
}

std::vector<runtime::InputFile> read_input_files(const Arguments& arguments) {
  std::vector<runtime::InputFile> files;
  for (const NameAndText& given : read_named_texts(arguments, "input", "NAME=FILE.npy")) {
    files.push_back({given.name, given.text, runtime::read_tensor(given.text)});
  }
  return files;
}

}  // namespace weft::cli
