// Reads and writes a network's tensors as .npy files, of any rank and every type common to both.
#pragma once

#include <string>

#include "compiler/graph/tensor.h"
#include "runtime/npy/npy.h"

namespace weft::runtime {

/// Returns the array in row-major order with its elements unchanged. Throws InputError for a bool
/// other than 0 or 1, and for an extent of 2^63 or more.
graph::Tensor to_tensor(const NpyArray& array);

/// Encodes a file of version 1.0, in C order.
std::string encode_npy(const graph::Tensor& tensor);

}  // namespace weft::runtime
