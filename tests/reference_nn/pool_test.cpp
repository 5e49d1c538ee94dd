// Pools compared with their definitions; averages match bit for bit in the documented order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "nn_test.h"

namespace weft::reference {
namespace {

constexpr std::uint64_t kSeed = 20240614;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One spatial dimension of a pool.
struct PoolDim {
  std::int64_t input = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t output = 1;

  std::int64_t position(std::int64_t out, std::int64_t tap) const {
    return out * stride - begin + tap * dilation;
  }
};

PoolDim random_dim(Generator& generator, bool ceil_mode, bool dilated) {
  PoolDim dim;
  dim.kernel = between(generator, 1, 3);
  dim.stride = between(generator, 1, 3);
  dim.dilation = dilated ? between(generator, 1, 2) : 1;
  const std::int64_t span = (dim.kernel - 1) * dim.dilation + 1;
  dim.begin = between(generator, 0, dim.kernel - 1);
  dim.end = between(generator, 0, dim.kernel - 1);
  dim.input = span + between(generator, 0, 6);
  const std::int64_t free = dim.input + dim.begin + dim.end - span;
  dim.output = free / dim.stride + 1;
  // ceil_mode adds a window if it starts inside the input or the padding before it.
  if (ceil_mode && free % dim.stride != 0 && dim.output * dim.stride < dim.input + dim.begin) {
    ++dim.output;
  }
  return dim;
}

struct PoolCase {
  std::vector<PoolDim> dims;
  bool ceil_mode = false;

  Shape shape(std::int64_t images, std::int64_t channels, std::int64_t PoolDim::*extent) const {
    Shape result{images, channels};
    for (const PoolDim& dim : dims) result.push_back(dim.*extent);
    return result;
  }
  Ints list(std::int64_t PoolDim::*member) const {
    Ints result;
    for (const PoolDim& dim : dims) result.push_back(dim.*member);
    return result;
  }
  Attributes attributes() const {
    return {{"kernel_shape", list(&PoolDim::kernel)},
            {"strides", list(&PoolDim::stride)},
            {"pads", joined(list(&PoolDim::begin), list(&PoolDim::end))},
            {"ceil_mode", std::int64_t{ceil_mode}}};
  }
};

PoolCase random_pool(Generator& generator, bool dilated) {
  PoolCase pool;
  pool.ceil_mode = between(generator, 0, 1) == 1;
  const std::int64_t rank = between(generator, 1, 3);
  for (std::int64_t d = 0; d < rank; ++d) {
    pool.dims.push_back(random_dim(generator, pool.ceil_mode, dilated));
  }
  return pool;
}

/// A window's elements in row-major order, as positions in the input, and the number of its
/// positions inside the input or its padding.
struct Window {
  std::vector<std::size_t> elements;
  std::int64_t padded = 0;
};

Window window_at(const PoolCase& pool, const Shape& x_shape, const Ints& y) {
  Window window;
  for (const Ints& tap : coordinates(pool.list(&PoolDim::kernel))) {
    Ints from{y[0], y[1]};
    bool inside = true;
    bool padded = true;
    for (std::size_t d = 0; d < pool.dims.size(); ++d) {
      const PoolDim& dim = pool.dims[d];
      const std::int64_t position = dim.position(y[d + 2], tap[d]);
      inside = inside && position >= 0 && position < dim.input;
      padded = padded && position < dim.input + dim.end;
      from.push_back(position);
    }
    if (inside) window.elements.push_back(offset(x_shape, from));
    if (padded) ++window.padded;
  }
  return window;
}

template <class T>
void expect_max_pools(Generator& generator, int& reached_over) {
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(testing::Message() << "pool " << i << " of seed " << kSeed);
    const PoolCase pool = random_pool(generator, true);
    const Shape x_shape = pool.shape(2, 2, &PoolDim::input);
    const Tensor x = random_integers<T>(generator, x_shape, 0, 99);
    Attributes attributes = pool.attributes();
    attributes.set("dilations", pool.list(&PoolDim::dilation));
    const std::vector<Tensor> out = run(Op::kMaxPool, attributes, {x}, 2);
    const Shape y_shape = pool.shape(2, 2, &PoolDim::output);
    ASSERT_EQ(out[0].shape(), y_shape);
    const std::vector<double> xs = values(x);
    for (const Ints& at : coordinates(y_shape)) {
      const Window window = window_at(pool, x_shape, at);
      reached_over += window.padded < graph::element_count(pool.list(&PoolDim::kernel)) ? 1 : 0;
      ASSERT_FALSE(window.elements.empty());
      const auto best = *std::ranges::max_element(
          window.elements, {}, [&](std::size_t k) { return xs[k]; });  // the first of equal maxima
      ASSERT_EQ(values(out[0])[offset(y_shape, at)], xs[best]);
      ASSERT_EQ(values(out[1])[offset(y_shape, at)], static_cast<double>(best));
    }
  }
}

TEST(MaxPoolTest, GivesMaximaAndTheirFirstPlaces) {
  Generator generator(kSeed);
  int reached_over = 0;
  expect_max_pools<float>(generator, reached_over);
  expect_max_pools<double>(generator, reached_over);
  expect_max_pools<std::int8_t>(generator, reached_over);
  expect_max_pools<std::uint8_t>(generator, reached_over);
  EXPECT_GT(reached_over, 0);
}

TEST(MaxPoolTest, TakesNegativeElementsBesidePadding) {
  const Attributes attributes{{"kernel_shape", Ints{3}}, {"pads", Ints{1, 1}}};
  EXPECT_EQ(values(run(Op::kMaxPool, attributes, {Tensor::of<float>({1, 1, 2}, {-5, -7})})[0]),
            (std::vector<double>{-5, -5}));
  EXPECT_EQ(values(run(Op::kMaxPool, attributes, {Tensor::of<std::int8_t>({1, 1, 1}, {-128})})[0]),
            (std::vector<double>{-128}));
}

TEST(MaxPoolTest, PropagatesNanAndInfinity) {
  const float nan = std::nanf("");
  const Attributes attributes{{"kernel_shape", Ints{2}}};
  const Tensor x = Tensor::of<float>({1, 1, 5}, {1, nan, 2, -kInfinity, -kInfinity});
  const std::vector<double> y = values(run(Op::kMaxPool, attributes, {x})[0]);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], 2);
  EXPECT_EQ(y[3], -HUGE_VAL);
}

