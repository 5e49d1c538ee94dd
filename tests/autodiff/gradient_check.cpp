#include "tests/autodiff/gradient_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/builder/check.h"

namespace weft::autodiff::testing {
namespace {

constexpr std::size_t kMostElements = 24;

double drawn(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

template <class Draw>
Tensor filled(const Shape& shape, Draw draw) {
  Tensor tensor(DataType::kFloat64, shape);
  for (double& value : tensor.mutable_data<double>()) value = draw();
  return tensor;
}

/// Returns the indices of all elements, or of kMostElements random ones if there are more.
std::vector<std::size_t> some_elements(std::size_t count, Random& random) {
  std::vector<std::size_t> elements(count);
  std::iota(elements.begin(), elements.end(), std::size_t{0});
  std::ranges::shuffle(elements, random);
  elements.resize(std::min(count, kMostElements));
  return elements;
}

struct Weighted {
  double sum = 0;
  double magnitude = 0;
};

Weighted weighted(const NamedTensors& outputs, const NamedTensors& seeds) {
  Weighted result;
  for (const auto& [name, seed] : seeds) {
    const auto values = outputs.at(name.substr(5)).data<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.sum += values[i] * seed.data<double>()[i];
      result.magnitude += std::abs(values[i] * seed.data<double>()[i]);
    }
  }
  return result;
}

}  // namespace

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

bool chance(Random& random) {
  return between(random, 0, 1) == 1;
}

Shape random_shape(Random& random, std::size_t rank, std::int64_t largest) {
  Shape shape(rank);
  for (std::int64_t& extent : shape) extent = between(random, 1, largest);
  return shape;
}

Tensor reals(Random& random, const Shape& shape, double low, double high) {
  return filled(shape, [&] { return drawn(random, low, high); });
}

Tensor reals_beside(Random& random, const Shape& shape, const std::vector<double>& kinks,
                    double low, double high) {
  return filled(shape, [&] {
    double value = 0;
    const auto close = [&](double kink) { return std::abs(value - kink) < 1.0 / 16; };
    do value = drawn(random, low, high);
    while (std::ranges::any_of(kinks, close));
    return value;
  });
}

Tensor distinct(Random& random, const Shape& shape) {
  const std::int64_t count = graph::element_count(shape);
  const std::int64_t middle = count / 2;
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<double>(i - middle) / 64);
  }
  std::ranges::shuffle(values, random);
  return Tensor::of<double>(shape, values);
}

ValueId Case::variable(Tensor value) {
  wrt.push_back(fmt::format("x{}", inputs.size()));
  return fixed(std::move(value));
}

ValueId Case::fixed(Tensor value) {
  const std::string name = fmt::format("x{}", inputs.size());
  const DataType type = value.type() == DataType::kFloat64 ? DataType::kFloat32 : value.type();
  const ValueId id = builder.input(name, {type, value.shape()});
  inputs.emplace(name, std::move(value));
  return id;
}

void check_against_differences(const std::function<double(const NamedTensors&)>& f,
                               const NamedTensors& inputs, const std::string& name,
                               const Tensor& gradient, double scale, Random& random) {
  const auto values = gradient.data<double>();
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const double bound = kRelative * (scale + 1) + kConstants * largest;
  for (const std::size_t i : some_elements(values.size(), random)) {
    const auto moved = [&](double by) {
      NamedTensors point = inputs;
      point.at(name).mutable_data<double>()[i] += by;
      return f(point);
    };
    const double difference = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    ASSERT_NEAR(values[i], difference, bound) << "gradient of " << name << " at " << i;
  }
}

void check_gradients(Case& test, const std::vector<ValueId>& outputs, Random& random,
                     Forward forward) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    test.builder.output(outputs[i], fmt::format("y{}", i));
  }
  const Graph network = test.builder.finish();
  const Graph gradients = gradient_graph(network, test.wrt);
  ASSERT_NO_THROW(graph::check(gradients));
  NamedTensors seeds;
  for (const graph::Output& output : network.outputs) {
    seeds.emplace("seed/" + output.name, reals(random, network.type(output.value).shape));
  }
  reference::GraphRunner runner(network, {.double_precision = true});
  if (!forward) forward = [&](const NamedTensors& inputs) { return runner.run(inputs); };
  NamedTensors all = test.inputs;
  all.insert(seeds.begin(), seeds.end());
  const NamedTensors results = reference::run_graph(gradients, all, {.double_precision = true});
  const double scale = weighted(forward(test.inputs), seeds).magnitude;
  const auto f = [&](const NamedTensors& inputs) { return weighted(forward(inputs), seeds).sum; };
  for (const std::string& name : test.wrt) {
    SCOPED_TRACE(to_text(network));
    const Tensor& gradient = results.at("gradient/" + name);
    ASSERT_EQ(gradient.shape(), test.inputs.at(name).shape());
    check_against_differences(f, test.inputs, name, gradient, scale, random);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace weft::autodiff::testing
