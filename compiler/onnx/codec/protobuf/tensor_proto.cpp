#include "compiler/onnx/codec/protobuf/tensor_proto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "pe/float_formats.h"

namespace weft::onnx_io {
namespace {

using graph::DataType;
using ::onnx::TensorProto;

// raw_data is little-endian and is copied without conversion.
static_assert(std::endian::native == std::endian::little);

constexpr std::array kTypes = std::to_array<std::pair<TensorProto::DataType, DataType>>({
    {TensorProto::FLOAT16, DataType::kFloat16},
    {TensorProto::FLOAT, DataType::kFloat32},
    {TensorProto::DOUBLE, DataType::kFloat64},
    {TensorProto::INT8, DataType::kInt8},
    {TensorProto::UINT8, DataType::kUint8},
    {TensorProto::INT32, DataType::kInt32},
    {TensorProto::INT64, DataType::kInt64},
    {TensorProto::BOOL, DataType::kBool},
});

/// Types that later versions of ONNX than Debian's have, from the first.
constexpr int kFirstNewerType = 17;
constexpr auto kNewerTypes = std::to_array<std::string_view>(
    {"FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4", "INT4",
     "FLOAT4E2M1", "FLOAT8E8M0", "UINT2", "INT2"});

/// The type's name in ONNX, or "" if there is no such type.
std::string onnx_type_name(std::int64_t type) {
  if (type < 0 || type > std::numeric_limits<int>::max()) return "";
  if (TensorProto::DataType_IsValid(static_cast<int>(type))) {
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(type));
  }
  const auto newer = static_cast<std::size_t>(type - kFirstNewerType);
  return newer < kNewerTypes.size() ? std::string(kNewerTypes[newer]) : "";
}

/// The field of the message that holds elements of type T.
template <class T>
auto& typed_field(TensorProto& proto) {
  if constexpr (std::is_same_v<T, float>) {
    return *proto.mutable_float_data();
  } else if constexpr (std::is_same_v<T, double>) {
    return *proto.mutable_double_data();
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return *proto.mutable_int64_data();
  } else {
    return *proto.mutable_int32_data();
  }
}

template <class T, class Stored>
T element(Stored stored) {
  if constexpr (std::is_same_v<T, Stored>) {
    return stored;
  } else if constexpr (std::is_same_v<T, bool>) {
    return stored != 0;
  } else if constexpr (std::is_same_v<T, graph::Half>) {
    return {element<std::uint16_t>(stored)};
  } else {
    if (!std::in_range<T>(stored)) {
      throw InputError(fmt::format("element {} is out of its type's range", stored));
    }
    return static_cast<T>(stored);
  }
}

/// The type of a tensor in the file. `held` is the type that holds its elements until they are
/// widened: bfloat16 has the bits of float16.
struct StoredType {
  graph::ValueType held;
  bool is_bf16 = false;
};

/// "float32 8x4", or "bfloat16 8x4".
std::string to_string(const StoredType& type) {
  return (type.is_bf16 ? "b" : "") + graph::to_string(type.held);
}

void require_count(std::int64_t expected, std::int64_t stored, const StoredType& type,
                   const char* unit) {
  if (expected == stored) return;
  throw InputError(
      fmt::format("{} needs {} {}, the file has {}", to_string(type), expected, unit, stored));
}

/// Replaces every nonzero byte by 1, since any nonzero byte means true, as in NumPy.
void normalize_bools(std::span<std::byte> bytes) {
  for (std::byte& byte : bytes) byte = byte == std::byte{0} ? byte : std::byte{1};
}

graph::Tensor take_raw(TensorProto& proto, const StoredType& type) {
  const auto element_bytes = static_cast<std::int64_t>(graph::size_bytes(type.held.type));
  std::int64_t expected = 0;
  if (__builtin_mul_overflow(graph::element_count(type.held.shape), element_bytes, &expected)) {
    throw InputError(fmt::format("{}: the number of bytes overflows", to_string(type)));
  }
  require_count(expected, static_cast<std::int64_t>(proto.raw_data().size()), type, "bytes");
  graph::Tensor tensor(type.held);
  if (expected > 0) {
    std::memcpy(tensor.mutable_bytes().data(), proto.raw_data().data(), proto.raw_data().size());
  }
  std::string().swap(*proto.mutable_raw_data());
  return tensor;
}

template <class T>
graph::Tensor take_typed(TensorProto& proto, const StoredType& type) {
  auto& stored = typed_field<T>(proto);
  require_count(graph::element_count(type.held.shape), stored.size(), type, "elements");
  graph::Tensor tensor(type.held);
  std::transform(stored.begin(), stored.end(), tensor.mutable_data<T>().begin(),
                 [](auto value) { return element<T>(value); });
  std::remove_reference_t<decltype(stored)>().Swap(&stored);
  return tensor;
}

graph::Tensor take_external(const TensorProto& proto, const StoredType& type,
                            const DataFolder& folder) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(graph::element_count(type.held.shape)),
                             graph::size_bytes(type.held.type), &bytes)) {
    throw InputError(fmt::format("{}: the number of bytes overflows", to_string(type)));
  }
  const ExternalData data(proto, folder, bytes);
  graph::Tensor tensor(type.held);
  data.read(tensor.mutable_bytes());
  return tensor;
}