TEST(MaxPoolTest, NumbersIndicesByColumnsOnRequest) {
  const Attributes attributes{{"kernel_shape", Ints{2, 2}}, {"storage_order", std::int64_t{1}}};
  const Tensor x = Tensor::of<float>({1, 2, 2, 3}, {0, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0, 0});
  // By columns, row 1, column 1 of 2 x 3 is number 3. In the next channel, (0, 2) is 6 + 4.
  EXPECT_EQ(values(run(Op::kMaxPool, attributes, {x}, 2)[1]), (std::vector<double>{3, 3, 6, 10}));
}

TEST(AveragePoolTest, AddsInWindowOrderAndDividesOnce) {
  Generator generator(kSeed + 1);
  std::map<std::string, int> hits;
  for (int i = 0; i < 120; ++i) {
    SCOPED_TRACE(testing::Message() << "pool " << i << " of seed " << kSeed + 1);
    const PoolCase pool = random_pool(generator, false);
    const bool with_padding = between(generator, 0, 1) == 1;
    const Shape x_shape = pool.shape(2, 2, &PoolDim::input);
    const Tensor x = random_reals(generator, x_shape);
    Attributes attributes = pool.attributes();
    attributes.set("count_include_pad", std::int64_t{with_padding});
    const Tensor y = run(Op::kAveragePool, attributes, {x})[0];
    const Shape y_shape = pool.shape(2, 2, &PoolDim::output);
    ASSERT_EQ(y.shape(), y_shape);
    for (const Ints& at : coordinates(y_shape)) {
      const Window window = window_at(pool, x_shape, at);
      float sum = 0;
      for (const std::size_t k : window.elements) sum += x.data<float>()[k];
      const auto inside = static_cast<std::int64_t>(window.elements.size());
      const auto count = static_cast<float>(with_padding ? window.padded : inside);
      ASSERT_EQ(y.data<float>()[offset(y_shape, at)], sum / count);
      if (window.padded != inside) ++hits[with_padding ? "padding counted" : "padding left out"];
      if (window.padded < graph::element_count(pool.list(&PoolDim::kernel))) ++hits["reaches over"];
    }
    ++hits[std::to_string(pool.dims.size())];
  }
  for (const char* kind : {"padding counted", "padding left out", "reaches over", "1", "2", "3"}) {
    EXPECT_GT(hits[kind], 0) << kind;
  }
}

TEST(AveragePoolTest, PadsAutomatically) {
  const Tensor x = Tensor::of<float>({1, 1, 4}, {1, 2, 3, 4});
  const Attributes upper{{"kernel_shape", Ints{2}}, {"auto_pad", std::string("SAME_UPPER")}};
  EXPECT_EQ(values(run(Op::kAveragePool, upper, {x})[0]), (std::vector<double>{1.5, 2.5, 3.5, 4}));
  const Attributes lower{{"kernel_shape", Ints{2}}, {"auto_pad", std::string("SAME_LOWER")}};
  EXPECT_EQ(values(run(Op::kAveragePool, lower, {x})[0]), (std::vector<double>{1, 1.5, 2.5, 3.5}));
}

// 2^24 + 1 rounds to 2^24 in binary32, twice; the other order would give 2^24 + 2.
TEST(GlobalAveragePoolTest, AddsInRowMajorOrder) {
  const Tensor x = Tensor::of<float>({1, 2, 1, 3}, {0x1p24F, 1, 1, 1, 1, 0x1p24F});
  const Tensor y = run(Op::kGlobalAveragePool, {}, {x})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 2, 1, 1}));
  EXPECT_EQ(y.data<float>()[0], 0x1p24F / 3);
  EXPECT_EQ(y.data<float>()[1], (0x1p24F + 2) / 3);
}

TEST(GlobalMaxPoolTest, TakesEachPlanesMaximum) {
  const Tensor x = Tensor::of<float>({1, 2, 3}, {-3, -1, -2, 5, 7, 6});
  EXPECT_EQ(values(run(Op::kGlobalMaxPool, {}, {x})[0]), (std::vector<double>{-1, 7}));
}

}  // namespace
}  // namespace weft::reference
