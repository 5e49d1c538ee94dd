// A data set in a folder: MNIST's four IDX files under their original names, plain or with .gz, or
// four .npy files.
//
//   train-images-idx3-ubyte[.gz]   train_images.npy   uint8 [count, ...] (0..255 becomes 0..1) or
//   t10k-images-idx3-ubyte[.gz]    test_images.npy      float32 as it is
//   train-labels-idx1-ubyte[.gz]   train_labels.npy   [count]; .npy: int8, uint8, int32 or int64
//   t10k-labels-idx1-ubyte[.gz]    test_labels.npy
#pragma once

#include <string>

#include "models/data/dataset.h"

namespace weft::runtime {

/// Throws InputError naming the file if a file is missing (with the expected names), unreadable or
/// of a wrong form, if there are not as many labels as images, or if a label is not a class number.
data::Dataset read_data_folder(const std::string& folder);

}  // namespace weft::runtime
