#include "models/reference/cuda/device/operands.h"

#include "base/error.h"

namespace weft::cuda {
namespace {

template <class T>
Memory uploaded(Device& device, const std::vector<T>& elements) {
  const auto bytes = static_cast<std::int64_t>(elements.size() * sizeof(T));
  Memory memory = device.allocate(bytes);
  device.upload(memory.get(), elements.data(), bytes);
  return memory;
}

template <class T>
std::vector<double> downloaded(Device& device, const Memory& memory, std::int64_t count) {
  std::vector<T> elements(static_cast<std::size_t>(count));
  device.download(elements.data(), memory.get(), count * static_cast<std::int64_t>(sizeof(T)));
  return {elements.begin(), elements.end()};
}

void clear(Device& device, void* memory, std::int64_t bytes) {
  device.run(Clear<std::uint32_t>{static_cast<std::uint32_t*>(memory)}, bytes / 4);
}

std::vector<std::int8_t> to_int8(const std::vector<float>& elements) {
  std::vector<std::int8_t> result;
  result.reserve(elements.size());
  for (const float element : elements) {
    if (!(element >= -128.0F && element <= 127.0F)) {
      throw InputError("an int8 product has elements outside of -128..127");
    }
    result.push_back(static_cast<std::int8_t>(element));
  }
  return result;
}

std::vector<double> int8_matmul(Device& device, const std::vector<float>& a,
                                const std::vector<float>& b, MatmulShape shape) {
  const Memory left = uploaded(device, to_int8(a));
  const Memory right = uploaded(device, to_int8(b));
  const Memory result = device.allocate(shape.m * shape.n * 4);
  multiply_int8(device, elements_of<std::int8_t>(left), elements_of<std::int8_t>(right),
                elements_of<std::int32_t>(result), shape.m, shape.k, shape.n);
  return downloaded<std::int32_t>(device, result, shape.m * shape.n);
}

/// Copies bytes of `extents` [rows, cols] from `from` into the padded matrix `to`, whose rows are
/// `ld` long.
void copy_bytes(Device& device, const std::int8_t* from, std::vector<std::int64_t> from_strides,
                std::int8_t* to, std::int64_t ld, std::vector<std::int64_t> extents) {
  const std::int64_t count = extents[0] * extents[1];
  const Strided<2> walk = strided<2>(extents, {std::move(from_strides), {ld, 1}});
  device.run(Copy<std::uint8_t>{reinterpret_cast<const std::uint8_t*>(from),
                                reinterpret_cast<std::uint8_t*>(to), walk},
             count);
}

}  // namespace

ProductOperand as_operand(Device& device, MatmulType type, const float* elements,
                          std::int64_t count) {
  if (operand_bytes(type) == 4) return {elements, nullptr};
  Memory memory = device.allocate(count * operand_bytes(type));
  const auto format = type == MatmulType::kBf16 ? Narrowing::kBf16 : Narrowing::kFp16;
  device.run(Narrow{format, elements, elements_of<std::uint16_t>(memory)}, count);
  const void* data = memory.get();
  return {data, std::move(memory)};
}

void multiply(Device& device, const DeviceProduct& product) {
  if (product.m == 0 || product.n == 0 || product.batches == 0) return;
  if (product.k > 0) return device.multiply(column_major(product));
  // With k = 0 all results are 0. They have 4 bytes here, so this clears them without cuBLAS.
  for (std::int64_t batch = 0; batch < product.batches; ++batch) {
    auto* c = static_cast<float*>(product.c) + batch * product.stride_c;
    clear(device, c, product.m * product.n * 4);
  }
}

void multiply_int8(Device& device, const std::int8_t* a, const std::int8_t* b, std::int32_t* c,
                   std::int64_t m, std::int64_t k, std::int64_t n) {
  if (m == 0 || n == 0) return;
  DeviceProduct product = {};
  product.type = MatmulType::kInt8;
  product.m = int8_padded(m);
  product.k = int8_padded(k == 0 ? 1 : k);
  product.n = int8_padded(n);
  product.transpose_b = true;
  const Memory left = device.allocate(product.m * product.k);
  const Memory right = device.allocate(product.n * product.k);
  const Memory sums = device.allocate(product.m * product.n * 4);
  clear(device, left.get(), product.m * product.k);
  clear(device, right.get(), product.n * product.k);
  copy_bytes(device, a, {k, 1}, elements_of<std::int8_t>(left), product.k, {m, k});
  copy_bytes(device, b, {1, n}, elements_of<std::int8_t>(right), product.k, {n, k});
  product.a = left.get();
  product.b = right.get();
  product.c = sums.get();
  multiply(device, product);
  const Strided<2> walk = strided<2>({m, n}, {std::vector{product.n, std::int64_t{1}}, {n, 1}});
  device.run(Copy<std::uint32_t>{elements_of<std::uint32_t>(sums),
                                 reinterpret_cast<std::uint32_t*>(c), walk},
             m * n);
}

std::vector<double> matmul(Device& device, MatmulType type, const std::vector<float>& a,
                           const std::vector<float>& b, MatmulShape shape) {
  if (static_cast<std::int64_t>(a.size()) != shape.m * shape.k ||
      static_cast<std::int64_t>(b.size()) != shape.k * shape.n) {
    throw InputError("the operands' sizes do not match the product's shape");
  }
  if (type == MatmulType::kInt8) return int8_matmul(device, a, b, shape);
  const Memory left = uploaded(device, a);
  const Memory right = uploaded(device, b);
  const Memory result = device.allocate(shape.m * shape.n * 4);
  const ProductOperand x = as_operand(device, type, elements_of<float>(left), shape.m * shape.k);
  const ProductOperand w = as_operand(device, type, elements_of<float>(right), shape.k * shape.n);
  DeviceProduct product = {};
  product.type = type;
  product.m = shape.m;
  product.k = shape.k;
  product.n = shape.n;
  product.a = x.data;
  product.b = w.data;
  product.c = result.get();
  multiply(device, product);
  return downloaded<float>(device, result, shape.m * shape.n);
}

}  // namespace weft::cuda
