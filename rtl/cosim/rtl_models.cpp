#include "rtl/cosim/rtl_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/error.h"

namespace weft {
namespace {

void add_once(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// "4 x 4, 8 x 8 int8; 4 x 4 bf16".
std::string list_of(std::span<const RtlModel> models) {
  std::vector<std::string> lists;
  std::vector<std::string> types;
  for (const RtlModel& model : models) add_once(types, std::string(to_string(model.type())));
  std::string text;
  for (const std::string& type : types) {
    std::vector<std::string> sizes;
    for (const RtlModel& model : models) {
      if (to_string(model.type()) != type) continue;
      add_once(sizes, fmt::format("{} x {}", model.rows, model.cols));
    }
    text += (text.empty() ? "" : "; ") + type + " " + joined(sizes);
  }
  return text;
}

}  // namespace

ElementType RtlModel::type() const {
  return std::visit(
      []<class Arithmetic>(MakeDatapath<Arithmetic> /*make*/) { return Arithmetic::kType; }, make);
}

const RtlModel& find_rtl_model(const MachineConfig& config) {
  const std::span<const RtlModel> models = rtl_models();
  if (models.empty()) {
    throw ConfigError(
        "--engine rtl: this build has no RTL; install verilator and build with -DWEFT_RTL=ON, or "
        "use --engine stepped");
  }
  const auto model = std::ranges::find_if(models, [&](const RtlModel& candidate) {
    return candidate.rows == config.array_rows && candidate.cols == config.array_cols &&
           candidate.type() == config.dtype;
  });
  if (model == models.end()) {
    throw ConfigError(fmt::format(
        "--engine rtl: no array of {} x {} {} was built, only {}; choose one of these with "
        "--array.rows, --array.cols and --array.dtype, or add the size to WEFT_RTL_SIZES and build "
        "again",
        config.array_rows, config.array_cols, to_string(config.dtype), list_of(models)));
  }
  if (config.accumulator_rows > model->accumulator_rows) {
    throw ConfigError(fmt::format(
        "accumulators.rows = {}: the RTL was built with {}; give at most that many, or raise "
        "WEFT_RTL_ACCUMULATOR_ROWS and build again",
        config.accumulator_rows, model->accumulator_rows));
  }
  return *model;
}

}  // namespace weft
