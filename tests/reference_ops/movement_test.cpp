// Operators that move elements: each result element must come from the position in the ONNX
// specification. The elements are their own positions, so that every mix-up shows.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "tests/reference_ops/naive.h"

namespace weft::reference {
namespace {

constexpr std::int64_t kFarLow = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kFarHigh = std::numeric_limits<std::int64_t>::max();

// 0, 1, 2, ...; for bool, their lowest bits.
Naive counting(const Shape& shape) {
  Naive result(shape);
  std::iota(result.values.begin(), result.values.end(), 0.0);
  return result;
}

// One type per element size, and bool; small types wrap around in both computations.
constexpr std::array kSizes = {DataType::kInt8, DataType::kFloat16, DataType::kFloat32,
                               DataType::kInt64};

// `rule` maps an index of the result to its source index in x.
template <class Rule>
void expect_moved(Op op, const Shape& shape, const Shape& result, const Attributes& attributes,
                  const std::vector<const Tensor*>& further_inputs, Rule rule) {
  const Naive x = counting(shape);
  const Naive expected(result, [&](const Index& index) { return x(rule(index)); });
  for (const DataType type : kSizes) {
    if (volume(shape) > 127) continue;
    const Tensor tensor = to_tensor(type, x);
    std::vector<const Tensor*> inputs = {&tensor};
    inputs.insert(inputs.end(), further_inputs.begin(), further_inputs.end());
    expect_equal(call(op, inputs, ValueType{type, result}, attributes), type, expected,
                 std::string(to_string(op)) + " of " + graph::to_string(shape));
  }
}

TEST(TransposeTest, AgreesWithPermutedIndicesForRandomPermutations) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random.shape(4, 1, 3);
    std::vector<std::int64_t> perm(shape.size());
    std::iota(perm.begin(), perm.end(), 0);
    for (std::size_t i = perm.size(); i > 1; --i) {
      std::swap(perm[i - 1], perm[at(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
    }
    const bool reversed = random.coin();
    if (reversed) std::iota(perm.rbegin(), perm.rend(), 0);
    Shape result;
    for (const std::int64_t d : perm) result.push_back(shape[at(d)]);
    Attributes attributes;
    if (!reversed) attributes.set("perm", perm);
    expect_moved(Op::kTranspose, shape, result, attributes, {}, [&](const Index& index) {
      Index source(index.size());
      for (std::size_t d = 0; d < perm.size(); ++d) source[at(perm[d])] = index[d];
      return source;
    });
  }
}

TEST(TransposeTest, LargeMatricesAreTransposedWhole) {
  const Tensor x = to_tensor(DataType::kFloat32, counting({131, 77}));
  const Tensor y = call(Op::kTranspose, {&x}, ValueType{DataType::kFloat32, {77, 131}});
  for (std::size_t i = 0; i < 131; ++i) {
    for (std::size_t j = 0; j < 77; ++j) {
      ASSERT_EQ(y.data<float>()[j * 131 + i], x.data<float>()[i * 77 + j]);
    }
  }
}

TEST(ExpandTest, RepeatsAsBroadcastingDoes) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    const Shape result = random.shape(4, 1, 3);
    const Shape shape = random.broadcastable(result);
    const Tensor wanted = list(result);
    expect_moved(Op::kExpand, shape, result, {}, {&wanted}, [&](const Index& index) {
      Index source(index.end() - std::ssize(shape), index.end());
      for (std::size_t d = 0; d < source.size(); ++d) source[d] %= shape[d];
      return source;
    });
  }
}

TEST(TileTest, RepeatsEveryDimension) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const Shape shape = random.shape(3, 1, 3);
    Shape result;
    std::vector<std::int64_t> repeats;
    for (const std::int64_t extent : shape) {
      repeats.push_back(random.integer(0, 3));
      result.push_back(extent * repeats.back());
    }
    const Tensor wanted = list(repeats);
    expect_moved(Op::kTile, shape, result, {}, {&wanted}, [&](Index index) {
      for (std::size_t d = 0; d < index.size(); ++d) index[d] %= shape[d];
      return index;
    });
  }
}

// NumPy's slice along one dimension, found by walking along it.
std::vector<std::int64_t> walk(std::int64_t extent, std::int64_t start, std::int64_t end,
                               std::int64_t step) {
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  std::vector<std::int64_t> positions;
  // A walk that starts outside the dimension enters at the nearest end.
  if (step > 0) {
    for (std::int64_t i = std::max(start, std::int64_t{0}); i < std::min(end, extent); i += step) {
      positions.push_back(i);
    }
  } else {
    for (std::int64_t i = std::min(start, extent - 1); i > std::max(end, std::int64_t{-1});
         i += step) {
      positions.push_back(i);
    }
  }
  return positions;
}

