#include "models/random.h"

#include <cstring>
#include <random>
#include <span>

#include "models/counter_random.h"
#include "pe/float_formats.h"

namespace weft {
namespace {

/// Maps the upper 24 bits to [-1, 1). Every value is a multiple of 2^-23, exact in binary32.
float unit_float(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 40U) - (1 << 23)) * 0x1p-23F;
}

template <class T, class Draw>
void fill(Matrix& matrix, std::mt19937_64& generator, Draw draw) {
  const std::span<std::byte> bytes = matrix.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    const T value = draw(generator());
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

/// Takes eight elements from each draw, because int8 matrices are the largest ones.
void fill_int8(Matrix& matrix, std::mt19937_64& generator) {
  const std::span<std::byte> bytes = matrix.bytes();
  std::uint64_t bits = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bits = at % 8 == 0 ? generator() : bits >> 8U;
    bytes[at] = static_cast<std::byte>(bits & 0xFFU);
  }
}

}  // namespace

Matrix random_matrix(ElementType type, std::uint64_t rows, std::uint64_t cols, std::uint64_t seed,
                     RandomStream stream) {
  Matrix matrix(type, rows, cols);
  // mix() starts the generator at unrelated places for neighboring seeds and streams.
  std::mt19937_64 generator(mix(seed + mix(static_cast<std::uint64_t>(stream))));
  switch (type) {
    case ElementType::kInt8:
      fill_int8(matrix, generator);
      break;
    case ElementType::kBf16:
      fill<Bf16>(matrix, generator, [](auto bits) { return to_bf16(unit_float(bits)); });
      break;
    case ElementType::kFp16:
      fill<Fp16>(matrix, generator, [](auto bits) { return to_fp16(unit_float(bits)); });
      break;
    case ElementType::kInt32:
      fill<std::int32_t>(matrix, generator,
                         [](auto bits) { return static_cast<std::int32_t>(bits >> 48U) - 32768; });
      break;
    case ElementType::kFloat32:
      fill<float>(matrix, generator, unit_float);
      break;
  }
  return matrix;
}

}  // namespace weft
