// Measures products and writes them as the CSV that `weft compare --measured` reads
// (docs/compare.md).
#pragma once

#include <string>
#include <vector>

#include "models/reference/cuda/device/matmul_type.h"
#include "models/reference/cuda/device/operands.h"

namespace weft::cuda {

struct MeasureRequest {
  std::vector<MatmulShape> shapes = {};
  MatmulType type = MatmulType::kFp16;
  std::string csv = {};  // the file to write
  bool loops = false;    // in loops on this processor, for a machine without a device
};

/// Reads "4096x4096x4096,64x576x128". Throws InputError for anything but sizes from 1 to 65,536.
std::vector<MatmulShape> parse_shapes(const std::string& text);

/// Measures the products and writes the file, whole or not at all. Throws InputError if there is no
/// CUDA device, or not enough memory on it, or if the file cannot be written.
void measure_products(const MeasureRequest& request);

}  // namespace weft::cuda
