#include "models/networks/networks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"
#include "models/networks/builders.h"

namespace weft::networks {
namespace {

constexpr std::int64_t kNoSequence = 0;
/// Arbitrary limit: a recurrent network has no table of positions, but longer sequences are no use.
constexpr std::int64_t kLongestRecurrence = 65536;

/// The context of the released models: cached and new tokens together.
constexpr std::int64_t kLongestLlama = 4096;
constexpr std::string_view kLlama =
    "Touvron et al., Llama 2: Open Foundation and Fine-Tuned Chat Models, 2023";

constexpr std::array<NetworkInfo, 19> kNetworks = {{
    {"digits-mlp", "perceptron 64-32-10, small digits", "sizes of our own", kNoSequence, 0,
     build_digits_mlp},
    {"digits-cnn", "2 convolutions, small digits", "sizes of our own", kNoSequence, 0,
     build_digits_cnn},
    {"mlp", "perceptron 784-512-512-10, digits", "sizes of our own", kNoSequence, 0, build_mlp},
    {"mlp0", "5 layers of 2000, as MLP0 of the TPU paper",
     "Jouppi et al., In-Datacenter Performance Analysis of a Tensor Processing Unit, 2017",
     kNoSequence, 0, build_mlp0},
    {"cnn0", "16 convolutions on a board, as CNN0 of the TPU paper",
     "Jouppi et al., In-Datacenter Performance Analysis of a Tensor Processing Unit, 2017",
     kNoSequence, 0, build_cnn0},
    {"lenet5", "LeNet-5, digits",
     "LeCun et al., Gradient-Based Learning Applied to Document Recognition, 1998", kNoSequence, 0,
     build_lenet5},
    {"alexnet", "AlexNet in one column",
     "Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014",
     kNoSequence, 0, build_alexnet},
    {"alexnet-2012", "AlexNet in two columns, with LRN",
     "Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012",
     kNoSequence, 0, build_alexnet_2012},
    {"vgg16", "VGG-16",
     "Simonyan and Zisserman, Very Deep Convolutional Networks, 2015, configuration D", kNoSequence,
     0, build_vgg16},
    {"resnet18", "ResNet-18", "He et al., Deep Residual Learning for Image Recognition, 2016",
     kNoSequence, 0, build_resnet18},
    {"resnet50", "ResNet-50 v1.5", "He et al., Deep Residual Learning for Image Recognition, 2016",
     kNoSequence, 0, build_resnet50},
    {"mobilenetv2", "MobileNetV2, width 1",
     "Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, 2018", kNoSequence, 0,
     build_mobilenetv2},
    {"vit-s", "vision transformer ViT-S/16",
     "Dosovitskiy et al., An Image is Worth 16x16 Words, 2021; sizes of Touvron et al., 2021",
     kNoSequence, 0, build_vit_s},
    {"lstm", "word model, 2 LSTMs of 650",
     "Zaremba et al., Recurrent Neural Network Regularization, 2014, medium", 35,
     kLongestRecurrence, build_lstm},
    {"bert-base", "BERT base with pooler",
     "Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, 2019", 128, 512,
     build_bert_base},
    {"gpt2", "GPT-2 small",
     "Radford et al., Language Models are Unsupervised Multitask Learners, 2019, small", 128, 1024,
     build_gpt2},
    {"llama-7b", "Llama 2 shapes, 7 B", kLlama, 128, kLongestLlama, build_llama_7b, true},
    {"llama-13b", "Llama 2 shapes, 13 B", kLlama, 128, kLongestLlama, build_llama_13b, true},
    {"llama-70b", "Llama 2 shapes, 70 B", kLlama, 128, kLongestLlama, build_llama_70b, true},
}};

std::vector<std::string> names() {
  std::vector<std::string> all;
  all.reserve(kNetworks.size());
  for (const NetworkInfo& info : kNetworks) all.emplace_back(info.name);
  return all;
}

std::int64_t checked(std::int64_t value, std::int64_t most, std::string_view name,
                     std::string_view what) {
  if (value >= 1 && value <= most) return value;
  throw InputError(
      fmt::format("network {}: {} {} is out of range; must be 1 to {}", name, what, value, most));
}

void check_cache(const NetworkInfo& info, const NetworkOptions& options) {
  if (!info.decodes) {
    throw InputError(fmt::format(
        "network {}: has no cache of keys and values; remove the length of the cache", info.name));
  }
  if (options.sequence) {
    throw InputError(fmt::format(
        "network {}: decodes one token with a cache; give a sequence length or that of the cache",
        info.name));
  }
  checked(*options.kv_cache, info.longest - 1, info.name, "cache length");
}

}  // namespace

std::span<const NetworkInfo> networks() {
  return kNetworks;
}

const NetworkInfo& find_network(std::string_view name) {
  const auto found = std::ranges::find(kNetworks, name, &NetworkInfo::name);
  if (found != kNetworks.end()) return *found;
  const std::vector<std::string> all = names();
  const std::string meant = most_similar(name, all);
  throw InputError(fmt::format("{}: no such network; {}", printable(name),
                               meant.empty() ? fmt::format("there are {}", fmt::join(all, ", "))
                                             : fmt::format("did you mean {}?", meant)));
}

graph::Graph build_network(std::string_view name, const NetworkOptions& options) {
  const NetworkInfo& info = find_network(name);
  NetworkOptions resolved = options;
  if (options.kv_cache) check_cache(info, options);
  checked(options.batch, kLargestBatch, info.name, "batch");
  if (info.sequence != kNoSequence) {
    resolved.sequence = checked(options.sequence.value_or(info.sequence), info.longest, info.name,
                                "sequence length");
  } else if (options.sequence) {
    throw InputError(fmt::format(
        "network {}: its input is not a sequence; remove the sequence length", info.name));
  }
  return info.build(resolved);
}

}  // namespace weft::networks
