// Compares each number in the advice of `explain` with the total of a second simulation. Compares
// the excess of a span over its formula with a count of single cycles.
#include "report/explain/measured_advice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "compiler/emit/matmul.h"
#include "compiler/schedule/product/map_product.h"
#include "runtime/analysis/span_excess.h"
#include "sim/config/config_keys.h"
#include "tests/machine/run_matmul.h"

namespace weft::report {
namespace {

using testing::Random;

struct Analysed {
  RunReport report;
  Program program;
  Result result;
};

Analysed analyse(const MatmulSpec& spec, const MachineConfig& config) {
  Analysed run;
  const TilingPlan plan = map_product(spec, config);
  run.program = lower_matmul(plan, config);
  run.result = simulate(config, run.program, nullptr, {Engine::kAnalytic, 1, {}});
  run.report = describe_product("explain", run.program, plan, run.result);
  run.report.machine = config;
  return run;
}

/// Returns the timed machine's total cycles for a run with values.
double timed_total(const MatmulSpec& spec, const MachineConfig& config) {
  const Program program = lower_matmul(map_product(spec, config), config);
  Random random(1);
  const auto operands = testing::random_operands(spec, config.dtype, false, random);
  return static_cast<double>(
      testing::run_matmul(config, program, operands, Engine::kFast).result.total);
}

MachineConfig some_machine(Random& random) {
  constexpr const char* kPresets[] = {"tiny", "tpu-v1", "tpu-v2", "edge-tpu"};
  if (random.chance(30)) return load_preset(kPresets[random.between(0, 3)]);
  MachineConfig config = testing::random_machine(random);
  // With few accumulators and a slow vector unit, matmuls wait for regions of the accumulator ring.
  config.accumulator_rows = random.chance(50) ? random.between(2, 8) : random.between(9, 256);
  if (random.chance(50)) config.vector_latency_cycles = random.between(12, 40);
  config.unified_buffer_kib = random.between(16, 256);
  return config;
}

std::uint64_t length(std::uint32_t tile, std::uint32_t most_tiles, Random& random) {
  const std::uint32_t tiles = random.between(1, most_tiles);
  return random.chance(40) ? tiles * tile : random.between(1, tiles * tile + 1);
}

MatmulSpec some_shape(const MachineConfig& config, Random& random) {
  MatmulSpec spec;
  spec.m = random.between(1, random.chance(50) ? 2 * config.array_rows : 8);
  spec.k = length(config.array_rows, 3, random);
  spec.n = length(config.array_cols, 6, random);
  spec.bias = random.chance(30);
  return spec;
}

/// Compares one sentence's numbers with the timed machine. Counts the kinds of sentences.
class SentenceCheck {
 public:
  SentenceCheck(const MatmulSpec& spec, const MachineConfig& config)
      : spec_(spec), config_(config), total_(timed_total(spec, config)) {}

  void check(const std::string& sentence, std::map<std::string, int>& seen) {
    SCOPED_TRACE(sentence);
    static const std::regex kForm(
        R"(([MKN]) = (\d+) [^;]*; (\d+)(?: rows)? would (take|do ([\d.]+) times the work in) )"
        R"((?:(the same cycles)|([\d.]+) % of the cycles|([\d.]+) times the cycles)\.)");
    static const std::regex kTransposed(
        R"([^;]*, ([\d.]+) % of them padding; the transposed product, (\d+) x (\d+) x (\d+), )"
        R"(would take ([\d.]+) % of the cycles\.)");
    std::smatch found;
    if (sentence.starts_with("Nothing is padded")) {
      EXPECT_EQ(spec_.k % config_.array_rows + spec_.n % config_.array_cols, 0U);
      ++seen["nothing padded"];
    } else if (sentence.find(';') == std::string::npos) {
      ++seen["no gain"];
    } else if (std::regex_match(sentence, found, kTransposed)) {
      check_transposed(found, seen);
    } else if (std::regex_match(sentence, found, kForm)) {
      check_numbers(found, seen);
    } else {
      ADD_FAILURE() << "unknown form of sentence";
    }
  }

