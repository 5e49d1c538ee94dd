#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "compiler/schedule/product/map_product.h"
#include "rtl/cosim/rtl_models.h"
#include "sim/config/config_keys.h"
#include "tools/bench/baselines.h"
#include "tools/bench/matmul_job.h"
#include "tools/bench/row.h"

namespace weft::bench {
namespace {

MachineConfig tpu_v2(ElementType dtype) {
  MachineConfig config = load_preset("tpu-v2");
  config.dtype = dtype;
  return config;
}

MachineConfig tpu_v2_of_side(std::uint32_t side) {
  MachineConfig config = tpu_v2(ElementType::kBf16);
  config.array_rows = side;
  config.array_cols = side;
  return config;
}

MatmulSpec cube(std::uint64_t side) {
  return {.m = side, .k = side, .n = side};
}

Row fast_row(ElementType dtype, std::function<void()> baseline, double target) {
  const auto job = std::make_shared<MatmulJob>(tpu_v2(dtype), cube(1024));
  return {.name = fmt::format("fast, {}, 1024^3, one thread", to_string(dtype)),
          .weft = [job] { job->run(Engine::kFast, 1); },
          .baseline = std::move(baseline),
          .target = target};
}

Row threads_row(ElementType dtype) {
  const auto job = std::make_shared<MatmulJob>(tpu_v2(dtype), cube(2048));
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  return {.name = fmt::format("fast, {}, 2048^3, {} threads : 1", to_string(dtype), cores),
          .weft = [job, cores] { job->run(Engine::kFast, cores); },
          .baseline = [job] { job->run(Engine::kFast, 1); }};
}

// Counts only the cycles of the array's span. Outside it the array may be asleep, and a cycle that
// advances no register does not count as work.
Row stepped_row() {
  const MachineConfig config = tpu_v2(ElementType::kInt8);
  const auto job = std::make_shared<MatmulJob>(config, cube(1024));
  const Cycle cycles = job->run(Engine::kStepped, 1).array_span;
  return {.name = "stepped, int8, 1024^3",
          .weft = [job] { job->run(Engine::kStepped, 1); },
          .figure = Figure::kRate,
          .target = 8e9,
          .work = static_cast<double>(cycles) * config.array_rows * config.array_cols,
          .work_unit = "PE/s"};
}

// The machine for measuring simulated cycles per second of engines that clock every register. Its
// array is one of the default arrays of the RTL.
MachineConfig clocked_machine(ElementType dtype) {
  MachineConfig config = tpu_v2_of_side(16);
  config.dtype = dtype;
  return config;
}

Row clocked_row(Engine engine, ElementType dtype) {
  const auto job = std::make_shared<MatmulJob>(clocked_machine(dtype), cube(256));
  const Cycle cycles = job->run(Engine::kStepped, 1).array_span;
  return {.name = fmt::format("{}, {}, 256^3 on 16 x 16", to_string(engine), to_string(dtype)),
          .weft = [job, engine] { job->run(engine, 1); },
          .figure = Figure::kRate,
          .work = static_cast<double>(cycles),
          .work_unit = "cycles/s"};
}

Row analytic_row(std::uint32_t array_side, std::uint64_t side) {
  const MachineConfig config = tpu_v2_of_side(array_side);
  const auto program =
      std::make_shared<Program>(lower_matmul(map_product(cube(side), config), config));
  return {.name = fmt::format("analytic, {}^3 on {} x {}", side, array_side, array_side),
          .weft =
              [config, program] {
                simulate(config, *program, nullptr, {Engine::kAnalytic, 1, {}});
              },
          .figure = Figure::kRate,
          .target = 5e6,
          .work = static_cast<double>(program->code.size()),
          .work_unit = "instr/s"};
}

/// Makes, times, checks and counts every instruction of a product, without holding any.
Row replay_row(std::uint32_t array_side, std::uint64_t side) {
  const MachineConfig config = tpu_v2_of_side(array_side);
  const TilingPlan plan = map_product(cube(side), config);
  const auto replay = [config, plan] {
    return simulate(config, *matmul_stream(plan, config), nullptr, false);
  };
  return {.name = fmt::format("make and replay, {}^3 on {} x {}", side, array_side, array_side),
          .weft = [replay] { replay(); },
          .figure = Figure::kRate,
          .work = static_cast<double>(replay().instructions),
          .work_unit = "instr/s"};
}

/// A product of 16 million folds. Most of them are skipped.
Row skip_row() {
  const MachineConfig config = tpu_v2(ElementType::kBf16);
  const TilingPlan plan = map_product({.m = 200, .k = 2'147'483'648, .n = 111}, config);
  return {.name = "make and skip, 200 x 2^31 x 111 on 128 x 128",
          .weft = [config, plan] { simulate(config, *matmul_stream(plan, config)); },
          .figure = Figure::kTime,
          .target = 0.1};
}

Row compile_row() {
  const MachineConfig config = tpu_v2(ElementType::kBf16);
  return {.name = "plan, lower, analytic, 4096^3 on 128 x 128",
          .weft =
              [config] {
                const Program program = lower_matmul(map_product(cube(4096), config), config);
                simulate(config, program, nullptr, {Engine::kAnalytic, 1, {}});
              },
          .figure = Figure::kTime,
          .target = 0.020};
}

}  // namespace

std::vector<Row> simulation_rows() {
  std::vector<Row> rows = {fast_row(ElementType::kBf16, sgemm(1024), 1.5),
                           fast_row(ElementType::kInt8, int8_gemm(1024), 2.0),
                           threads_row(ElementType::kBf16),
                           stepped_row(),
                           analytic_row(128, 4096),
                           analytic_row(8, 2048),
                           replay_row(8, 2048),
                           skip_row(),
                           compile_row()};
  for (const ElementType dtype : {ElementType::kInt8, ElementType::kBf16}) {
    rows.push_back(clocked_row(Engine::kStepped, dtype));
    if (has_rtl_array(clocked_machine(dtype))) rows.push_back(clocked_row(Engine::kRtl, dtype));
  }
  return rows;
}

}  // namespace weft::bench
