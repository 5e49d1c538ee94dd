#include "tests/onnx/exports/recorded.h"

#include <ostream>

#include "compiler/onnx/import.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/npy/npy_tensor.h"

namespace weft::onnx_io::testing {

const std::vector<Network>& networks() {
  static const std::vector<Network> kNetworks = {
      {"swin", {"image"}, {"logits"}},
      {"convnext", {"image"}, {"logits"}, "opset20"},
      {"detr", {"image", "mask"}, {"classes", "boxes"}},
      {"whisper", {"mel"}, {"states"}, "opset20"},
      {"llama",
       {"input_ids", "position_ids", "key0", "value0", "key1", "value1"},
       {"logits", "new_key0", "new_value0", "new_key1", "new_value1"},
       "opset21"},
      {"yolo", {"image"}, {"detections", "scores"}, "opset18"},
      {"vit", {"image"}, {"logits"}, "opset19"},
      {"lstm", {"tokens"}, {"tags", "state"}},
      {"bert", {"input_ids", "attention_mask", "token_type_ids"}, {"states", "pooled"}, "opset18"},
      {"unet", {"image"}, {"mask"}, "opset21"},
      {"mobilenet_v3", {"image"}, {"logits"}},
      {"efficientnet", {"image"}, {"logits"}},
  };
  return kNetworks;
}

std::string Form::name() const {
  return network->name + "_" + file;
}

std::vector<Form> forms() {
  std::vector<Form> forms;
  for (const Network& network : networks()) {
    forms.push_back({&network, "model"});
    if (!network.raised.empty()) forms.push_back({&network, network.raised});
  }
  return forms;
}

void PrintTo(const Form& form, std::ostream* out) {
  *out << form.name();
}

void PrintTo(const Network& network, std::ostream* out) {
  *out << network.name;
}

Values read_values(const Network& network, const std::filesystem::path& folder) {
  const auto read = [&](const std::vector<std::string>& names) {
    reference::NamedTensors tensors;
    for (const std::string& name : names) {
      const auto file = folder / network.name / (name + ".npy");
      tensors.emplace(name, runtime::to_tensor(runtime::read_npy(file)));
    }
    return tensors;
  };
  return {read(network.inputs), read(network.outputs)};
}

graph::Graph import_form(const Form& form, const std::filesystem::path& folder,
                         const reference::NamedTensors& inputs) {
  const auto file = folder / form.network->name / (form.file + ".onnx");
  return import_onnx(file.string(), {.values = inputs, .evaluate = reference::evaluate});
}

std::filesystem::path recorded() {
  return WEFT_SOURCE_DIR "/tests/onnx/exports/recorded";
}

}  // namespace weft::onnx_io::testing
