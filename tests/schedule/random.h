// Random numbers for the tests of the network compiler; the same on every platform.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::compiler::testing {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform from low to high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

  /// A tensor of whole numbers from low to high, both included.
  template <class T>
  graph::Tensor tensor(const graph::Shape& shape, std::int64_t low, std::int64_t high) {
    graph::Tensor result(graph::data_type_of<T>(), shape);
    for (T& element : result.mutable_data<T>()) element = static_cast<T>(between(low, high));
    return result;
  }

  /// float32, uniform from -spread to spread.
  graph::Tensor reals(const graph::Shape& shape, float spread) {
    graph::Tensor result(graph::DataType::kFloat32, shape);
    for (float& element : result.mutable_data<float>()) {
      element = spread * static_cast<float>(between(-(1 << 20), 1 << 20)) / (1 << 20);
    }
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weft::compiler::testing
