#include "runtime/train/data_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "models/data/idx.h"
#include "runtime/npy/npy.h"
#include "runtime/npy/npy_tensor.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;
using graph::DataType;
using graph::Tensor;

constexpr float kLargestByte = 255;

/// The two possible names of one of the four files.
struct FileNames {
  std::string_view idx;
  std::string_view npy;
};
constexpr FileNames kTrainImages = {"train-images-idx3-ubyte", "train_images.npy"};
constexpr FileNames kTrainLabels = {"train-labels-idx1-ubyte", "train_labels.npy"};
constexpr FileNames kTestImages = {"t10k-images-idx3-ubyte", "test_images.npy"};
constexpr FileNames kTestLabels = {"t10k-labels-idx1-ubyte", "test_labels.npy"};

/// Some unpackers write a dot in place of the second hyphen.
std::string with_dot(std::string_view name) {
  std::string text(name);
  text[text.find("-idx")] = '.';
  return text;
}

struct Found {
  fs::path path;
  bool is_npy = false;
};

Found find(const fs::path& folder, const FileNames& names) {
  std::error_code error;
  for (const std::string& stem : {std::string(names.idx), with_dot(names.idx)}) {
    for (const char* ending : {"", ".gz"}) {
      const fs::path path = folder / fmt::format("{}{}", stem, ending);
      if (fs::exists(path, error)) return {path, false};
    }
  }
  const fs::path npy = folder / names.npy;
  if (fs::exists(npy, error)) return {npy, true};
  throw InputError(fmt::format("{}: has neither {} nor {}.gz nor {}; give a folder with them",
                               folder.string(), names.idx, names.idx, names.npy));
}

Tensor scaled(std::span<const std::uint8_t> bytes, graph::Shape shape) {
  Tensor tensor(DataType::kFloat32, std::move(shape));
  const std::span<float> out = tensor.mutable_data<float>();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[i] = static_cast<float>(bytes[i]) / kLargestByte;
  }
  return tensor;
}

Tensor images_of(const NpyArray& array) {
  const Tensor tensor = to_tensor(array);
  if (tensor.rank() < 2 || tensor.size() == 0) {
    throw InputError(fmt::format("{}: is {}; images are [count, ...]", array.file,
                                 graph::to_string(tensor.value_type())));
  }
  if (tensor.type() == DataType::kUint8) return scaled(tensor.data<std::uint8_t>(), tensor.shape());
  if (tensor.type() != DataType::kFloat32) {
    throw InputError(
        fmt::format("{}: holds {}; images are uint8 or float32, convert them by "
                    "numpy's .astype('float32')",
                    array.file, graph::to_string(tensor.type())));
  }
  const auto finite = [](float x) { return std::isfinite(x); };
  if (!std::ranges::all_of(tensor.data<float>(), finite)) {
    throw InputError(array.file + ": has a pixel that is infinite or NaN; give finite ones");
  }
  return tensor;
}

Tensor read_images(const Found& found) {
  if (found.is_npy) return images_of(read_npy(found.path));
  data::IdxArray array = data::read_idx(found.path, 3);
  if (array.values.empty()) throw InputError(array.file + ": has no images; give some");
  return scaled(array.values, array.shape);
}

template <class T>
std::vector<std::int64_t> elements_as_int64(const Tensor& tensor) {
  const auto data = tensor.data<T>();
  return {data.begin(), data.end()};
}

std::vector<std::int64_t> integers_of(const NpyArray& array, const Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::kInt8:
      return elements_as_int64<std::int8_t>(tensor);
    case DataType::kUint8:
      return elements_as_int64<std::uint8_t>(tensor);
    case DataType::kInt32:
      return elements_as_int64<std::int32_t>(tensor);
    case DataType::kInt64:
      return elements_as_int64<std::int64_t>(tensor);
    default:
      throw InputError(
          fmt::format("{}: holds {}; labels are integers, convert them by numpy's "
                      ".astype('int64')",
                      array.file, graph::to_string(tensor.type())));
  }
}

std::vector<std::int32_t> labels_of(const NpyArray& array) {
  const Tensor tensor = to_tensor(array);
  if (tensor.rank() != 1) {
    throw InputError(fmt::format("{}: is {}; labels are [count]", array.file,
                                 graph::to_string(tensor.value_type())));
  }
  std::vector<std::int32_t> labels;
  for (const std::int64_t label : integers_of(array, tensor)) {
    if (label < 0 || label > std::numeric_limits<std::int32_t>::max()) {
      throw InputError(fmt::format("{}: label {} of image {} is out of range; must be 0 or more",
                                   array.file, label, labels.size()));
    }
    labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

std::vector<std::int32_t> read_labels(const Found& found) {
  if (found.is_npy) return labels_of(read_npy(found.path));
  const data::IdxArray array = data::read_idx(found.path, 1);
  return {array.values.begin(), array.values.end()};
}

data::Examples read_part(const Found& images, const Found& labels) {
  data::Examples examples;
  examples.labels = read_labels(labels);
  examples.images = read_images(images);
  examples.source = labels.path.string();
  examples.image_source = images.path.string();
  const std::int64_t count = examples.images.shape().front();
  if (count == examples.count()) return examples;
  throw InputError(
      fmt::format("{}: has {} labels, {} has {} images; give files that belong "
                  "together",
                  labels.path.string(), examples.count(), images.path.string(), count));
}

}  // namespace

data::Dataset read_data_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InputError(folder + ": is not a folder; give --data the folder of the data files");
  }
  const fs::path path(folder);
  const std::array found = {find(path, kTrainImages), find(path, kTrainLabels),
                            find(path, kTestImages), find(path, kTestLabels)};
  return {folder, read_part(found[0], found[1]), read_part(found[2], found[3])};
}

}  // namespace weft::runtime
