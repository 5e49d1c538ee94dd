// The lines of a `.weft` file that are not instructions: the machine of the program, its tensors,
// and what it computes. They use the descriptors of the instruction set, but have no binary form.
#pragma once

#include <tuple>

#include "sim/isa/program.h"
#include "sim/isa/text/instruction_table.h"

namespace weft {
namespace table {

inline constexpr Choice<TensorRole, 6> kRole{
    {"activation", "weights", "bias", "result", "narrow", "image"}};
inline constexpr Choice<Activation, 3> kActivation{{"none", "relu", "relu6"}};

}  // namespace table

inline constexpr auto kMachineLine = table::opcode<Program>(
    "machine", "The array for which rows and tiles are laid out.",
    table::required("rows", table::kRow, table::at(&Program::array_rows), "R, rows of the array"),
    table::required("cols", table::kRow, table::at(&Program::array_cols),
                    "C, columns of the array"),
    table::required("dtype", TypeName{}, table::at(&Program::dtype),
                    "the type that it multiplies"));

inline constexpr auto kTensorLine = table::opcode<TensorDecl>(
    "tensor", "A matrix in host memory or, for weights, in weight memory.",
    table::required("name", Name{}, table::at(&TensorDecl::name),
                    "the name under which a run binds a matrix to it"),
    table::required("role", table::kRole, table::at(&TensorDecl::role), "its layout"),
    table::required("type", TypeName{}, table::at(&TensorDecl::type), "the type of its elements"),
    table::required("shape", RowsByColumns{}, table::at(), "its rows and columns"),
    table::required("base", table::kAddress, table::at(&TensorDecl::base),
                    "its first host row, or its first tile"));

inline constexpr auto kComputesLine = table::opcode<MatmulSpec>(
    "computes matmul",
    "What the program computes from tensors a, b and bias into out. Tensor b_rows holds b again.",
    table::required("m", table::kAddress, table::at(&MatmulSpec::m), "rows of a"),
    table::required("k", table::kAddress, table::at(&MatmulSpec::k), "columns of a"),
    table::required("n", table::kAddress, table::at(&MatmulSpec::n), "columns of b"),
    table::optional("bias", table::kSwitch, table::at(&MatmulSpec::bias),
                    "whether a bias is added"),
    table::optional("activation", table::kActivation, table::at(&MatmulSpec::activation),
                    "the activation function after that"));

}  // namespace weft
