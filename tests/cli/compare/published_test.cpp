// Published times beside modelled and simulated ones: each row of docs/compare.md is reckoned anew
// from the published figure, typed in here again, and from what `weft compare` reports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/figures.h"
#include "tests/cli/explain/runs.h"

namespace weft::test {
namespace {

std::string docs() {
  std::stringstream text;
  text << std::ifstream(WEFT_SOURCE_DIR "/docs/compare.md").rdbuf();
  return text.str();
}

Words words_of(const std::string& text) {
  std::istringstream in(text);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Times in seconds, in the order of --with.
std::vector<double> seconds_of(const std::string& workload, const std::string& devices) {
  const nlohmann::json report =
      json_of(Words{"compare"} + words_of(workload) + Words{"--with", devices});
  std::vector<double> seconds;
  for (const auto& row : report.at("rows")) seconds.push_back(row.at("seconds"));
  return seconds;
}

/// Of the model's speed: positive if the model is too fast.
std::string error_of(double measured, double modelled) {
  return fmt::format("{:+.0f} %", 100 * (measured / modelled - 1));
}

struct Product {
  std::string sizes;  // M K N
  double v100 = 0;    // published seconds, fp16
  double t4 = 0;
};

std::string row_of(const Product& product) {
  const auto seconds = seconds_of("matmul " + product.sizes, "v100,t4,tpu-v2,tpu-v1");
  std::string sizes;
  for (const std::string& size : words_of(product.sizes)) {
    sizes += (sizes.empty() ? "" : " x ") + size;
  }
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |", sizes, si(product.v100, "s"),
                     si(seconds.at(0), "s"), error_of(product.v100, seconds.at(0)),
                     si(product.t4, "s"), si(seconds.at(1), "s"),
                     error_of(product.t4, seconds.at(1)), si(seconds.at(2), "s"),
                     si(seconds.at(3), "s"));
}

// DeepBench, 16-bit inputs, neither operand transposed.
const Product kProducts[] = {
    {"2048 2048 16", 23e-6, 43e-6},         {"2048 2048 32", 24e-6, 43e-6},
    {"2048 2048 64", 26e-6, 45e-6},         {"2048 2048 128", 31e-6, 42e-6},
    {"2048 2048 7000", 599e-6, 1423e-6},    {"35 2048 8457", 64e-6, 134e-6},
    {"1024 512 700", 18e-6, 33e-6},         {"5124 2048 9124", 1993e-6, 4941e-6},
    {"7680 2560 24000", 9009e-6, 23653e-6}, {"512 500000 8", 658e-6, 1710e-6},
};

TEST(PublishedTimesTest, TheDocumentationHasTheProductsAsTheyAreModelledAndSimulated) {
  const std::string text = docs();
  for (const Product& product : kProducts) {
    const std::string row = row_of(product);
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

struct Network {
  std::string workload;
  std::string device;
  double measured_ms = 0;
  std::string printed;  // as it was published, or measured
  bool quick = false;   // to simulate; the others take up to a minute each
};

// BERT: NVIDIA's TensorRT, demo/BERT. ResNet-50: NVIDIA's DeepLearningExamples, PyTorch. ViT-S:
// ToMe, 953 images per second. H100: measured for this project, with PyTorch 2.11, as one CUDA
// graph; in fp16 after torch.compile.
const Network kNetworks[] = {
    {"bert-base --batch 1", "a100:fp16", 0.67, "0.67 ms", true},
    {"bert-base --batch 8", "a100:fp16", 1.38, "1.38 ms", true},
    {"bert-base --batch 128", "a100:fp16", 16.14, "16.14 ms"},
    {"bert-base --batch 1", "t4:fp16", 1.95, "1.95 ms", true},
    {"bert-base --batch 8", "t4:fp16", 9.09, "9.09 ms", true},
    {"bert-base --batch 128", "t4:fp16", 144.20, "144.20 ms"},
    {"resnet50 --batch 1", "v100:fp32", 10.37, "10.37 ms", true},
    {"resnet50 --batch 128", "v100:fp32", 109.26, "109.26 ms"},
    {"resnet50 --batch 128", "v100:fp16", 43.55, "43.55 ms"},
    {"resnet50 --batch 128", "t4:fp32", 309.26, "309.26 ms"},
    {"resnet50 --batch 128", "t4:fp16", 114.24, "114.24 ms"},
    {"vit-s --batch 256", "v100:fp32", 256 / 0.953, "268.6 ms"},
    {"resnet50 --batch 1", "h100:fp16", 0.410, "0.410 ms", true},
    {"resnet50 --batch 16", "h100:fp16", 0.980, "0.980 ms"},
    {"resnet50 --batch 128", "h100:fp16", 5.50, "5.50 ms"},
    {"resnet50 --batch 128", "h100:fp32", 44.8, "44.8 ms"},
    {"vit-s --batch 1", "h100:fp16", 0.446, "0.446 ms", true},
    {"vit-s --batch 16", "h100:fp16", 0.872, "0.872 ms"},
    {"vit-s --batch 256", "h100:fp16", 9.12, "9.12 ms"},
    {"vit-s --batch 256", "h100:fp32", 64.2, "64.2 ms"},
    {"bert-base --batch 1", "h100:fp16", 0.688, "0.688 ms", true},
    {"bert-base --batch 8", "h100:fp16", 1.18, "1.18 ms", true},
    {"bert-base --batch 128", "h100:fp16", 11.0, "11.0 ms"},
    {"bert-base --batch 128", "h100:fp32", 70.7, "70.7 ms"},
};

TEST(PublishedTimesTest, TheDocumentationHasTheNetworksAsTheyAreModelled) {
  const std::string text = docs();
  for (const Network& network : kNetworks) {
    const double modelled = seconds_of(network.workload, network.device).at(0);
    const std::string row = fmt::format("| `{}` | `{}` | {} | {} | {} |", network.workload,
                                        network.device, network.printed, si(modelled, "s"),
                                        error_of(network.measured_ms * 1e-3, modelled));
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST(PublishedTimesTest, TheDocumentationHasTheSmallNetworksAsTheyAreSimulated) {
  std::istringstream lines(docs());
  std::size_t rows = 0;
  std::map<std::string, std::vector<double>> simulated;  // by workload; several devices ran each
  for (std::string line; std::getline(lines, line);) {
    const auto network = std::ranges::find_if(kNetworks, [&](const Network& each) {
      return each.quick &&
             line.starts_with(fmt::format("| `{}` | `{}` |", each.workload, each.device));
    });
    if (network == std::end(kNetworks)) continue;
    std::vector<double>& seconds = simulated[network->workload];
    if (seconds.empty()) seconds = seconds_of(network->workload, "tpu-v2,tpu-v1");
    const std::string end =
        fmt::format("| {} | {} |", si(seconds.at(0), "s"), si(seconds.at(1), "s"));
    EXPECT_TRUE(line.ends_with(end)) << line << "\n" << end;
    ++rows;
  }
  EXPECT_EQ(rows, 9U);
}

}  // namespace
}  // namespace weft::test