TEST(SliceTest, AgreesWithWalkingTheDimensions) {
  Random random(4);
  std::map<std::string, int> hits;
  for (int round = 0; round < 150; ++round) {
    const Shape shape = random.shape(3, 0, 5);
    std::vector<std::int64_t> starts, ends, axes, steps;
    std::vector<std::vector<std::int64_t>> positions;
    Shape result;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const auto axis = static_cast<std::int64_t>(d);
      axes.push_back(random.coin() ? axis : axis - std::ssize(shape));
      starts.push_back(random.integer(-7, 7));
      ends.push_back(random.integer(-7, 7));
      steps.push_back(random.coin() ? random.integer(1, 3) : -random.integer(1, 3));
      positions.push_back(walk(shape[d], starts[d], ends[d], steps[d]));
      result.push_back(std::ssize(positions[d]));
      hits[steps[d] > 0 ? "forwards" : "backwards"] += positions[d].size() > 1;
      hits["empty"] += positions[d].empty();
    }
    const Tensor inputs[] = {list(starts), list(ends), list(axes), list(steps)};
    expect_moved(Op::kSlice, shape, result, {}, {&inputs[0], &inputs[1], &inputs[2], &inputs[3]},
                 [&](Index index) {
                   for (std::size_t d = 0; d < index.size(); ++d) {
                     index[d] = positions[d][at(index[d])];
                   }
                   return index;
                 });
  }
  for (const char* name : {"forwards", "backwards", "empty"}) EXPECT_GT(hits[name], 0) << name;
}

TEST(SliceTest, ExtremeBoundsAndStepsAreTheDimensionsEnds) {
  const Tensor x = Tensor::vector<float>({0, 1, 2, 3});
  const auto slice = [&](std::int64_t start, std::int64_t end, std::int64_t step, Shape shape) {
    const Tensor inputs[] = {list({start}), list({end}), list({0}), list({step})};
    return to_naive(call(Op::kSlice, {&x, &inputs[0], &inputs[1], &inputs[2], &inputs[3]},
                         ValueType{x.type(), std::move(shape)}))
        .values;
  };
  EXPECT_EQ(slice(0, kFarHigh, 1, {4}), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(slice(kFarHigh, kFarLow, -1, {4}), (std::vector<double>{3, 2, 1, 0}));
  EXPECT_EQ(slice(kFarLow, kFarHigh, kFarHigh, {1}), (std::vector<double>{0}));
  EXPECT_EQ(slice(-1, kFarLow, kFarLow, {1}), (std::vector<double>{3}));
  EXPECT_EQ(slice(3, 1, 1, {0}), std::vector<double>{});
  EXPECT_THROW(slice(0, 4, 0, {4}), InputError);
}

TEST(SliceTest, AxesAndStepsMayBeLeftOut) {
  const Tensor x = Tensor::of<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor starts = list({1, 1});
  const Tensor ends = list({2, 3});
  EXPECT_EQ(call(Op::kSlice, {&x, &starts, &ends}, ValueType{x.type(), {1, 2}}),
            Tensor::of<std::int32_t>({1, 2}, {4, 5}));
  const Tensor first = list({1});
  const Tensor steps = list({-1});
  const Tensor far = list({kFarLow});
  EXPECT_EQ(call(Op::kSlice, {&x, &first, &far, nullptr, &steps}, ValueType{x.type(), {2, 3}}),
            Tensor::of<std::int32_t>({2, 3}, {3, 4, 5, 0, 1, 2}));
}

TEST(GatherTest, AgreesWithPickingElementsForRandomIndices) {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    Shape shape = random.shape(2, 1, 3);
    shape.push_back(random.integer(1, 4));
    const std::int64_t rank = std::ssize(shape);
    const std::int64_t axis = random.integer(0, rank - 1);
    const Naive indices =
        random.integers(random.shape(2, 0, 3), -shape[at(axis)], shape[at(axis)] - 1);
    Shape result(shape.begin(), shape.begin() + axis);
    result.insert(result.end(), indices.shape.begin(), indices.shape.end());
    result.insert(result.end(), shape.begin() + axis + 1, shape.end());
    const Tensor picked = to_tensor(random.coin() ? DataType::kInt64 : DataType::kInt32, indices);
    const std::int64_t given_axis = random.coin() ? axis : axis - rank;
    expect_moved(Op::kGather, shape, result, {{"axis", given_axis}}, {&picked},
                 [&](const Index& index) {
                   const auto middle = index.begin() + axis;
                   const auto after = middle + std::ssize(indices.shape);
                   auto along = static_cast<std::int64_t>(indices({middle, after}));
                   if (along < 0) along += shape[at(axis)];
                   Index source(index.begin(), middle);
                   source.push_back(along);
                   source.insert(source.end(), after, index.end());
                   return source;
                 });
  }
}

