#include "tests/schedule/layers/pass_count.h"

#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// The operators of one pass.
struct Pass {
  bool shift_alone = false;
  bool power_alone = false;
  bool has_function = false;
};

}  // namespace

bool is_one_row(const Shape& own, const Shape& shape) {
  const std::int64_t count = graph::element_count(own);
  return count == 1 || (count == shape.back() && own.back() == count);
}

std::int64_t passes_of(const std::vector<ChainStep>& steps, Hits& hits) {
  std::vector<Pass> all;
  for (const ChainStep step : steps) {
    if (step == ChainStep::kFunction && !all.empty() && !all.back().has_function) {
      all.back() = {.has_function = true};
      continue;
    }
    const bool joins = step != ChainStep::kFunction && !all.empty() && all.back().shift_alone;
    if (joins) {
      ++hits["part of the next step"];
      all.back() = {};
      continue;
    }
    all.push_back({.shift_alone = step == ChainStep::kShift,
                   .power_alone = step == ChainStep::kPower,
                   .has_function = step == ChainStep::kFunction});
  }
  for (; all.size() > 1 && all.front().power_alone; all.erase(all.begin())) {
    ++hits["part of the operand's scale"];
  }
  for (; all.size() > 1 && all.back().power_alone; all.pop_back()) {
    ++hits["part of the result's scale"];
  }
  return std::ssize(all);
}

std::int64_t rows_of(const Shape& shape) {
  return graph::element_count(shape) / shape.back();
}

std::int64_t tiles_of(const Shape& shape, const MachineConfig& config) {
  return (shape.back() + config.array_cols - 1) / config.array_cols;
}

std::uint64_t lane_rows(const Shape& shape, const MachineConfig& config) {
  return static_cast<std::uint64_t>(rows_of(shape) * tiles_of(shape, config));
}

std::uint64_t passes(const NetworkProgram& program, const Shape& shape,
                     const MachineConfig& config) {
  return layers_of(program)[0].vector_rows / lane_rows(shape, config);
}

void expect_passes(const NetworkProgram& program, const Shape& shape, const MachineConfig& config,
                   std::int64_t expected) {
  EXPECT_EQ(layers_of(program)[0].vector_rows,
            static_cast<std::uint64_t>(expected) * lane_rows(shape, config))
      << layer_table(program);
}

}  // namespace weft::compiler::testing
