#include "rtl/cosim/rtl_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/error.h"

namespace weft {
namespace {

void append(std::string& list, const std::string& word) {
  list += (list.empty() ? "" : ", ") + word;
}

/// "4 x 4, 8 x 8": the sizes that there are of `type`.
std::string sizes_of(std::span<const RtlModel> models, ElementType type) {
  std::string sizes;
  for (const RtlModel& model : models) {
    if (model.type() == type) append(sizes, fmt::format("{} x {}", model.rows, model.cols));
  }
  return sizes;
}

/// "int8, bf16 at 4 x 4, 8 x 8; fp16 at 4 x 4": types with the same sizes together.
std::string list_of(std::span<const RtlModel> models) {
  std::vector<std::pair<std::string, std::string>> groups;  // sizes, types
  for (const ElementType type : {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16}) {
    const std::string sizes = sizes_of(models, type);
    if (sizes.empty()) continue;
    auto group = std::ranges::find(groups, sizes, &std::pair<std::string, std::string>::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {sizes, ""});
    append(group->second, std::string(to_string(type)));
  }
  std::string text;
  for (const auto& [sizes, types] : groups) {
    text += (text.empty() ? "" : "; ") + types + " at " + sizes;
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
        "--engine rtl: there is no {} x {} {} array, only {}; choose one of these (--array.rows, "
        "--array.cols, --array.dtype), use --engine stepped, or build with other "
        "WEFT_RTL_SIZES and WEFT_RTL_TYPES",
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
