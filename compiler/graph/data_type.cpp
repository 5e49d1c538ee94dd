#include "compiler/graph/data_type.h"

#include <array>

namespace weft::graph {
namespace {

struct TypeEntry {
  DataType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeEntry, 8> kTypes = {{
    {DataType::kFloat16, "float16", 2},
    {DataType::kFloat32, "float32", 4},
    {DataType::kFloat64, "float64", 8},
    {DataType::kInt8, "int8", 1},
    {DataType::kUint8, "uint8", 1},
    {DataType::kInt32, "int32", 4},
    {DataType::kInt64, "int64", 8},
    {DataType::kBool, "bool", 1},
}};

const TypeEntry& entry(DataType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

std::size_t size_bytes(DataType type) {
  return entry(type).bytes;
}

bool is_float(DataType type) {
  return type == DataType::kFloat16 || type == DataType::kFloat32 || type == DataType::kFloat64;
}

std::string_view to_string(DataType type) {
  return entry(type).name;
}

std::optional<DataType> data_type_from_string(std::string_view name) {
  for (const TypeEntry& known : kTypes) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

}  // namespace weft::graph
