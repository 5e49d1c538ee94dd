#include "compiler/emit/weights.h"

#include <algorithm>

#include "base/error.h"
#include "compiler/rows/elements.h"

namespace weft::compiler {
namespace {

std::uint64_t size(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

/// Where weight (column n, channel k of its group, tap) lies in the tensor.
struct WeightIndex {
  WeightForm form;
  std::int64_t k;  // channels of a group
  std::int64_t n;
  std::int64_t taps;
  std::int64_t first;  // of the matrix

  std::int64_t operator()(std::int64_t column, std::int64_t channel, std::int64_t tap) const {
    switch (form) {
      case WeightForm::kMatrix:
        return first + (channel * taps + tap) * n + column;
      case WeightForm::kFilters:
        break;
    }
    return (column * k + channel) * taps + tap;
  }
};

// Filters are read along K and written along N. Blocks of columns keep both in the cache.
constexpr std::int64_t kColumnsAtOnce = 32;

/// Channels and columns of the packed matrix that one group's block covers.
struct PackedBlock {
  std::int64_t channel = 0;
  std::int64_t channels = 1;
  std::int64_t column = 0;
  std::int64_t columns = 1;
};

template <class Read>
void pack_block(const PackedBlock& block, const KLayout& layout, std::int64_t piece,
                const WeightIndex& index, const Read& element, Matrix& packed) {
  using Element = decltype(element(0));
  for (std::int64_t channel = 0; channel < block.channels; ++channel) {
    for (std::int64_t tap = 0; tap < layout.taps; ++tap) {
      const std::int64_t tile = (piece * layout.taps + tap) * layout.planes;
      const std::int64_t row = tile * layout.array_rows + layout.front + block.channel + channel;
      const std::span<std::byte> bytes = packed.row_from(size(row), size(block.column));
      auto* out = reinterpret_cast<Element*>(bytes.data());
      for (std::int64_t column = 0; column < block.columns; ++column) {
        out[column] = element(index(block.column + column, channel, tap));
      }
    }
  }
}

/// Piece `piece` of the int8 numbers that add up to `value`. Each piece takes as much of the rest
/// as it can hold.
std::int8_t piece_of(std::int32_t value, std::int64_t piece) {
  const auto held = [](std::int32_t rest) { return std::clamp(rest, -128, 127); };
  for (; piece > 0; --piece) value -= held(value);
  return static_cast<std::int8_t>(held(value));
}

/// Calls function(element) like with_elements(), for one piece of the weights.
template <class Function>
void with_piece(const ConstantWeights& weights, const graph::Tensor& tensor, ElementType dtype,
                std::int64_t piece, const Function& function) {
  if (weights.pieces == 1) return with_elements(tensor, dtype, weights.zero_point, function);
  const auto run = [&](auto data) {
    function([data, piece, zero = weights.zero_point](std::int64_t i) {
      return piece_of(data[size(i)] - zero, piece);
    });
  };
  if (tensor.type() == graph::DataType::kUint8) return run(tensor.data<std::uint8_t>());
  run(tensor.data<std::int8_t>());
}

}  // namespace

Matrix pack_weights(const ConstantWeights& weights, const KLayout& layout, std::int64_t k,
                    std::int64_t n, std::int64_t groups, ElementType dtype, std::int64_t matrix) {
  Matrix packed(dtype, size(layout.rows()), size(n));
  const graph::Tensor tensor = weights.make();
  const std::int64_t group_k = k / groups;
  const std::int64_t group_n = n / groups;
  const WeightIndex index{weights.form, group_k, n, layout.taps, matrix * k * n};
  for (std::int64_t piece = 0; piece < layout.pieces; ++piece) {
    with_piece(weights, tensor, dtype, piece, [&](auto element) {
      for (std::int64_t group = 0; group < groups; ++group) {
        for (std::int64_t first = 0; first < group_n; first += kColumnsAtOnce) {
          const std::int64_t columns = std::min(kColumnsAtOnce, group_n - first);
          pack_block({group * group_k, group_k, group * group_n + first, columns}, layout, piece,
                     index, element, packed);
        }
      }
    });
  }
  return packed;
}

Matrix pack_filters(const ConstantWeights& filters, std::int64_t channels, std::int64_t taps,
                    ElementType dtype) {
  Matrix packed(dtype, size(taps), size(channels));
  const graph::Tensor tensor = filters.make();
  with_elements(tensor, dtype, filters.zero_point, [&](auto element) {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        packed.set(size(tap), size(channel), element(channel * taps + tap));
      }
    }
  });
  return packed;
}

Matrix pack_words(const graph::Tensor& tensor, std::int64_t sets, std::int64_t n,
                  std::int64_t step) {
  const bool integers = tensor.type() == graph::DataType::kInt32;
  Matrix packed(integers ? ElementType::kInt32 : ElementType::kFloat32, 1, size(sets * step));
  const auto fill = [&](auto data) {
    for (std::int64_t i = 0; i < sets * n; ++i) {
      packed.set(0, size(i / n * step + i % n), data[data.size() == 1 ? 0 : size(i)]);
    }
  };
  if (integers) {
    fill(tensor.data<std::int32_t>());
  } else {
    fill(tensor.data<float>());
  }
  return packed;
}

Matrix pack_repeated(const graph::Tensor& tensor, std::int64_t n, std::int64_t times) {
  const auto data = tensor.data<float>();
  Matrix packed(ElementType::kFloat32, 1, size(n * times));
  for (std::int64_t i = 0; i < n * times; ++i) {
    packed.set(0, size(i), data[data.size() == 1 ? 0 : size(i / times)]);
  }
  return packed;
}

}  // namespace weft::compiler
