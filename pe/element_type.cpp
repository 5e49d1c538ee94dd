#include "pe/element_type.h"

#include <array>
#include <utility>

namespace weft {
namespace {

constexpr std::array<std::pair<ElementType, std::string_view>, 5> kNames = {{
    {ElementType::kInt8, "int8"},
    {ElementType::kBf16, "bf16"},
    {ElementType::kFp16, "fp16"},
    {ElementType::kInt32, "int32"},
    {ElementType::kFloat32, "float32"},
}};

}  // namespace

std::string_view to_string(ElementType type) {
  for (const auto& [value, name] : kNames) {
    if (value == type) return name;
  }
  return "unknown";
}

std::optional<ElementType> element_type_from_string(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace weft
