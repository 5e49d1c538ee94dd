// Operators whose indices name elements: each element must come from, or go to, the position in the
// ONNX specification. The oracles walk the indices one by one.
#include <algorithm>
#include <map>

#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

using Function = double (*)(double, double);

struct ReductionCase {
  std::string name;
  Function function;
};

const std::vector<ReductionCase> kReductions = {
    {"none", [](double, double y) { return y; }},
    {"add", [](double x, double y) { return x + y; }},
    {"mul", [](double x, double y) { return x * y; }},
    {"max", [](double x, double y) { return std::max(x, y); }},
    {"min", [](double x, double y) { return std::min(x, y); }},
};

std::int64_t from_front(double index, std::int64_t extent) {
  const auto whole = static_cast<std::int64_t>(index);
  return whole < 0 ? whole + extent : whole;
}

/// Elements that every type holds.
Naive elements(Random& random, const Shape& shape) {
  return random.integers(shape, 0, 1);
}

Shape shape_from_one(Random& random, std::int64_t max_rank) {
  Shape shape = random.shape(max_rank - 1, 1, 4);
  shape.push_back(random.integer(1, 4));
  return shape;
}

struct ElementIndices {
  Shape data;
  std::int64_t axis = 0;
  Naive indices{Shape{}};
};

ElementIndices element_indices(Random& random) {
  ElementIndices result{shape_from_one(random, 4), 0};
  const auto rank = std::ssize(result.data);
  result.axis = random.integer(0, rank - 1);
  Shape shape = result.data;
  for (std::int64_t& extent : shape) extent = random.integer(0, extent);
  shape[at(result.axis)] = random.integer(0, 5);
  const std::int64_t extent = result.data[at(result.axis)];
  result.indices = random.integers(shape, -extent, extent - 1);
  if (random.coin()) result.axis -= rank;
  return result;
}

/// The position in the data that the index at `index` names.
Index named_by(const ElementIndices& given, Index index) {
  const std::size_t axis = at(given.axis < 0 ? given.axis + std::ssize(given.data) : given.axis);
  index[axis] = from_front(given.indices(index), given.data[axis]);
  return index;
}

TEST(GatherElementsTest, TakesTheElementAtEachIndexAlongTheAxis) {
  Random random(1);
  for (int round = 0; round < 80; ++round) {
    const ElementIndices given = element_indices(random);
    for (const DataType type : kAllTypes) {
      const Naive x = elements(random, given.data);
      const Naive expected(given.indices.shape,
                           [&](const Index& index) { return x(named_by(given, index)); });
      const Tensor data = to_tensor(type, x);
      const Tensor indices =
          to_tensor(random.coin() ? DataType::kInt64 : DataType::kInt32, given.indices);
      expect_equal(call(Op::kGatherElements, {&data, &indices}, ValueType{type, expected.shape},
                        {{"axis", given.axis}}),
                   type, expected);
    }
  }
}

TEST(ScatterElementsTest, CombinesEachUpdateWithItsElementInOrder) {
  Random random(2);
  int repeated = 0;
  for (int round = 0; round < 80; ++round) {
    const ElementIndices given = element_indices(random);
    for (const ReductionCase& reduction : kReductions) {
      for (const DataType type : kNumberTypes) {
        const Naive x = random.integers(given.data, 0, 2);
        const Naive updates = random.integers(given.indices.shape, 0, 2);
        Naive expected = x;
        std::map<std::size_t, int> writes;
        for (std::int64_t i = 0; i < volume(updates.shape); ++i) {
          const Index index = index_at(updates.shape, i);
          const std::size_t place = position(x.shape, named_by(given, index));
          expected.values[place] = reduction.function(expected.values[place], updates(index));
          repeated += ++writes[place] == 2;
        }
        // Five updates by 2 of an element 2 fit int8.
        const Tensor data = to_tensor(type, x);
        const Tensor indices = to_tensor(DataType::kInt64, given.indices);
        const Tensor news = to_tensor(type, updates);
        expect_equal(call(Op::kScatterElements, {&data, &indices, &news}, ValueType{type, x.shape},
                          {{"axis", given.axis}, {"reduction", reduction.name}}),
                     type, expected, reduction.name);
      }
    }
  }
  EXPECT_GT(repeated, 100);
}

