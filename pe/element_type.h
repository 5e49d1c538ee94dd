// Element types: what the array multiplies (int8, bf16, fp16) and what it accumulates (int32,
// float32). The array types are the first three; the accumulators hold the other two.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

enum class ElementType : std::uint8_t { kInt8, kBf16, kFp16, kInt32, kFloat32 };

/// Bytes of one element.
constexpr std::uint32_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return 1;
    case ElementType::kBf16:
    case ElementType::kFp16:
      return 2;
    case ElementType::kInt32:
    case ElementType::kFloat32:
      return 4;
  }
  return 0;
}

/// True for the types that a PE multiplies.
constexpr bool is_array_type(ElementType type) {
  return type == ElementType::kInt8 || type == ElementType::kBf16 || type == ElementType::kFp16;
}

/// The type in which products of `array_type` are accumulated: int32 for int8, else float32.
constexpr ElementType accumulator_type(ElementType array_type) {
  return array_type == ElementType::kInt8 ? ElementType::kInt32 : ElementType::kFloat32;
}

/// "int8", "bf16", "fp16", "int32" or "float32".
std::string_view to_string(ElementType type);

/// The inverse of to_string(). Returns nullopt for an unknown name.
std::optional<ElementType> element_type_from_string(std::string_view name);

}  // namespace weft
