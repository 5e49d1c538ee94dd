// A data set in a folder: MNIST's four IDX files under their own names, plain or with .gz, or four
// .npy files.
//
//   train-images-idx3-ubyte[.gz]   train_images.npy   uint8 [count, ...] (0..255 becomes 0..1) or
//   t10k-images-idx3-ubyte[.gz]    test_images.npy      float32 as it is
//   train-labels-idx1-ubyte[.gz]   train_labels.npy   [count]; .npy: int8, uint8, int32 or int64
//   t10k-labels-idx1-ubyte[.gz]    test_labels.npy
#pragma once

#include <string>

#include "models/data/dataset.h"

namespace weft::cli {

/// Throws InputError naming the file: it is missing (with the names looked for), cannot be read, is
/// of a wrong form; images and labels are not as many; a label is no class number.
data::Dataset read_data_folder(const std::string& folder);

}  // namespace weft::cli