 private:
  void check_transposed(const std::smatch& found, std::map<std::string, int>& seen) {
    EXPECT_FALSE(spec_.bias);
    const double columns = std::ceil(static_cast<double>(spec_.n) / config_.array_cols);
    const double padding = 1 - static_cast<double>(spec_.n) / (columns * config_.array_cols);
    EXPECT_EQ(fmt::format("{:.1f}", 100 * padding), found[1]);
    const MatmulSpec other = {.m = spec_.n, .k = spec_.k, .n = spec_.m};
    EXPECT_EQ(std::to_string(other.m), found[2]);
    EXPECT_EQ(std::to_string(other.k), found[3]);
    EXPECT_EQ(std::to_string(other.n), found[4]);
    const double cycles = timed_total(other, config_) / total_;
    EXPECT_LT(cycles, 1 / 1.04) << "not a gain";
    EXPECT_EQ(fmt::format("{:.1f}", 100 * cycles), found[5]);
    ++seen["transposed"];
  }

  void check_numbers(const std::smatch& found, std::map<std::string, int>& seen) {
    MatmulSpec other = spec_;
    std::uint64_t& size = found[1] == "M" ? other.m : found[1] == "K" ? other.k : other.n;
    EXPECT_EQ(std::to_string(size), found[2]);
    const double work = std::stod(found[3]) / static_cast<double>(size);
    size = std::stoull(found[3]);
    const double cycles = timed_total(other, config_) / total_;
    EXPECT_GT(work, 1.04 * cycles) << "not a gain";
    if (found[5].matched) {
      EXPECT_EQ(fmt::format("{:.2f}", work), found[5]);
    }
    if (found[6].matched) {
      EXPECT_EQ(cycles, 1.0);
    } else if (found[7].matched) {
      EXPECT_EQ(fmt::format("{:.1f}", 100 * cycles), found[7]);
    } else {
      EXPECT_EQ(fmt::format("{:.1f}", cycles), found[8]);
    }
    ++seen[found[1] == "M" ? "batch" : work < 1 ? "smaller" : "larger"];
    if (found[8].matched) ++seen["times the cycles"];
  }

  MatmulSpec spec_;
  MachineConfig config_;
  double total_;
};

TEST(MeasuredAdviceTest, EveryNumberIsThatOfASecondSimulation) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const MachineConfig config = some_machine(random);
    const MatmulSpec spec = some_shape(config, random);
    SCOPED_TRACE(fmt::format("seed {}: {} {} {} on {} {}x{}", seed, spec.m, spec.k, spec.n,
                             config.name, config.array_rows, config.array_cols));
    const Analysed run = analyse(spec, config);
    SentenceCheck check(spec, config);
    for (const std::string& sentence : measured_advice(run.report)) check.check(sentence, seen);
  }
  for (const char* kind : {"nothing padded", "no gain", "batch", "smaller", "larger",
                           "times the cycles", "transposed"}) {
    EXPECT_GT(seen[kind], 0) << kind;
  }
}

TEST(MeasuredAdviceTest, SaysSoWhereItIsOnlyTheFormula) {
  MachineConfig config = load_preset("tiny");
  config.memory_kind = MemoryKind::kIdeal;
  const Analysed run = analyse({8, 4, 5}, config);
  // R + (T-1)M + M + R+C-2 with T = 1 is 4 + 8 + 6 = 18; with T = 2 it is 4 + 8 + 8 + 6 = 26.
  EXPECT_EQ(measured_advice(run.report, 1),
            (std::vector<std::string>{"N = 5 wastes 37.5 % of the array; 4 would take 69.2 % of "
                                      "the array's cycles by the formula."}));
}