struct Tuples {
  Shape data;
  std::int64_t batch_dims = 0;
  std::size_t length = 1;
  Shape places = {};  // the shape of the indices without the tuples
  std::vector<Index> tuples = {};
  Tensor tensor = Tensor();
};

Tuples random_tuples(Random& random, bool batches) {
  Tuples result{shape_from_one(random, 4)};
  const auto rank = std::ssize(result.data);
  result.batch_dims = batches ? random.integer(0, rank - 1) : 0;
  result.length = at(random.integer(1, rank - result.batch_dims));
  result.places.assign(result.data.begin(), result.data.begin() + result.batch_dims);
  for (const std::int64_t extent : random.shape(2, 0, 3)) result.places.push_back(extent);
  std::vector<std::int64_t> all;
  for (std::int64_t t = 0; t < volume(result.places); ++t) {
    Index tuple;
    for (std::size_t d = 0; d < result.length; ++d) {
      const std::int64_t extent = result.data[at(result.batch_dims) + d];
      tuple.push_back(random.integer(-extent, extent - 1));
      all.push_back(tuple.back());
    }
    result.tuples.push_back(tuple);
  }
  Shape shape = result.places;
  shape.push_back(static_cast<std::int64_t>(result.length));
  result.tensor = Tensor::of<std::int64_t>(shape, all);
  return result;
}

/// The shape of the gathered elements, or of the updates.
Shape run_shape(const Tuples& given) {
  Shape shape = given.places;
  shape.insert(shape.end(),
               given.data.begin() + given.batch_dims + static_cast<std::ptrdiff_t>(given.length),
               given.data.end());
  return shape;
}

/// The position in the data of an element of a run: batch, tuple, rest.
Index named_by(const Tuples& given, const Index& index) {
  Index result(index.begin(), index.begin() + given.batch_dims);
  const Index place(index.begin(), index.begin() + std::ssize(given.places));
  const Index& tuple = given.tuples[position(given.places, place)];
  for (const std::int64_t one : tuple) {
    result.push_back(from_front(static_cast<double>(one), given.data[result.size()]));
  }
  result.insert(result.end(), index.begin() + std::ssize(given.places), index.end());
  return result;
}

TEST(GatherNdTest, TakesTheRunThatEachTupleNames) {
  Random random(3);
  std::map<std::string, int> hits;
  for (int round = 0; round < 100; ++round) {
    const Tuples given = random_tuples(random, true);
    hits["batches"] += given.batch_dims > 0;
    hits["runs"] += at(given.batch_dims) + given.length < given.data.size();
    for (const DataType type : kAllTypes) {
      const Naive x = elements(random, given.data);
      const Naive expected(run_shape(given),
                           [&](const Index& index) { return x(named_by(given, index)); });
      const Tensor data = to_tensor(type, x);
      expect_equal(call(Op::kGatherNd, {&data, &given.tensor}, ValueType{type, expected.shape},
                        {{"batch_dims", given.batch_dims}}),
                   type, expected);
    }
  }
  for (const auto& [name, count] : hits) EXPECT_GT(count, 10) << name;
}

TEST(ScatterNdTest, CombinesEachRunWithItsElementsInOrder) {
  Random random(4);
  for (int round = 0; round < 80; ++round) {
    const Tuples given = random_tuples(random, false);
    for (const ReductionCase& reduction : kReductions) {
      for (const DataType type : kNumberTypes) {
        const Naive x = random.integers(given.data, 0, 1);
        const Naive updates = random.integers(run_shape(given), 0, 1);
        Naive expected = x;
        for (std::int64_t i = 0; i < volume(updates.shape); ++i) {
          const Index index = index_at(updates.shape, i);
          double& element = expected.values[position(x.shape, named_by(given, index))];
          element = reduction.function(element, updates(index));
        }
        const Tensor data = to_tensor(type, x);
        const Tensor news = to_tensor(type, updates);
        expect_equal(call(Op::kScatterNd, {&data, &given.tensor, &news}, ValueType{type, x.shape},
                          {{"reduction", reduction.name}}),
                     type, expected, reduction.name);
      }
    }
  }
}

