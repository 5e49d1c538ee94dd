// A matmul that is ready to be simulated: machine, compiled program and matrices. So a row of the
// table times only simulate().
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "compiler/emit/matmul.h"
#include "compiler/mapping/tiling_plan.h"
#include "compiler/schedule/product/map_product.h"
#include "pe/float_formats.h"
#include "sim/config/machine_config.h"
#include "sim/memory/tensor_memory.h"
#include "sim/simulate.h"

namespace weft::bench {

class MatmulJob {
 public:
  MatmulJob(const MachineConfig& config, const MatmulSpec& spec)
      : config_(config),
        program_(lower_matmul(map_product(spec, config), config)),
        a_(random_matrix(spec.m, spec.k)),
        b_(random_matrix(spec.k, spec.n)),
        out_(accumulator_type(config.dtype), spec.m, spec.n),
        memory_(program_) {
    memory_.bind("a", a_);
    memory_.bind("b", b_);
    memory_.bind_result("out", out_);
  }
  MatmulJob(const MatmulJob&) = delete;
  MatmulJob& operator=(const MatmulJob&) = delete;

  Result run(Engine engine, unsigned threads) {
    return simulate(config_, program_, &memory_, {engine, threads, {}});
  }

 private:
  /// int8 of any value, or 16-bit floats from -1 to 1.
  Matrix random_matrix(std::uint64_t rows, std::uint64_t cols) {
    Matrix matrix(config_.dtype, rows, cols);
    std::mt19937 random(3);
    for (std::uint64_t i = 0; i < rows * cols; ++i) {
      const auto value = static_cast<std::int8_t>(random());
      if (config_.dtype == ElementType::kInt8) {
        matrix.set(i / cols, i % cols, value);
      } else {
        matrix.set(i / cols, i % cols, to_bf16(static_cast<float>(value) / 128.0F));
      }
    }
    return matrix;
  }

  MachineConfig config_;
  Program program_;
  Matrix a_;
  Matrix b_;
  Matrix out_;
  TensorMemory memory_;
};

}  // namespace weft::bench
