// .npy files as a network's tensors, of any rank and type that both know.
#pragma once

#include <string>

#include "cli/npy.h"
#include "compiler/graph/tensor.h"

namespace weft::cli {

/// The array in row-major order, its elements as they are. Throws InputError for a bool that is
/// neither 0 nor 1 or an extent of 2^63 and more.
graph::Tensor to_tensor(const NpyArray& array);

/// A file of version 1.0, in C order.
std::string encode_npy(const graph::Tensor& tensor);

}  // namespace weft::cli