TEST(ScatterNdTest, ReplacesTruthValuesAndKeepsItsInput) {
  const Tensor data = to_tensor(DataType::kBool, Naive({3}, std::vector<double>{0, 0, 0}));
  const Tensor indices = Tensor::of<std::int64_t>({1, 1}, {-1});
  const Tensor updates = to_tensor(DataType::kBool, Naive({1}, std::vector<double>{1}));
  expect_equal(call(Op::kScatterNd, {&data, &indices, &updates}, ValueType{DataType::kBool, {3}}),
               DataType::kBool, Naive({3}, std::vector<double>{0, 0, 1}));
  EXPECT_EQ(data, to_tensor(DataType::kBool, Naive({3}, std::vector<double>{0, 0, 0})));
}

std::string error_of(Op op, const std::vector<const Tensor*>& inputs, const ValueType& output) {
  try {
    call(op, inputs, output);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(IndexedTest, IndicesOutOfRangeAreRefused) {
  const Tensor data = to_tensor(DataType::kFloat32, Naive({2, 3}));
  for (const std::int64_t index : {std::int64_t{3}, std::int64_t{-4}}) {
    const Tensor one = Tensor::of<std::int64_t>({1, 1}, {index});
    const Tensor pair = Tensor::of<std::int64_t>({1, 2}, {0, index});
    const Tensor update = to_tensor(DataType::kFloat32, Naive({1}));
    const Tensor element = to_tensor(DataType::kFloat32, Naive({1, 1}));
    const std::string expected = "index " + std::to_string(index) + " is outside of -";
    const ValueType whole{DataType::kFloat32, {2, 3}};
    EXPECT_EQ(error_of(Op::kGatherElements, {&data, &one}, {DataType::kFloat32, {1, 1}})
                  .substr(0, expected.size()),
              expected);
    EXPECT_EQ(
        error_of(Op::kScatterElements, {&data, &one, &element}, whole).substr(0, expected.size()),
        expected);
    EXPECT_EQ(error_of(Op::kGatherNd, {&data, &pair}, {DataType::kFloat32, {1}}),
              expected + "3..2");
    EXPECT_EQ(error_of(Op::kScatterNd, {&data, &pair, &update}, whole), expected + "3..2");
  }
}

TEST(OneHotTest, MarksThePlaceThatEachIndexNames) {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random.shape(3, 0, 4);
    const std::int64_t depth = random.integer(0, 4);
    const std::int64_t rank = std::ssize(shape) + 1;
    const std::int64_t axis = random.integer(-rank, rank - 1);
    const std::int64_t front = axis < 0 ? axis + rank : axis;
    for (const DataType type : kNumberTypes) {
      const Naive indices = random.integers(shape, type == DataType::kUint8 ? 0 : -6, 6);
      Shape result = shape;
      result.insert(result.begin() + front, depth);
      const Naive expected(result, [&](Index index) {
        const std::int64_t place = index[at(front)];
        index.erase(index.begin() + front);
        const double named = indices(index);
        const bool inside =
            named >= static_cast<double>(-depth) && named < static_cast<double>(depth);
        return inside && from_front(named, depth) == place ? 5.0 : 2.0;
      });
      const Tensor given = to_tensor(type, indices);
      const Tensor extent = Tensor::scalar(depth);
      const Tensor values = to_tensor(DataType::kInt32, Naive({2}, std::vector<double>{2, 5}));
      expect_equal(call(Op::kOneHot, {&given, &extent, &values},
                        ValueType{DataType::kInt32, result}, {{"axis", axis}}),
                   DataType::kInt32, expected);
    }
  }
}

}  // namespace
}  // namespace weft::reference
