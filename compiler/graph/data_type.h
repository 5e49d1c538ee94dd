// The element types of a network's values. The array multiplies other types, ElementType
// (pe/element_type.h); the lowering chooses the ElementType for each DataType.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::graph {

enum class DataType : std::uint8_t {
  kFloat16,
  kFloat32,
  kFloat64,
  kInt8,
  kUint8,
  kInt32,
  kInt64,
  kBool,
};

/// One element of a kFloat16 tensor: an IEEE binary16 bit pattern. pe/float_formats.h converts it.
struct Half {
  std::uint16_t bits = 0;
  friend bool operator==(const Half&, const Half&) = default;
};

/// Bytes of one element; a bool is one byte, 0 or 1.
std::size_t size_bytes(DataType type);
/// True for float16, float32 and float64.
bool is_float(DataType type);
/// "float16", "float32", "float64", "int8", "uint8", "int32", "int64" or "bool".
std::string_view to_string(DataType type);
/// The inverse of to_string(). Returns nullopt for an unknown name.
std::optional<DataType> data_type_from_string(std::string_view name);

/// The DataType whose elements are T.
template <class T>
constexpr DataType data_type_of();
template <>
constexpr DataType data_type_of<Half>() {
  return DataType::kFloat16;
}
template <>
constexpr DataType data_type_of<float>() {
  return DataType::kFloat32;
}
template <>
constexpr DataType data_type_of<double>() {
  return DataType::kFloat64;
}
template <>
constexpr DataType data_type_of<std::int8_t>() {
  return DataType::kInt8;
}
template <>
constexpr DataType data_type_of<std::uint8_t>() {
  return DataType::kUint8;
}
template <>
constexpr DataType data_type_of<std::int32_t>() {
  return DataType::kInt32;
}
template <>
constexpr DataType data_type_of<std::int64_t>() {
  return DataType::kInt64;
}
template <>
constexpr DataType data_type_of<bool>() {
  return DataType::kBool;
}

/// Calls function(T{}), with T the element type of `type`, and returns its result.
template <class Function>
decltype(auto) with_type(DataType type, Function&& function) {
  switch (type) {
    case DataType::kFloat16:
      return function(Half{});
    case DataType::kFloat32:
      return function(float{});
    case DataType::kFloat64:
      return function(double{});
    case DataType::kInt8:
      return function(std::int8_t{});
    case DataType::kUint8:
      return function(std::uint8_t{});
    case DataType::kInt32:
      return function(std::int32_t{});
    case DataType::kInt64:
      return function(std::int64_t{});
    case DataType::kBool:
      break;
  }
  return function(bool{});
}

}  // namespace weft::graph
