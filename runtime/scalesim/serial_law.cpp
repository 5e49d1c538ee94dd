#include "runtime/scalesim/serial_law.h"

#include "compiler/mapping/checked_math.h"
#include "sim/isa/check/tensor_layout.h"

namespace weft::runtime {
namespace {

using imports::Dataflow;
using imports::ScaleSimConfig;

/// The sizes that are cut by the array's rows and columns, and the one that streams.
struct Spread {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t stream = 0;
};

Spread spread_of(const MatmulSpec& product, Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::kWeightStationary:
      return {product.k, product.n, product.m};
    case Dataflow::kInputStationary:
      return {product.k, product.m, product.n};
    case Dataflow::kOutputStationary:
      return {product.m, product.n, product.k};
  }
  return {};
}

bool is_output_stationary(const ScaleSimConfig& config) {
  return config.dataflow == Dataflow::kOutputStationary;
}

std::uint64_t product_of(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return checked_mul(checked_mul(a, b), c);
}

/// `words` if they fit half of an SRAM of `kib` KiB, whose words have one byte; else `reads`.
std::uint64_t from_dram(std::uint64_t words, std::uint64_t reads, std::uint64_t kib) {
  return words <= kib * 1024 / 2 ? words : reads;
}

}  // namespace

SerialLaw serial_law(const MatmulSpec& product, const ScaleSimConfig& config) {
  const Spread spread = spread_of(product, config.dataflow);
  const std::uint64_t loads = is_output_stationary(config) ? 0 : config.rows;
  SerialLaw law;
  law.folds = checked_mul(ceil_div(spread.rows, config.rows), ceil_div(spread.cols, config.cols));
  law.fold_cycles = loads + spread.stream + config.rows + config.cols - 2;
  checked_mul(law.folds, law.fold_cycles);
  law.macs = product_of(product.m, product.k, product.n);
  const double used = static_cast<double>(spread.rows) * static_cast<double>(spread.cols);
  const double there = static_cast<double>(law.folds) * config.rows * config.cols;
  law.mapping_efficiency = used / there;
  return law;
}

std::uint64_t printed_fold_cycles(const SerialLaw& law, const ScaleSimConfig& config) {
  return law.fold_cycles + (is_output_stationary(config) ? 0 : config.cols - 1);
}

OperandWords sram_words(const MatmulSpec& product, const ScaleSimConfig& config) {
  const auto [m, k, n, bias, activation] = product;
  const std::uint64_t k_folds = ceil_div(k, config.rows);
  switch (config.dataflow) {
    case Dataflow::kWeightStationary:
      return {product_of(m, k, ceil_div(n, config.cols)), checked_mul(k, n),
              product_of(m, n, k_folds)};
    case Dataflow::kInputStationary:
      return {checked_mul(m, k), product_of(k, n, ceil_div(m, config.cols)),
              product_of(m, n, k_folds)};
    case Dataflow::kOutputStationary:
      return {product_of(m, k, ceil_div(n, config.cols)),
              product_of(k, n, ceil_div(m, config.rows)), checked_mul(m, n)};
  }
  return {};
}

OperandWords dram_words(const imports::ScaleSimLayer& layer, const ScaleSimConfig& config) {
  const MatmulSpec product = product_of(layer);
  const OperandWords sram = sram_words(product, config);
  return {from_dram(layer.ifmap_words(), sram.ifmap, config.ifmap_kib),
          from_dram(checked_mul(product.k, product.n), sram.filter, config.filter_kib), sram.ofmap};
}

MatmulSpec product_of(const imports::ScaleSimLayer& layer) {
  return {.m = layer.m(), .k = layer.k(), .n = layer.n()};
}

}  // namespace weft::runtime