bool has_typed_elements(const TensorProto& proto) {
  return proto.float_data_size() > 0 || proto.double_data_size() > 0 ||
         proto.int64_data_size() > 0 || proto.int32_data_size() > 0 ||
         proto.uint64_data_size() > 0 || proto.string_data_size() > 0;
}

graph::Tensor take_elements(TensorProto& proto, const StoredType& type, const DataFolder& folder) {
  const bool external = proto.data_location() == TensorProto::EXTERNAL;
  if (external || proto.has_raw_data()) {
    if (has_typed_elements(proto) || (external && proto.has_raw_data())) {
      throw InputError("its elements are stored twice");
    }
    return external ? take_external(proto, type, folder) : take_raw(proto, type);
  }
  return graph::with_type(type.held.type, [&]<class T>(T) { return take_typed<T>(proto, type); });
}

/// A bf16 number is the upper half of a binary32.
graph::Tensor widened(const graph::Tensor& bits) {
  graph::Tensor tensor(DataType::kFloat32, bits.shape());
  const auto from = bits.data<graph::Half>();
  std::ranges::transform(from, tensor.mutable_data<float>().begin(),
                         [](graph::Half half) { return to_float(Bf16{half.bits}); });
  return tensor;
}

}  // namespace

DataType data_type_of_onnx(std::int64_t type) {
  if (type == TensorProto::BFLOAT16) return DataType::kFloat32;
  for (const auto& [theirs, ours] : kTypes) {
    if (theirs == type) return ours;
  }
  const std::string name = onnx_type_name(type);
  throw InputError(name.empty() ? fmt::format("element type {} does not exist", type)
                                : fmt::format("element type {} is not supported", name));
}

TensorProto::DataType onnx_data_type(DataType type) {
  const auto* const entry = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const auto& pair) { return pair.second == type; });
  return entry->first;
}

graph::Tensor take_tensor(TensorProto& proto, const DataFolder& folder) {
  const bool is_bf16 = proto.data_type() == TensorProto::BFLOAT16;
  // The file has the bits of both 16-bit formats in the same places.
  const StoredType type{{is_bf16 ? DataType::kFloat16 : data_type_of_onnx(proto.data_type()),
                         {proto.dims().begin(), proto.dims().end()}},
                        is_bf16};
  if (proto.has_segment()) throw InputError("tensors in segments are not supported");
  graph::Tensor tensor = take_elements(proto, type, folder);
  if (type.held.type == DataType::kBool) normalize_bools(tensor.mutable_bytes());
  return is_bf16 ? widened(tensor) : tensor;
}

void put_tensor(const graph::Tensor& tensor, TensorProto& proto) {
  proto.set_data_type(onnx_data_type(tensor.type()));
  for (const std::int64_t extent : tensor.shape()) proto.add_dims(extent);
  const auto bytes = tensor.bytes();
  proto.set_raw_data(bytes.data(), bytes.size());
}

}  // namespace weft::onnx_io
