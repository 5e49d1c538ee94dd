// The matrices of a run: read from .npy files or drawn at random, then converted to the machine's
// types. uint8 arrays need a correction to give their true product.
//
// uint8 x enters an int8 array as x - 128; its zero point is -128:
//   A:  the term 128 * colsum(B) is folded into the bias, so the machine adds it
//   B:  the term 128 * rowsum(A) differs from row to row, so the host adds it after the run
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/reference/cpu/product/matmul.h"
#include "runtime/npy/npy.h"
#include "runtime/workload/run_options.h"
#include "sim/isa/program.h"
#include "sim/memory/matrix.h"
#include "sim/memory/tensor_memory.h"

namespace weft::runtime {

/// Type and shape of the named files; the values are not read yet.
struct InputHeaders {
  std::optional<NpyArray> a;
  std::optional<NpyArray> b;
  std::optional<NpyArray> bias;

  bool a_is_uint8() const { return a && a->type == NpyType::kUint8; }
  bool b_is_uint8() const { return b && b->type == NpyType::kUint8; }
};

/// Throws InputError for invalid files and for files that do not fit an array of `dtype`.
InputHeaders read_headers(const RunOptions& options, ElementType dtype);

/// True if several tensors have the same role, as in programs of networks. No file can be given for
/// one of them, so all inputs are random. The weights of a product count once (kWeightRows).
bool has_several_of_a_role(const Program& program);

/// Returns the tensor with this role, or nullptr; not the rows of a product's weights. Throws
/// InputError if the program has several.
const TensorDecl* find_tensor(const Program& program, TensorRole role);

/// Binds the product's weights wherever the program holds them: as tiles, and perhaps as rows.
void bind_weights(TensorMemory& memory, const Program& program, const Matrix& weights);

struct Operands {
  Matrix a;
  Matrix b;
  std::optional<Matrix> bias;          // as the user gave it
  std::optional<Matrix> machine_bias;  // with A's zero point folded in
  std::int32_t a_zero_point = 0;
  std::int32_t b_zero_point = 0;

  /// The problem that the CPU reference solves to check the result.
  reference::MatmulProblem problem(Activation activation) const;
};

/// Reads or draws the tensors that `program` needs. A bias without a file is random, or zero if
/// `random_bias` is false. Throws InputError if files and tensors do not fit together, or if uint8
/// arrays need a term that the program cannot add.
Operands load_operands(const Program& program, const RunOptions& options,
                       const InputHeaders& headers, bool random_bias);

/// Adds the host's term for a uint8 B to the result, modulo 2^32.
void add_row_sums(const Operands& operands, Matrix& result);

}  // namespace weft::runtime
