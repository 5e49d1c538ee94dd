#include "runtime/scalesim/serial_machine.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "compiler/emit/matmul.h"
#include "compiler/mapping/checked_math.h"
#include "sim/isa/check/tensor_layout.h"
#include "sim/simulate.h"

namespace weft::runtime {
namespace {

using imports::Dataflow;
using imports::ScaleSimConfig;

// Enough that no slot is filled again while its rows are still used.
constexpr std::uint64_t kRingSlots = 3;
// One region fills while the vector unit empties the other.
constexpr std::uint64_t kRegions = 2;
constexpr std::uint64_t kClockHz = 1'000'000'000;
constexpr std::uint64_t kMostAccumulatorBytes = std::uint64_t{1} << 32U;
constexpr std::uint64_t kMostAccumulatorRows = 16'777'216;
constexpr std::uint64_t kMostBufferKib = std::uint64_t{1} << 21U;
constexpr std::size_t kLongestName = 64;

/// What a product needs of the machine's buffers.
struct Buffers {
  std::uint64_t accumulator_rows = 0;
  std::uint64_t buffer_rows = 0;
  bool resident = false;  // the streamed operand stays for all column tiles
};

/// Rows of `part` for each of `count` in turn; the largest number if that exceeds 64 bits.
std::uint64_t rows_of(std::uint64_t count, std::uint64_t part) {
  std::uint64_t product = 0;
  const bool overflows = __builtin_mul_overflow(count, part, &product);
  return overflows ? std::numeric_limits<std::uint64_t>::max() / 4 : product;
}

Buffers buffers_of(const MatmulSpec& product, const ScaleSimConfig& config) {
  const std::uint64_t k_tiles = ceil_div(product.k, config.rows);
  const std::uint64_t n_tiles = ceil_div(product.n, config.cols);
  const std::uint64_t result_rows = ceil_div(std::uint64_t{config.cols} * 4, config.rows);
  const bool weights = config.dataflow == Dataflow::kWeightStationary;
  const std::uint64_t sram_rows =
      (weights ? config.ifmap_kib : config.filter_kib) * 1024 / 2 / config.rows;
  Buffers buffers;
  buffers.resident = n_tiles > 1 && rows_of(product.m, k_tiles) <= sram_rows;
  const std::uint64_t slots =
      buffers.resident ? k_tiles : std::min(kRingSlots, rows_of(k_tiles, n_tiles));
  const std::uint64_t regions = std::min(kRegions, n_tiles);
  buffers.accumulator_rows = rows_of(product.m, regions);
  buffers.buffer_rows = rows_of(product.m, slots) + rows_of(product.m, regions * result_rows);
  return buffers;
}

std::uint64_t buffer_kib(const Buffers& buffers, const ScaleSimConfig& config) {
  return ceil_div(rows_of(buffers.buffer_rows, config.rows), 1024);
}

/// Letters that a machine's name may have; the others become '_'.
std::string machine_name(const std::string& run_name) {
  std::string name = run_name.substr(0, kLongestName);
  const auto known = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
  };
  std::ranges::replace_if(
      name, [&](char c) { return !known(c); }, '_');
  return name.empty() ? "scale_run" : name;
}

}  // namespace

MatmulSpec machine_product(const MatmulSpec& product, Dataflow dataflow) {
  if (dataflow != Dataflow::kInputStationary) return product;
  return {.m = product.n, .k = product.k, .n = product.m};
}

const char* only_by_law(const MatmulSpec& product, const ScaleSimConfig& config) {
  if (config.dataflow == Dataflow::kOutputStationary) return "the machine keeps no sums in its PEs";
  const SerialLaw law = serial_law(product, config);
  if (law.folds > std::numeric_limits<std::uint32_t>::max()) {
    return "it has more folds than a program can have instructions of one unit";
  }
  if (law.fold_cycles < kShortestFold) {
    return "a fold is shorter than its five dispatches";
  }
  const Buffers needed = buffers_of(machine_product(product, config.dataflow), config);
  const bool fits = needed.accumulator_rows <= kMostAccumulatorRows &&
                    needed.accumulator_rows * config.cols * 4 <= kMostAccumulatorBytes &&
                    buffer_kib(needed, config) <= kMostBufferKib;
  return fits ? nullptr : "a fold has more rows than the machine's buffers can hold";
}

MachineConfig serial_machine(const ScaleSimConfig& config,
                             const std::vector<MatmulSpec>& products) {
  MachineConfig machine;
  machine.name = machine_name(config.run_name);
  machine.clock_hz = kClockHz;
  machine.array_rows = config.rows;
  machine.array_cols = config.cols;
  machine.double_buffer = false;
  std::uint64_t rows = machine.accumulator_rows;
  std::uint64_t kib = std::max<std::uint64_t>(machine.unified_buffer_kib, config.rows);
  for (const MatmulSpec& product : products) {
    if (only_by_law(product, config) != nullptr) continue;
    const Buffers needed = buffers_of(machine_product(product, config.dataflow), config);
    rows = std::max(rows, needed.accumulator_rows);
    kib = std::max(kib, buffer_kib(needed, config));
  }
  machine.accumulator_rows = static_cast<std::uint32_t>(rows);
  machine.unified_buffer_kib = static_cast<std::uint32_t>(kib);
  if (config.bandwidth) {
    machine.memory_kind = MemoryKind::kSplit;
    machine.memory_bytes_per_s = machine.host_bytes_per_s = *config.bandwidth * kClockHz;
  }
  validate(machine);
  return machine;
}

TilingPlan serial_plan(const MatmulSpec& product, const ScaleSimConfig& config,
                       const MachineConfig& machine) {
  const MatmulSpec mapped = machine_product(product, config.dataflow);
  const Buffers buffers = buffers_of(mapped, config);
  std::vector<TilingPlan> plans =
      plans_with_chunks(mapped, machine, static_cast<std::uint32_t>(mapped.m));
  std::erase_if(
      plans, [&](const TilingPlan& plan) { return plan.activations_resident != buffers.resident; });
  return *std::ranges::max_element(plans, {}, &TilingPlan::activation_slots);
}

Result run_serially(const MatmulSpec& product, const ScaleSimConfig& config,
                    const MachineConfig& machine) {
  return simulate(machine, *matmul_stream(serial_plan(product, config, machine), machine));
}

}  // namespace weft::runtime