// Asks naively in each cycle of the span what the next matmul waits for.
CycleLedger count_span(const Analysed& run) {
  const Timeline& timeline = run.result.timeline;
  const Cycle first = timeline.pushes.front();
  CycleLedger count;
  Cycle streamed = 0;
  std::vector<const InstructionTiming*> of_unit[kUnitCount];
  for (std::size_t i = 0; i < run.program.code.size(); ++i) {
    of_unit[static_cast<std::size_t>(run.program.code[i].unit())].push_back(
        &timeline.instructions[i]);
  }
  std::size_t tile = 0;
  const auto shifting = [&](Cycle t) {
    for (const Cycle push : timeline.pushes) {
      if (t >= push && t < push + run.report.machine.array_rows) return true;
    }
    return false;
  };
  const auto waits = [&](const Instruction& matmul, Unit unit, Cycle t) {
    const std::uint32_t need = matmul.after[unit];
    return need > 0 && of_unit[static_cast<std::size_t>(unit)][need - 1]->retired >= t;
  };
  const Cycle drain = run.report.machine.array_rows + run.report.machine.array_cols - 2;
  for (std::size_t i = 0; i < run.program.code.size(); ++i) {
    const auto* matmul = std::get_if<Matmul>(&run.program.code[i].operation);
    if (matmul == nullptr) continue;
    const auto& fetches = of_unit[static_cast<std::size_t>(Unit::kFetch)];
    const InstructionTiming* fetch = matmul->next_weights ? fetches[tile++] : nullptr;
    const Cycle start = timeline.instructions[i].started;
    for (Cycle t = std::max(first, streamed); t < start; ++t) {
      if (shifting(t)) {
        ++count.weight_shift;
      } else if (fetch != nullptr && fetch->retired >= t) {
        ++count.weight_stall;
      } else if (waits(run.program.code[i], Unit::kLoad, t)) {
        ++count.input_stall;
      } else if (waits(run.program.code[i], Unit::kVector, t)) {
        ++count.raw_stall;
      } else if (fetch != nullptr && !run.report.machine.double_buffer && streamed > 0 &&
                 t < streamed + drain) {
        ++count.fill_drain;
      } else {
        ++count.idle;
      }
    }
    streamed = start + matmul->rows;
    count.array_active += matmul->rows;
  }
  count.fill_drain += drain;
  return count;
}

TEST(SpanExcessTest, EveryClassIsThatOfACountCycleByCycle) {
  CycleLedger seen;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const MachineConfig config = some_machine(random);
    const MatmulSpec spec = some_shape(config, random);
    const Analysed run = analyse(spec, config);
    const CycleLedger excess = runtime::span_excess(config, run.result.span_ledger,
                                                    run.report.product().plan->formula_cycles(),
                                                    run.report.product().plan->folds);
    const CycleLedger count = count_span(run);
    SCOPED_TRACE(fmt::format("seed {}: {} {} {}", seed, spec.m, spec.k, spec.n));
    EXPECT_EQ(count.sum(), run.result.array_span);
    EXPECT_EQ(excess.sum(), run.result.array_span -
                                static_cast<Cycle>(run.report.product().plan->formula_cycles()));
    EXPECT_EQ(excess.weight_stall, count.weight_stall);
    EXPECT_EQ(excess.input_stall, count.input_stall);
    EXPECT_EQ(excess.raw_stall, count.raw_stall);
    EXPECT_EQ(excess.idle, count.idle);
    EXPECT_EQ(excess.array_active, 0);
    EXPECT_EQ(excess.vector + excess.output, 0);
    for (const LedgerClass& entry : kLedgerClasses) {
      seen.*entry.cycles += std::abs(excess.*entry.cycles);
    }
  }
  for (const LedgerClass& entry : kLedgerClasses) {
    const bool beside =
        entry.name == "array_active" || entry.name == "vector" || entry.name == "output";
    EXPECT_EQ(seen.*entry.cycles > 0, !beside) << entry.name;
  }
}

}  // namespace
}  // namespace weft::report