TEST(GatherTest, IndicesOutOfRangeAreRefused) {
  const Tensor x(DataType::kFloat32, {3, 2});
  for (const std::int64_t index : {3, -4}) {
    const Tensor indices = list({index});
    EXPECT_THROW(call(Op::kGather, {&x, &indices}, ValueType{x.type(), {1, 2}}), InputError);
  }
  const Tensor real = Tensor::scalar(1.0F);
  EXPECT_THROW(call(Op::kGather, {&x, &real}, ValueType{x.type(), {2}}), InputError);
}

// The start of part `i` along the axis.
std::int64_t part_start(const std::vector<std::int64_t>& parts, std::size_t i) {
  return std::accumulate(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i),
                         std::int64_t{0});
}

TEST(ConcatAndSplitTest, PartsAreWhereTheirOffsetsSay) {
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    Shape shape = random.shape(2, 0, 3);
    shape.push_back(random.integer(1, 3));
    const std::int64_t rank = std::ssize(shape);
    const std::int64_t axis = random.integer(0, rank - 1);
    std::vector<std::int64_t> parts;
    for (std::int64_t i = random.integer(1, 4); i > 0; --i) parts.push_back(random.integer(0, 3));
    shape[at(axis)] = part_start(parts, parts.size());
    const Naive whole = counting(shape);
    const DataType type = kSizes[at(random.integer(1, 3))];
    std::vector<Naive> expected;
    std::vector<ValueType> types;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Shape part = shape;
      part[at(axis)] = parts[i];
      types.push_back({type, part});
      expected.emplace_back(part, [&](Index index) {
        index[at(axis)] += part_start(parts, i);
        return whole(index);
      });
    }
    const Tensor x = to_tensor(type, whole);
    const Attributes attributes = {{"axis", random.coin() ? axis : axis - rank}};
    const std::vector<Tensor> pieces = call(Op::kSplit, {&x}, types, attributes);
    std::vector<const Tensor*> inputs;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      expect_equal(pieces.at(i), type, expected[i], "Split");
      inputs.push_back(&pieces[i]);
    }
    expect_equal(call(Op::kConcat, inputs, x.value_type(), attributes), type, whole, "Concat");
  }
}

// The source of the padding at `position`, found by walking there from inside the dimension.
std::int64_t padded_source(const std::string& mode, std::int64_t position, std::int64_t extent) {
  if (position >= 0 && position < extent) return position;
  if (mode == "edge") return position < 0 ? 0 : extent - 1;
  std::int64_t source = position < 0 ? 0 : extent - 1;
  std::int64_t direction = position < 0 ? 1 : -1;
  for (std::int64_t left = position < 0 ? -position : position - extent + 1; left > 0; --left) {
    if (extent == 1) break;
    if (source + direction < 0 || source + direction >= extent) direction = -direction;
    source += direction;
  }
  return source;
}

TEST(PadTest, AgreesWithWalkingIntoTheBorderForEveryMode) {
  Random random(7);
  std::map<std::string, int> hits;
  for (int round = 0; round < 120; ++round) {
    const std::string mode = std::vector<std::string>{"constant", "edge", "reflect"}[at(round % 3)];
    const Shape shape = random.shape(3, 1, 4);
    const std::int64_t rank = std::ssize(shape);
    std::vector<std::int64_t> pads(2 * shape.size());
    Shape result = shape;
    for (std::int64_t d = 0; d < rank; ++d) {
      pads[at(d)] = random.integer(-1, 5);
      pads[at(d + rank)] = random.integer(pads[at(d)] < 0 ? 0 : -1, 5);
      result[at(d)] += pads[at(d)] + pads[at(d + rank)];
      hits["cut"] += pads[at(d)] < 0;
      hits["far"] += pads[at(d)] > shape[at(d)];
    }
    const Naive x = counting(shape);
    const Naive expected(result, [&](Index index) {
      for (std::size_t d = 0; d < index.size(); ++d) {
        index[d] -= pads[d];
        const bool outside = index[d] < 0 || index[d] >= shape[d];
        if (mode == "constant" && outside) return 99.0;
        index[d] = padded_source(mode, index[d], shape[d]);
      }
      return x(index);
    });
    const Tensor given = list(pads);
    for (const DataType type : kSizes) {
      const Tensor tensor = to_tensor(type, x);
      const Tensor constant = to_tensor(type, Naive({}, std::vector<double>{99}));
      expect_equal(
          call(Op::kPad, {&tensor, &given, &constant}, ValueType{type, result}, {{"mode", mode}}),
          type, expected, mode + " of " + graph::to_string(shape));
    }
  }
  EXPECT_GT(hits["cut"], 0);
  EXPECT_GT(hits["far"], 0);
}

