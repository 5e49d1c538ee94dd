// One function for each built-in network, for the table in networks.cpp. Inputs are float32
// [batch, ...] or int64 token numbers; classifiers give logits, without a softmax.
#pragma once

#include "models/networks/networks.h"

namespace weft::networks {

graph::Graph build_digits_mlp(const NetworkOptions& options);
graph::Graph build_digits_cnn(const NetworkOptions& options);
graph::Graph build_mlp(const NetworkOptions& options);
graph::Graph build_mlp0(const NetworkOptions& options);
graph::Graph build_cnn0(const NetworkOptions& options);
graph::Graph build_lenet5(const NetworkOptions& options);
graph::Graph build_alexnet(const NetworkOptions& options);
graph::Graph build_alexnet_2012(const NetworkOptions& options);
graph::Graph build_vgg16(const NetworkOptions& options);
graph::Graph build_resnet18(const NetworkOptions& options);
graph::Graph build_resnet50(const NetworkOptions& options);
graph::Graph build_mobilenetv2(const NetworkOptions& options);
graph::Graph build_lstm(const NetworkOptions& options);
graph::Graph build_bert_base(const NetworkOptions& options);
graph::Graph build_gpt2(const NetworkOptions& options);
graph::Graph build_llama_7b(const NetworkOptions& options);
graph::Graph build_llama_13b(const NetworkOptions& options);
graph::Graph build_llama_70b(const NetworkOptions& options);
graph::Graph build_vit_s(const NetworkOptions& options);

}  // namespace weft::networks
