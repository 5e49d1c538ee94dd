// Runs a matmul from shape to result on one engine, as the command does, for whole-machine tests.
#pragma once

#include <cstdint>
#include <cstring>

#include "compiler/emit/matmul.h"
#include "pe/float_formats.h"
#include "sim/memory/tensor_memory.h"
#include "sim/simulate.h"
#include "tests/machine/random_program.h"

namespace weft::testing {

struct MatmulOperands {
  Matrix a;
  Matrix b;
  Matrix bias;
};

/// Draws any bit patterns, including NaN, infinities and subnormals; or, for floats without
/// `any_bits`, multiples of 1/8 in [-4, 4).
inline Matrix random_matrix(ElementType type, std::uint64_t rows, std::uint64_t cols, bool any_bits,
                            Random& random) {
  Matrix matrix(type, rows, cols);
  const std::size_t size = element_bytes(type);
  for (std::size_t i = 0; i < matrix.bytes().size(); i += size) {
    std::uint64_t bits = random.bits();
    const float small = static_cast<float>(bits % 64) / 8.0F - 4.0F;
    if (!any_bits && type == ElementType::kBf16) bits = to_bf16(small).bits;
    if (!any_bits && type == ElementType::kFp16) bits = to_fp16(small).bits;
    if (!any_bits && type == ElementType::kFloat32) bits = std::bit_cast<std::uint32_t>(small);
    std::memcpy(matrix.bytes().data() + i, &bits, size);
  }
  return matrix;
}

inline MatmulOperands random_operands(const MatmulSpec& spec, ElementType dtype, bool any_bits,
                                      Random& random) {
  return {random_matrix(dtype, spec.m, spec.k, any_bits, random),
          random_matrix(dtype, spec.k, spec.n, any_bits, random),
          random_matrix(accumulator_type(dtype), 1, spec.n, any_bits, random)};
}

struct MatmulRun {
  Result result;
  Matrix out;
};

inline MatmulRun run_matmul(const MachineConfig& config, const Program& program,
                            const MatmulOperands& operands, Engine engine, unsigned threads = 1) {
  const MatmulSpec& spec = *program.computes;
  MatmulRun run;
  run.out = Matrix(accumulator_type(config.dtype), spec.m, spec.n);
  TensorMemory memory(program);
  memory.bind("a", operands.a);
  memory.bind("b", operands.b);
  for (const TensorDecl& tensor : program.tensors) {
    if (is_weight_rows(program, tensor)) memory.bind(tensor.name, operands.b);
  }
  if (spec.bias) memory.bind("bias", operands.bias);
  memory.bind_result("out", run.out);
  run.result = simulate(config, program, &memory, {engine, threads, {}});
  return run;
}

}  // namespace weft::testing