TEST(PadTest, PadsWithZeroAlongTheNamedAxes) {
  const Tensor x = Tensor::of<float>({1, 2}, {1, 2});
  const Tensor pads = list({1, 2});
  const Tensor axes = list({-1});
  EXPECT_EQ(call(Op::kPad, {&x, &pads, nullptr, &axes}, ValueType{x.type(), {1, 5}}),
            Tensor::of<float>({1, 5}, {0, 1, 2, 0, 0}));
  EXPECT_THROW(call(Op::kPad, {&x, &pads}, ValueType{x.type(), {1, 5}}), InputError);
}

TEST(PadTest, OnlyConstantsPadAnEmptyDimension) {
  const Tensor x(DataType::kFloat32, {0});
  const Tensor pads = list({1, 1});
  const ValueType type{DataType::kFloat32, {2}};
  EXPECT_EQ(call(Op::kPad, {&x, &pads}, type), Tensor(type));
  EXPECT_THROW(call(Op::kPad, {&x, &pads}, type, {{"mode", std::string("edge")}}), InputError);
  EXPECT_THROW(call(Op::kPad, {&x, &pads}, type, {{"mode", std::string("wrap")}}), InputError);
}

// A tensor without elements takes neither time nor memory, whatever its other extents.
TEST(ConcatAndSplitTest, HugeEmptyTensorsAreNothing) {
  const Shape huge = {std::int64_t{1} << 40, 0};
  const Tensor x(DataType::kFloat32, huge);
  const ValueType type = x.value_type();
  const Attributes last_axis = {{"axis", std::int64_t{1}}};
  const Tensor none = list({});
  const Tensor pads = list({0, 0, 1, 0});
  EXPECT_EQ(call(Op::kConcat, {&x, &x}, type, last_axis), x);
  EXPECT_EQ(call(Op::kSplit, {&x}, std::vector<ValueType>{type, type}, last_axis).at(1), x);
  EXPECT_EQ(call(Op::kGather, {&x, &none}, type, last_axis), x);
  EXPECT_EQ(call(Op::kTranspose, {&x}, ValueType{x.type(), {0, huge[0]}}).size(), 0);
  EXPECT_EQ(call(Op::kPad, {&x, &pads}, ValueType{x.type(), {huge[0] + 1, 0}}).size(), 0);
}

TEST(ReshapeTest, ElementsKeepTheirOrderAndAreNotCopied) {
  const Tensor x = to_tensor(DataType::kFloat32, counting({2, 3, 1}));
  for (const Op op : {Op::kReshape, Op::kFlatten, Op::kSqueeze, Op::kUnsqueeze, Op::kIdentity}) {
    const Tensor y = call(op, {&x}, ValueType{x.type(), {3, 2}});
    expect_equal(y, x.type(), counting({3, 2}));
    EXPECT_EQ(y.bytes().data(), x.bytes().data());
  }
  EXPECT_THROW(call(Op::kReshape, {&x}, ValueType{x.type(), {4}}), InputError);
}

TEST(DropoutTest, DropsNothingAtInference) {
  const Tensor x = Tensor::vector<float>({1, 2});
  const Tensor ratio = Tensor::scalar(0.5F);
  const Tensor training = Tensor::scalar(true);
  const std::vector<ValueType> types = {x.value_type(), {DataType::kBool, {2}}};
  const std::vector<Tensor> results = call(Op::kDropout, {&x, &ratio}, types);
  EXPECT_EQ(results.at(0), x);
  EXPECT_EQ(results.at(1), Tensor::vector<bool>({true, true}));
  EXPECT_EQ(call(Op::kDropout, {&x}, x.value_type()), x);
  EXPECT_THROW(call(Op::kDropout, {&x, &ratio, &training}, types), InputError);
}

}  // namespace
}  // namespace weft::reference
