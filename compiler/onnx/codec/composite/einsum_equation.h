// The equation of an Einsum: which labels the dimensions of its operands and its result have.
//
//   "bij, bjk -> bik"  with operands 2x3x4 and 2x4x5:
//       operands  [b i j] [b j k]     result  [b i k]     extents  b 2, i 3, j 4, k 5
//
// A letter is a label. Each dimension of an ellipsis has a label of its own, counted from the last:
// operands with shorter ellipses lack the first of them. Dimensions of extent 1 are broadcast.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::onnx_io {

/// A letter, or kEllipsis + i for the dimension i places before the last of the ellipsis.
using Label = int;
using Labels = std::vector<Label>;

struct EinsumEquation {
  std::vector<Labels> operands;  // a label may occur twice in one operand
  Labels result;
  std::map<Label, std::int64_t> extents;
};

/// Parses the equation for operands of these shapes. Without "->", the result has the ellipsis and
/// then, in alphabetical order, the letters that occur once. Throws InputError for an equation that
/// does not fit the operands, or that no Einsum may have.
EinsumEquation parse_einsum(const std::string& equation, const std::vector<graph::Shape>& shapes);

}  // namespace weft::onnx_io
