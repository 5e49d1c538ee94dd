#include "rtl/cosim/rtl_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/loaded_library.h"
#include "rtl/cosim/rtl_builder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".so";
constexpr std::uint32_t kUsualAccumulatorRows = 4096;  // default of tools/rtl.sh
constexpr std::uint64_t kMostPesUnasked = 1024;        // 256 PEs compile in half a minute

fs::path array_folder() {
  const char* const folder = std::getenv("WEFT_RTL_PATH");
  return folder != nullptr && *folder != '\0' ? fs::path(folder) : library_folder() / "rtl";
}

/// Removes a number and then `behind` from the front of `text`; nullopt if they are missing.
std::optional<std::uint32_t> take_number(std::string_view& text, std::string_view behind) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(behind)) return std::nullopt;
  text.remove_prefix(behind.size());
  return number;
}

/// Parses a name like "int8-4x4-4096.so". Returns nullopt for other files.
std::optional<RtlArray> array_of_file(std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto type = element_type_from_string(name.substr(0, dash));
  std::string_view rest = name.substr(dash + 1);
  const auto rows = take_number(rest, "x");
  const auto cols = rows ? take_number(rest, "-") : std::nullopt;
  const auto accumulators = cols ? take_number(rest, kSuffix) : std::nullopt;
  if (!type || !accumulators || !rest.empty()) return std::nullopt;
  return RtlArray{*type, *rows, *cols, *accumulators};
}

std::string size_and_type(const RtlArray& array) {
  return fmt::format("{}x{} {}", array.rows, array.cols, to_string(array.type));
}

fs::path file_of(const RtlArray& array) {
  return array_folder() / fmt::format("{}-{}x{}-{}{}", to_string(array.type), array.rows,
                                      array.cols, array.accumulator_rows, kSuffix);
}

/// What tools/rtl.sh would build for this machine.
RtlArray wanted_array(const MachineConfig& config) {
  return {config.dtype, config.array_rows, config.array_cols,
          std::max(config.accumulator_rows, kUsualAccumulatorRows)};
}

/// The built array that fits `config` with the fewest accumulator rows.
std::optional<RtlArray> find_array(const MachineConfig& config) {
  const std::vector<RtlArray> arrays = rtl_arrays();
  const auto found = std::ranges::find_if(arrays, [&](const RtlArray& array) {
    return array.type == config.dtype && array.rows == config.array_rows &&
           array.cols == config.array_cols && array.accumulator_rows >= config.accumulator_rows;
  });
  return found == arrays.end() ? std::nullopt : std::optional(*found);
}

/// "; built arrays: 4x4 int8, 8x8 int8", or an empty string.
std::string built_arrays() {
  std::string text;
  std::string last;
  for (const RtlArray& array : rtl_arrays()) {
    const std::string name = size_and_type(array);
    if (name != last) text += (text.empty() ? "; built arrays: " : ", ") + name;
    last = name;
  }
  return text;
}

[[noreturn]] void throw_missing(const MachineConfig& config) {
  const RtlArray wanted = wanted_array(config);
  const std::string depth = wanted.accumulator_rows == kUsualAccumulatorRows
                                ? ""
                                : fmt::format(" {}", wanted.accumulator_rows);
  throw MissingError(fmt::format(
      "--engine rtl: the {} array is not built; run tools/rtl.sh {}{}, or use --engine stepped{}",
      size_and_type(wanted) + (depth.empty() ? "" : " with" + depth + " accumulator rows"),
      size_and_type(wanted), depth, built_arrays()));
}

const RtlModel& load(const RtlArray& array) {
  return load_library<RtlModel>(file_of(array), kRtlModelSymbol, WEFT_RTL_INTERFACE);
}

/// The reason why the built array cannot be loaded; nullopt if it can.
std::optional<std::string> unusable(const RtlArray& array) {
  try {
    load(array);
    return std::nullopt;
  } catch (const MissingError& error) {
    return error.what();
  }
}

}  // namespace

std::vector<RtlArray> rtl_arrays() {
  std::vector<RtlArray> arrays;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(array_folder(), error)) {
    if (const auto array = array_of_file(entry.path().filename().string())) {
      arrays.push_back(*array);
    }
  }
  std::ranges::sort(arrays, {}, [](const RtlArray& array) {
    return std::tuple(array.type, array.rows, array.cols, array.accumulator_rows);
  });
  return arrays;
}

bool has_rtl_array(const MachineConfig& config) {
  return find_array(config).has_value();
}

void prepare_rtl_array(const MachineConfig& config) {
  const auto array = find_array(config);
  const auto fault = array ? unusable(*array) : std::nullopt;
  if (array && !fault) return;
  const RtlArray wanted = array.value_or(wanted_array(config));
  const char* const builder = std::getenv("WEFT_RTL_BUILDER");
  const bool asked = builder != nullptr && *builder != '\0';
  if (asked && std::uint64_t{wanted.rows} * wanted.cols <= kMostPesUnasked) {
    build_rtl_array(builder, wanted);
  } else if (fault) {
    throw MissingError(
        fmt::format("--engine rtl: {}; run tools/rtl.sh {}", *fault, size_and_type(wanted)));
  }
  load_rtl_model(config);
}

const RtlModel& load_rtl_model(const MachineConfig& config) {
  const auto array = find_array(config);
  if (!array) throw_missing(config);
  return load(*array);
}

}  // namespace weft
