// Compares the recorded inputs of the array with operands that the test cuts into tiles by hand.
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "tests/machine/run_matmul.h"

namespace weft {
namespace {

using testing::Random;

struct Entry {
  Cycle cycle = 0;
  std::uint32_t acc_row = 0;
  bool swap = false;
  bool accumulate = false;
  std::vector<std::byte> values = {};
};

/// Returns elements [row, col .. col+count) of `matrix`, and zeros for elements outside it.
std::vector<std::byte> slice(const Matrix& matrix, std::uint64_t row, std::uint64_t col,
                             std::uint64_t count) {
  const std::size_t size = element_bytes(matrix.type());
  std::vector<std::byte> values(count * size);
  if (row >= matrix.rows()) return values;
  for (std::uint64_t i = 0; i < count && col + i < matrix.cols(); ++i) {
    const std::byte* element = matrix.bytes().data() + (row * matrix.cols() + col + i) * size;
    std::memcpy(values.data() + i * size, element, size);
  }
  return values;
}

/// Visits the folds in the plan's order.
template <class Visit>
void for_each_matmul(const TilingPlan& plan, Visit visit) {
  if (plan.order == LoopOrder::kChunkOutermost) {
    for (std::uint64_t m = 0; m < plan.m_chunks; ++m)
      for (std::uint64_t n = 0; n < plan.n_tiles; ++n)
        for (std::uint64_t k = 0; k < plan.k_tiles; ++k) visit(m, n, k, true);
  } else {
    for (std::uint64_t n = 0; n < plan.n_tiles; ++n)
      for (std::uint64_t m = 0; m < plan.m_chunks; ++m) visit(m, n, std::uint64_t{0}, m == 0);
  }
}

class Expected {
 public:
  Expected(const MachineConfig& config, const TilingPlan& plan, const Program& program,
           const testing::MatmulOperands& operands, const Timeline& timeline)
      : config_(config), operands_(operands), timeline_(timeline) {
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      if (program.code[i].unit() == Unit::kMatmul) matmuls_.push_back(i);
    }
    std::size_t next = 0;
    for_each_matmul(plan, [&](auto m, auto n, auto k, bool swaps) {
      add_rows(program, matmuls_[next++], m * plan.chunk_rows, k, swaps);
      if (swaps) add_tile(k, n);
    });
  }

  std::vector<Entry> rows;
  std::vector<Entry> pushes;

 private:
  void add_rows(const Program& program, std::size_t index, std::uint64_t first, std::uint64_t k,
                bool swaps) {
    const auto& matmul = std::get<Matmul>(program.code[index].operation);
    for (std::uint32_t j = 0; j < matmul.rows; ++j) {
      rows.push_back({timeline_.instructions[index].started + j, matmul.acc + j, swaps && j == 0,
                      k > 0,
                      slice(operands_.a, first + j, k * config_.array_rows, config_.array_rows)});
    }
  }

  // Adds the pushes of one tile. The bottom row is pushed first.
  void add_tile(std::uint64_t k, std::uint64_t n) {
    if (tiles_ >= timeline_.pushes.size()) return;
    for (std::uint32_t j = 0; j < config_.array_rows; ++j) {
      const std::uint64_t row = (k + 1) * config_.array_rows - 1 - j;
      pushes.push_back({timeline_.pushes[tiles_] + j, 0, false, false,
                        slice(operands_.b, row, n * config_.array_cols, config_.array_cols)});
    }
    ++tiles_;
  }

  const MachineConfig& config_;
  const testing::MatmulOperands& operands_;
  const Timeline& timeline_;
  std::vector<std::size_t> matmuls_;
  std::size_t tiles_ = 0;
};

std::size_t count_before(const std::vector<Entry>& entries, Cycle end) {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries, [&](const Entry& entry) { return entry.cycle < end; }));
}

void expect_recording(const ArrayRecording& recording, const Expected& expected) {
  const auto& rows = recording.activations;
  ASSERT_EQ(rows.cycle.size(), count_before(expected.rows, recording.end));
  std::vector<std::byte> values;
  for (std::size_t i = 0; i < rows.cycle.size(); ++i) {
    const Entry& entry = expected.rows[i];
    ASSERT_EQ(rows.cycle[i], entry.cycle) << "row " << i;
    ASSERT_EQ(rows.acc_row[i], static_cast<std::int32_t>(entry.acc_row)) << "row " << i;
    ASSERT_EQ(rows.swap[i] != 0, entry.swap) << "row " << i;
    ASSERT_EQ(rows.accumulate[i] != 0, entry.accumulate) << "row " << i;
    values.insert(values.end(), entry.values.begin(), entry.values.end());
  }
  ASSERT_EQ(rows.values, values);
  ASSERT_EQ(recording.weights.cycle.size(), count_before(expected.pushes, recording.end));
  values.clear();
  for (std::size_t i = 0; i < recording.weights.cycle.size(); ++i) {
    ASSERT_EQ(recording.weights.cycle[i], expected.pushes[i].cycle) << "push " << i;
    values.insert(values.end(), expected.pushes[i].values.begin(), expected.pushes[i].values.end());
  }
  ASSERT_EQ(recording.weights.values, values);
}

TEST(ArrayRecordingTest, HoldsTheTilesOfTheOperandsInTheCyclesOfTheTimeline) {
  int cut_short = 0;
  int inner = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    const MatmulSpec spec{random.between(1, 30), random.between(1, 30), random.between(1, 30),
                          false, Activation::kNone};
    if (!fits_unified_buffer(spec, config)) continue;
    const TilingPlan plan = plan_matmul(spec, config);
    const Program program = lower_matmul(plan, config);
    const auto operands = testing::random_operands(spec, config.dtype, true, random);
    const testing::MatmulRun run =
        testing::run_matmul(config, program, operands, Engine::kAnalytic);
    const Expected expected(config, plan, program, operands, run.result.timeline);
    const auto total = static_cast<std::uint32_t>(run.result.total);
    const Cycle end = random.chance(50) ? run.result.total : random.between(1, total);
    Matrix out(accumulator_type(config.dtype), spec.m, spec.n);
    TensorMemory memory(program);
    memory.bind("a", operands.a);
    memory.bind("b", operands.b);
    memory.bind_result("out", out);
    const ArrayRecording recording = record_array(config, program, memory, end);
    ASSERT_EQ(recording.end, end);
    expect_recording(recording, expected);
    cut_short += end < run.result.total ? 1 : 0;
    inner += plan.order == LoopOrder::kChunkInnermost ? 1 : 0;
  }
  EXPECT_GT(cut_short, 40);
  EXPECT_GT(inner, 10);
}

TEST(ArrayRecordingTest, RefusesLengthsThatAreNone) {
  const MachineConfig config;
  const Program program =
      lower_matmul(plan_matmul({1, 1, 1, false, Activation::kNone}, config), config);
  TensorMemory memory(program);
  EXPECT_THROW(record_array(config, program, memory, 0), InputError);
  EXPECT_THROW(record_array(config, program, memory, (Cycle{1} << 31) + 1), InputError);
}

}  // namespace
}  // namespace weft
