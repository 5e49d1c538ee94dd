#include "compiler/onnx/codec/inputs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "compiler/onnx/codec/protobuf/tensor_proto.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using OnnxDimension = ::onnx::TensorShapeProto::Dimension;

/// The shape that the caller gave for an input, directly or with a value; null if none.
const graph::Shape* given_shape(const std::string& name, const ImportOptions& options) {
  const auto shape = options.shapes.find(name);
  if (shape != options.shapes.end()) return &shape->second;
  const auto value = options.values.find(name);
  return value != options.values.end() ? &value->second.shape() : nullptr;
}

/// The dimension as the file declares it: its extent, its name, or "?".
std::string extent_text(const OnnxDimension& dim) {
  if (dim.has_dim_value()) return fmt::format("{}", dim.dim_value());
  if (dim.dim_param().empty()) return "?";
  const std::string name = printable(dim.dim_param());
  return name.substr(1, name.size() - 2);
}

/// `--shape NAME=1,3,224,224`, with 1 for each dimension that the file leaves open.
std::string suggestion(const ::onnx::ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  std::vector<std::string> dims;
  for (const OnnxDimension& dim : type.shape().dim()) {
    dims.push_back(dim.has_dim_value() ? fmt::format("{}", dim.dim_value()) : "1");
  }
  if (!type.has_shape()) dims = {"1", "3", "224", "224"};
  const std::string name = printable(input.name());
  return fmt::format("--shape {}={}", name.substr(1, name.size() - 2), fmt::join(dims, ","));
}

class Binder {
 public:
  explicit Binder(const ImportOptions& options) : options_(options) {}

  /// Learns the extents of named dimensions from the shape that the caller gave for this input.
  void learn(const ::onnx::ValueInfoProto& input) {
    const graph::Shape* const given = given_shape(input.name(), options_);
    const auto& type = input.type().tensor_type();
    if (given == nullptr || !type.has_shape()) return;
    require_rank(type.shape(), *given);
    for (int i = 0; i < type.shape().dim_size(); ++i) {
      const OnnxDimension& dim = type.shape().dim(i);
      const std::int64_t extent = (*given)[static_cast<std::size_t>(i)];
      if (!dim.has_dim_value() && !dim.dim_param().empty()) learn(dim.dim_param(), extent);
    }
  }

  /// Sets a named first dimension to the batch unless the caller's shapes already fix it.
  void learn_batch(const ::onnx::ValueInfoProto& input) {
    const auto& shape = input.type().tensor_type().shape();
    if (!options_.batch || shape.dim_size() == 0) return;
    const OnnxDimension& first = shape.dim(0);
    if (first.has_dim_value() || first.dim_param().empty()) return;
    extents_.try_emplace(first.dim_param(), *options_.batch);
  }

  BoundInput bind(const ::onnx::ValueInfoProto& input) const {
    if (!input.type().has_tensor_type()) throw InputError("only tensors are supported");
    const auto& type = input.type().tensor_type();
    BoundInput bound{input.name(), {data_type_of_onnx(type.elem_type()), {}}};
    const graph::Shape* const given = given_shape(input.name(), options_);
    bound.type.shape = type.has_shape() ? bind_dimensions(input, given) : whole(input, given);
    graph::element_count(bound.type.shape);
    require_value_fits(bound);
    return bound;
  }

 private:
  static void require_rank(const ::onnx::TensorShapeProto& shape, const graph::Shape& given) {
    if (static_cast<std::size_t>(shape.dim_size()) == given.size()) return;
    throw InputError(fmt::format("the shape {} was given, the file has {}", graph::to_string(given),
                                 to_text(shape)));
  }

  void learn(const std::string& name, std::int64_t extent) {
    const auto [at, added] = extents_.try_emplace(name, extent);
    if (added || at->second == extent) return;
    throw InputError(fmt::format("{} is {} here and {} in another input",
                                 labeled("dimension", name), extent, at->second));
  }

  static graph::Shape whole(const ::onnx::ValueInfoProto& input, const graph::Shape* given) {
    if (given != nullptr) return *given;
    throw InputError("its shape is open; give it like " + suggestion(input));
  }

  graph::Shape bind_dimensions(const ::onnx::ValueInfoProto& input,
                               const graph::Shape* given) const {
    const auto& shape = input.type().tensor_type().shape();
    graph::Shape bound;
    for (int i = 0; i < shape.dim_size(); ++i) {
      const std::int64_t* const extent =
          given != nullptr ? &(*given)[static_cast<std::size_t>(i)] : nullptr;
      bound.push_back(bind_dimension(input, i, extent));
    }
    return bound;
  }

