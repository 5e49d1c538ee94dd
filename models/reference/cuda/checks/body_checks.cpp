// Runs every body on a device and in loops on this processor, and compares the results: nvcc's code
// against the C++ compiler's.
#include <set>
#include <sstream>

#include "base/error.h"
#include "models/reference/cuda/checks/body_bench.h"
#include "models/reference/cuda/checks/check.h"
#include "models/reference/cuda/device/loop_device.h"

namespace weft::cuda {
namespace {

constexpr std::int64_t kRows = 37;
constexpr std::int64_t kColumns = 53;
constexpr std::int64_t kCount = kRows * kColumns;

// The first operand repeats its row; the second is transposed.
Strided<2> walk() {
  return strided<2>({kRows, kColumns}, {std::vector<std::int64_t>{0, 1}, {1, kRows}});
}
Strided<3> walk3() {
  return strided<3>({kRows, kColumns},
                    {std::vector<std::int64_t>{0, 1}, {1, kRows}, {kColumns, 1}});
}
Strided<1> rows() {
  return strided<1>({kRows}, {std::vector<std::int64_t>{kColumns}});
}
Strided<1> columns() {
  return strided<1>({kColumns}, {std::vector<std::int64_t>{1}});
}

// 2 x 3 planes of 6 x 9 with padding, strides and dilation.
ConvolutionWindow window() {
  ConvolutionWindow result = {};
  result.dims[1] = {6, 3, 3, 2, 1, 1, 1};
  result.dims[2] = {9, 7, 2, 1, 3, 1, 0};
  return result;
}
constexpr std::int64_t kPlanes = 6;

using Cases = std::vector<BodyCase>;

void add_elementwise(Cases& cases) {
  for (std::size_t kind = 0; kind < reference::kActivationNames.size(); ++kind) {
    const ActivationFunction function{static_cast<ActivationKind>(kind), 0.3F, 0.75F};
    cases.push_back(close<float>("unary " + std::to_string(kind), kCount, [=](Bench& b, float* y) {
      return Unary{function, b.random<float>(kCount), y};
    }));
  }
  for (int kind = 0; kind <= static_cast<int>(BinaryFunction::kPRelu); ++kind) {
    const auto make = [=](Bench& b, float* y) {
      return Binary{static_cast<BinaryFunction>(kind), b.random<float>(kCount),
                    b.random<float>(kCount), y, walk()};
    };
    const std::string name = "binary " + std::to_string(kind);
    const bool power = static_cast<BinaryFunction>(kind) == BinaryFunction::kPow;
    cases.push_back(body_case<float>(name, kCount, make, power));
  }
  cases.push_back(exact<std::uint16_t>("to bf16", kCount, [](Bench& b, std::uint16_t* y) {
    return Narrow{Narrowing::kBf16, b.random<float>(kCount), y};
  }));
  cases.push_back(exact<std::uint16_t>("to fp16", kCount, [](Bench& b, std::uint16_t* y) {
    return Narrow{Narrowing::kFp16, b.random<float>(kCount), y};
  }));
  cases.push_back(exact<float>("epilogue", kCount, [](Bench& b, float* y) {
    const ActivationFunction relu{ActivationKind::kRelu, 0, 0};
    b.fill(y, b.random_values<float>(kCount));
    return ContractionEpilogue{y, 0.5F,  b.random<float>(kCount), -1.5F, kColumns, kRows,
                               1, kRows, b.random<float>(kCount), relu};
  }));
}

template <class T>
void add_compare(Cases& cases, const std::string& type) {
  for (const Relation relation : {Relation::kEqual, Relation::kLess, Relation::kGreater}) {
    const std::string name = type + " relation " + std::to_string(static_cast<int>(relation));
    cases.push_back(exact<std::uint8_t>(name, kCount, [=](Bench& b, std::uint8_t* y) {
      return Compare<T>{relation, b.random<T>(kCount, 5), b.random<T>(kCount, 5),
                        reinterpret_cast<bool*>(y), walk()};
    }));
  }
}

template <class To, class From>
void add_convert(Cases& cases, const std::string& name) {
  using Result = std::conditional_t<std::is_same_v<To, bool>, std::uint8_t, To>;
  cases.push_back(exact<Result>(name, kCount, [](Bench& b, Result* y) {
    if constexpr (std::is_same_v<From, bool>) {
      return Convert<To, From>{b.random_bools(kCount), y};
    } else {
      return Convert<To, From>{b.random<From>(kCount), reinterpret_cast<To*>(y)};
    }
  }));
}

void add_logic(Cases& cases) {
  add_compare<float>(cases, "float32");
  add_compare<std::int64_t>(cases, "int64");
  for (const LogicFunction function :
       {LogicFunction::kAnd, LogicFunction::kOr, LogicFunction::kXor}) {
    const std::string name = "logic " + std::to_string(static_cast<int>(function));
    cases.push_back(exact<std::uint8_t>(name, kCount, [=](Bench& b, std::uint8_t* y) {
      return Logic{function, b.random_bools(kCount), b.random_bools(kCount),
                   reinterpret_cast<bool*>(y), walk()};
    }));
  }
  cases.push_back(exact<std::uint8_t>("not", kCount, [](Bench& b, std::uint8_t* y) {
    return Not{b.random_bools(kCount), reinterpret_cast<bool*>(y)};
  }));
  cases.push_back(exact<std::uint8_t>("classify", kCount, [](Bench& b, std::uint8_t* y) {
    return Classify{true, true, true, b.random<float>(kCount), reinterpret_cast<bool*>(y)};
  }));
  add_convert<bool, float>(cases, "float32 to bool");
  add_convert<float, bool>(cases, "bool to float32");
  add_convert<float, std::int32_t>(cases, "int32 to float32");
  add_convert<float, std::int64_t>(cases, "int64 to float32");
}

template <class Unit>
void add_movement(Cases& cases) {
  const std::string unit = std::to_string(8 * sizeof(Unit)) + " bits";
  cases.push_back(exact<Unit>("where of " + unit, kCount, [](Bench& b, Unit* y) {
    return Where<Unit>{b.random_bools(kCount), b.random<Unit>(kCount), b.random<Unit>(kCount), y,
                       walk3()};
  }));
  cases.push_back(exact<Unit>("copy of " + unit, kCount, [](Bench& b, Unit* y) {
    const Strided<2> turned =
        strided<2>({kRows, kColumns}, {std::vector<std::int64_t>{kColumns, 1}, {1, kRows}});
    return Copy<Unit>{b.random<Unit>(kCount), y, turned};
  }));
  cases.push_back(exact<Unit>("fill of " + unit, kCount, [](Bench& b, Unit* y) {
    return Fill<Unit>{b.random<Unit>(1), y};
  }));
  cases.push_back(exact<Unit>("gather of " + unit, kColumns * 3 * 7, [](Bench& b, Unit* y) {
    return Gather<Unit>{
        b.random<Unit>(3 * kCount), b.random<std::int64_t>(7, kRows), y, kRows, 7, kColumns};
  }));
}

/// The first elements of kRows runs of kColumns elements, in another order.
std::vector<std::int64_t> mixed_starts() {
  std::vector<std::int64_t> starts;
  for (std::int64_t r = 0; r < kRows; ++r) starts.push_back(r * 5 % kRows * kColumns);
  return starts;
}

template <class Unit>
void add_runs(Cases& cases) {
  const std::string unit = std::to_string(8 * sizeof(Unit)) + " bits";
  cases.push_back(exact<Unit>("gathered runs of " + unit, kCount, [](Bench& b, Unit* y) {
    return GatherRuns<Unit>{b.random<Unit>(kCount), b.given(mixed_starts()), y, kColumns};
  }));
  cases.push_back(exact<Unit>("put runs of " + unit, kCount, [](Bench& b, Unit* y) {
    return PutRuns<Unit>{b.random<Unit>(7 * kColumns), b.given(mixed_starts()),
                         b.random<std::int64_t>(kRows, 7), y, kColumns};
  }));
}

void add_scans(Cases& cases) {
  for (const UpdateFunction function :
       {UpdateFunction::kAdd, UpdateFunction::kMul, UpdateFunction::kMax, UpdateFunction::kMin}) {
    const std::string name = "combined runs " + std::to_string(static_cast<int>(function));
    cases.push_back(exact<float>(name, kCount, [=](Bench& b, float* y) {
      std::vector<std::int64_t> firsts;
      for (std::int64_t r = 0; r <= kRows; ++r) firsts.push_back(2 * r);
      // Every update of a maximum or minimum counts.
      const bool extreme = function == UpdateFunction::kMax || function == UpdateFunction::kMin;
      const float farthest = function == UpdateFunction::kMax ? -1e30F : 1e30F;
      b.fill(y, extreme ? std::vector<float>(kCount, farthest) : b.random_values<float>(kCount));
      return CombineRuns{
          function,        b.random<float>(7 * kColumns),        b.given(mixed_starts()),
          b.given(firsts), b.random<std::int64_t>(2 * kRows, 7), y,
          kColumns};
    }));
  }
  for (const bool reverse : {false, true}) {
    const auto make = [=](Bench& b, float* y) {
      return CumulativeSum{b.random<float>(kCount), y, kRows, kColumns, !reverse, reverse};
    };
    cases.push_back(body_case<float>("cumulative sum", kCount, make, false, kColumns));
  }
}

template <class Unit>
void add_unfold(Cases& cases) {
  const std::int64_t count = kPlanes * window().taps() * window().outputs();
  const std::string name = "unfold of " + std::to_string(8 * sizeof(Unit)) + " bits";
  cases.push_back(exact<Unit>(name, count, [](Bench& b, Unit* y) {
    return Unfold<Unit>{b.random<Unit>(kPlanes * window().inputs()), y, window()};
  }));
}

void add_windows(Cases& cases) {
  add_unfold<std::uint16_t>(cases);
  add_unfold<std::uint32_t>(cases);
  const std::int64_t in = kPlanes * window().inputs();
  const std::int64_t out = kPlanes * window().outputs();
  cases.push_back(exact<float>("fold", in, [=](Bench& b, float* y) {
    return FoldWindows{b.random<float>(out * window().taps()), y, window()};
  }));
  cases.push_back(exact<float>("depthwise convolution", 2 * out, [=](Bench& b, float* y) {
    return DepthwiseConvolution{
        b.random<float>(in), b.random<float>(kPlanes * window().taps()), y, 3, 2, window()};
  }));
  cases.push_back(exact<float>("max pool", out, [=](Bench& b, float* y) {
    return MaxPool{b.random<float>(in), y, nullptr, false, window()};
  }));
  cases.push_back(exact<std::int64_t>("indices of max pool", out, [=](Bench& b, std::int64_t* y) {
    return MaxPool{b.random<float>(in), b.made<float>(out), y, true, window()};
  }));
  for (const bool padding : {false, true}) {
    cases.push_back(exact<float>("average pool", out, [=](Bench& b, float* y) {
      return AveragePool{b.random<float>(in), y, padding, window()};
    }));
    cases.push_back(exact<float>("global pool", kRows, [=](Bench& b, float* y) {
      return GlobalPool{padding, b.random<float>(kCount), y, kColumns};
    }));
  }
}

void add_reductions(Cases& cases) {
  constexpr std::int64_t kPieces = 5;
  constexpr std::int64_t kPiece = (kColumns + kPieces - 1) / kPieces;
  for (int kind = 0; kind <= static_cast<int>(ReduceKind::kSumSquares); ++kind) {
    const auto of = static_cast<ReduceKind>(kind);
    const std::string number = std::to_string(kind);
    cases.push_back(close<double>("reduce " + number, kRows * kPieces, [=](Bench& b, double* y) {
      return Reduce{of,
                    b.random<float>(kCount),
                    b.random_doubles(kRows),
                    y,
                    kColumns,
                    kPieces,
                    kPiece,
                    rows(),
                    columns()};
    }));
    cases.push_back(exact<double>("combine " + number, kRows, [=](Bench& b, double* y) {
      return Combine{of, b.random_doubles(kCount), y, kColumns, 7.0};
    }));
  }
  cases.push_back(exact<std::uint32_t>(
      "clear", kCount, [](Bench&, std::uint32_t* y) { return Clear<std::uint32_t>{y}; }));
  cases.push_back(exact<float>("round", kCount, [](Bench& b, float* y) {
    return Round{b.random_doubles(kCount), y};
  }));
  cases.push_back(exact<double>("widen", kCount, [](Bench& b, double* y) {
    return Widen{b.random<float>(kCount), y};
  }));
  cases.push_back(exact<double>("inverse deviation", kCount, [](Bench& b, double* y) {
    return InverseDeviation{b.random_doubles(kCount), y, 1e-5};
  }));
}

void add_normalizations(Cases& cases) {
  cases.push_back(exact<float>("normalize", kCount, [](Bench& b, float* y) {
    return Normalize{b.random<float>(kCount),
                     b.random_doubles(kRows),
                     b.random_doubles(kRows),
                     b.random<float>(kColumns),
                     b.random<float>(kColumns),
                     y,
                     kColumns,
                     kRows,
                     1,
                     kColumns};
  }));
  for (const bool logarithm : {false, true}) {
    cases.push_back(close<float>("softmax", kCount, [=](Bench& b, float* y) {
      return Softmax{logarithm,
                     b.random<float>(kCount),
                     b.random_doubles(kRows),
                     b.random_doubles(kRows),
                     y,
                     kColumns,
                     1};
    }));
    cases.push_back(exact<std::int64_t>("arg extreme", kColumns, [=](Bench& b, std::int64_t* y) {
      return ArgExtreme{b.random<float>(kCount), y, kRows, kColumns, logarithm, !logarithm};
    }));
  }
  cases.push_back(close<float>("local response", kCount, [](Bench& b, float* y) {
    return LocalResponse{b.random<float>(kCount), y, kRows, kColumns, 5, 0.1F, 0.75F, 1.0F};
  }));
}

Cases all_cases() {
  Cases cases;
  add_elementwise(cases);
  add_logic(cases);
  add_movement<std::uint8_t>(cases);
  add_movement<std::uint16_t>(cases);
  add_movement<std::uint32_t>(cases);
  add_movement<std::uint64_t>(cases);
  add_runs<std::uint8_t>(cases);
  add_runs<std::uint16_t>(cases);
  add_runs<std::uint32_t>(cases);
  add_runs<std::uint64_t>(cases);
  add_scans(cases);
  add_windows(cases);
  add_reductions(cases);
  add_normalizations(cases);
  return cases;
}

}  // namespace

std::vector<Outcome> check_bodies(Device& device, std::uint64_t seed) {
  LoopDevice loops;
  std::vector<Outcome> outcomes;
  std::set<std::size_t> seen;
  for (const BodyCase& one : all_cases()) {
    Bench here(loops, seed);
    Bench there(device, seed);
    std::string problem;
    try {
      problem = one.differ(here, there);
    } catch (const InputError& error) {
      problem = error.what();
    }
    seen.insert(here.index());
    outcomes.push_back({"body: " + one.name, problem.empty(), problem});
  }
  std::ostringstream count;
  count << seen.size() << " of " << std::variant_size_v<Body>;
  outcomes.push_back({"bodies with a case", seen.size() == std::variant_size_v<Body>, count.str()});
  return outcomes;
}

}  // namespace weft::cuda
