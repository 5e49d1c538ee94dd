#include "runtime/workload/network_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"
#include "models/data/digits8x8.h"
#include "models/networks/digits.h"
#include "models/training/classifier.h"
#include "runtime/npy/npy_tensor.h"
#include "runtime/positions.h"
#include "runtime/workload/network_inputs.h"
#include "runtime/workload/network_outputs.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// The .npy files in a folder, sorted by name.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".npy" && !is_folder(entry.path())) {
      files.push_back(entry.path());
    }
  }
  if (error) throw InputError(folder.string() + ": cannot be read; check its permissions");
  if (files.empty()) {
    throw InputError(folder.string() +
                     ": has no .npy file; give one per sample, or stack the samples");
  }
  std::ranges::sort(files);
  return files;
}

/// True for several stacked samples: only the first extent differs, and it is a multiple.
bool is_stack(const Shape& shape, const Shape& sample) {
  if (shape.size() != sample.size() || shape.size() < 2 || sample[0] == 0) return false;
  return shape[0] > 0 && shape[0] % sample[0] == 0 &&
         std::equal(shape.begin() + 1, shape.end(), sample.begin() + 1);
}

/// True for the input's shape without its batch of 1.
bool lacks_batch(const Shape& shape, const Shape& sample) {
  return !sample.empty() && sample[0] == 1 &&
         std::equal(shape.begin(), shape.end(), sample.begin() + 1, sample.end());
}

void split(const Tensor& stack, const Shape& shape, std::vector<Tensor>& samples) {
  std::span<const std::byte> rest = stack.bytes();
  while (!rest.empty()) {
    Tensor& sample = samples.emplace_back(stack.type(), shape);
    const std::span<std::byte> bytes = sample.mutable_bytes();
    std::ranges::copy(rest.first(bytes.size()), bytes.begin());
    rest = rest.subspan(bytes.size());
  }
}

void add_samples(const fs::path& file, const Graph& graph, ValueId input,
                 std::vector<Tensor>& samples) {
  const Tensor tensor = to_tensor(read_npy(file));
  const graph::ValueType& wanted = graph.type(input);
  const bool same_type = tensor.type() == wanted.type;
  if (same_type && lacks_batch(tensor.shape(), wanted.shape)) {
    samples.push_back(tensor.reshaped(wanted.shape));
  } else if (same_type && is_stack(tensor.shape(), wanted.shape)) {
    split(tensor, wanted.shape, samples);
  } else {
    check_input(graph, input, file.string(), tensor);
    samples.push_back(tensor);
  }
  if (const auto element = first_not_finite(tensor)) {
    throw InputError(fmt::format(
        "{}: {}: a calibration sample that is not finite gives no range; give finite numbers",
        file.string(), *element));
  }
}

/// Finds the samples of one input of a network with several inputs.
fs::path place_of_input(const fs::path& folder, const std::string& input) {
  const fs::path place = folder / portable_name(input);
  if (is_folder(place)) return place;
  fs::path file = place;
  file += ".npy";
  std::error_code error;
  if (fs::exists(file, error)) return file;
  throw InputError(fmt::format("{}: has no samples of input {}; give {} or a folder {}",
                               folder.string(), printable(input), file.string(), place.string()));
}

std::vector<Tensor> samples_of_input(const fs::path& place, const Graph& graph, ValueId input) {
  std::vector<Tensor> samples;
  if (is_folder(place)) {
    for (const fs::path& file : files_in(place)) add_samples(file, graph, input, samples);
  } else {
    add_samples(place, graph, input, samples);
  }
  return samples;
}

}  // namespace

std::vector<NamedTensors> read_samples(const fs::path& place, const Graph& graph) {
  if (graph.inputs.empty()) throw InputError("the network has no input to calibrate with");
  std::error_code error;
  if (!fs::exists(place, error)) {
    throw InputError(place.string() + ": no such file or folder; give an .npy file or a folder");
  }
  const bool several = graph.inputs.size() > 1;
  if (several && !is_folder(place)) {
    throw InputError(
        fmt::format("{}: the network has {} inputs; give a folder with one .npy file "
                    "or folder for each",
                    place.string(), graph.inputs.size()));
  }
  std::vector<NamedTensors> samples;
  for (const ValueId input : graph.inputs) {
    const std::string& name = graph.values[input].name;
    const std::vector<Tensor> tensors =
        samples_of_input(several ? place_of_input(place, name) : place, graph, input);
    if (input == graph.inputs.front()) samples.resize(tensors.size());
    if (tensors.size() != samples.size()) {
      throw InputError(
          fmt::format("{}: input {} has {} samples, others have {}; give each input as many",
                      place.string(), printable(name), tensors.size(), samples.size()));
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) samples[i].emplace(name, tensors[i]);
  }
  return samples;
}

namespace {

constexpr std::int64_t kImages = 64;  // that digit_samples() gives

/// The network's only input if it takes images of the size that draw_digits() draws.
const graph::Value* drawn_digit_input(const Graph& graph) {
  if (graph.inputs.size() != 1) return nullptr;
  const graph::Value& input = graph.values[graph.inputs.front()];
  const Shape& shape = input.type.shape;
  const bool flat = shape.size() == 2 && shape[1] == networks::kDigitSize * networks::kDigitSize;
  const bool image = shape.size() == 4 && shape[1] == 1 && shape[2] == networks::kDigitSize &&
                     shape[3] == networks::kDigitSize;
  return input.type.type == graph::DataType::kFloat32 && (flat || image) ? &input : nullptr;
}

std::vector<NamedTensors> drawn_digit_samples(const graph::Value& input) {
  const std::int64_t batch = input.type.shape[0];
  const std::int64_t count = std::max<std::int64_t>(1, kImages / batch);
  const Tensor images = networks::draw_digits(count * batch, 1).images;
  std::vector<Tensor> tensors;
  split(images, input.type.shape, tensors);
  std::vector<NamedTensors> samples;
  for (Tensor& tensor : tensors) samples.push_back({{input.name, std::move(tensor)}});
  return samples;
}

}  // namespace

std::vector<NamedTensors> digit_samples(const Graph& graph) {
  if (const graph::Value* input = drawn_digit_input(graph)) return drawn_digit_samples(*input);
  const data::Dataset digits = data::digits8x8();
  const training::ClassifierShape shape = training::classifier_shape(graph);
  data::check_fits(digits, shape.image_shape, shape.classes);
  std::vector<NamedTensors> samples;
  for (std::int64_t first = 0; first == 0 || first + shape.batch <= kImages; first += shape.batch) {
    std::vector<std::uint32_t> numbers(
        static_cast<std::size_t>(std::min(shape.batch, digits.train.count())));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first));
    samples.push_back({{shape.input, data::image_batch(digits.train, numbers, shape.image_shape)}});
  }
  return samples;
}

}  // namespace weft::runtime