  std::int64_t bind_dimension(const ::onnx::ValueInfoProto& input, int index,
                              const std::int64_t* given) const {
    const OnnxDimension& dim = input.type().tensor_type().shape().dim(index);
    if (dim.has_dim_value()) {
      if (given == nullptr || *given == dim.dim_value()) return dim.dim_value();
      throw InputError(fmt::format("the shape {} was given, the file has {}",
                                   graph::to_string(*given_shape(input.name(), options_)),
                                   to_text(input.type().tensor_type().shape())));
    }
    if (given != nullptr) return *given;
    const auto known = extents_.find(dim.dim_param());
    if (!dim.dim_param().empty() && known != extents_.end()) return known->second;
    if (index == 0 && options_.batch) return *options_.batch;
    if (index == 0 && is_named_batch(dim)) return 1;
    throw InputError(fmt::format("the dimension {} of {} is open; give the shape like {}",
                                 extent_text(dim), to_text(input.type().tensor_type().shape()),
                                 suggestion(input)));
  }

  /// Exporters name the first dimension batch, batch_size or unk_batch; people also N, B or bs.
  static bool is_named_batch(const OnnxDimension& dim) {
    std::string name = dim.dim_param();
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name == "n" || name == "b" || name == "bs" || name.find("batch") != std::string::npos;
  }

  void require_value_fits(const BoundInput& input) const {
    const auto value = options_.values.find(input.name);
    if (value == options_.values.end() || value->second.value_type() == input.type) return;
    throw InputError(fmt::format("a value of {} was given for an input of {}",
                                 graph::to_string(value->second.value_type()),
                                 graph::to_string(input.type)));
  }

  const ImportOptions& options_;
  std::map<std::string, std::int64_t> extents_;
};

/// True if the file leaves the first dimension open.
bool takes_any_batch(const ::onnx::ValueInfoProto& input) {
  const auto& type = input.type().tensor_type();
  if (!type.has_shape()) return true;
  return type.shape().dim_size() > 0 && !type.shape().dim(0).has_dim_value();
}

/// Throws InputError if no input has the requested batch: the batch then contradicts the file or
/// the given shapes and values.
void require_batch(const std::vector<BoundInput>& inputs, bool any_is_open,
                   const ImportOptions& options) {
  const auto takes = [&](const BoundInput& input) {
    return !input.type.shape.empty() && input.type.shape.front() == *options.batch;
  };
  if (!options.batch || std::any_of(inputs.begin(), inputs.end(), takes)) return;
  std::vector<std::string> types;
  for (const BoundInput& input : inputs) {
    types.push_back(
        fmt::format("{} is {}", printable(input.name), graph::to_string(input.type.shape)));
  }
  throw InputError(fmt::format("no input has batch {}: {}; {}, or drop the batch", *options.batch,
                               fmt::join(types, ", "),
                               any_is_open ? "give shapes and values of this batch"
                                           : "leave the first dimension open in the file"));
}

template <class Map>
void require_inputs(const Map& given, const std::vector<BoundInput>& inputs, const char* what) {
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    const bool known = std::any_of(inputs.begin(), inputs.end(),
                                   [&](const BoundInput& input) { return input.name == name; });
    if (known) continue;
    std::vector<std::string> names;
    for (const BoundInput& input : inputs) names.push_back(printable(input.name));
    throw InputError(fmt::format("a {} was given for {}, but the inputs are: {}", what,
                                 printable(name), fmt::join(names, ", ")));
  }
}

}  // namespace

std::string to_text(const ::onnx::TensorShapeProto& shape) {
  std::vector<std::string> dims;
  for (const OnnxDimension& dim : shape.dim()) dims.push_back(extent_text(dim));
  return dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, "x"));
}

std::vector<BoundInput> bind_inputs(const ::onnx::GraphProto& model, const Constants& constants,
                                    const ImportOptions& options) {
  std::vector<const ::onnx::ValueInfoProto*> open;
  for (const auto& input : model.input()) {
    if (!constants.has(input.name())) open.push_back(&input);
  }
  Binder binder(options);
  for (const auto* input : open) {
    located(labeled("input", input->name()), [&] { binder.learn(*input); });
  }
  for (const auto* input : open) binder.learn_batch(*input);
  std::vector<BoundInput> inputs;
  for (const auto* input : open) {
    inputs.push_back(located(labeled("input", input->name()), [&] { return binder.bind(*input); }));
  }
  require_inputs(options.shapes, inputs, "shape");
  require_inputs(options.values, inputs, "value");
  const bool any_is_open = std::any_of(open.begin(), open.end(),
                                       [](const auto* input) { return takes_any_batch(*input); });
  require_batch(inputs, any_is_open, options);
  return inputs;
}

}  // namespace weft::onnx_io
