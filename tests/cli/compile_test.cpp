// Programs of networks that `weft compile` writes: `weft exec` needs as many cycles for them as
// `weft run` for the network.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

class CompileTest : public testing::Test {
 protected:
  static std::int64_t cycles(Words words) {
    for (const char* word : {"--engine", "analytic", "--json", "-"}) words.emplace_back(word);
    const Finished run = run_weft(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out)["cycles"]["total"];
  }
  static void expect_refused(const Words& words, const std::string& message) {
    const Finished run = run_weft(words);
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }

  TemporaryFolder folder_;
};

TEST_F(CompileTest, WritesTheOneProgramOfANetwork) {
  const std::string program = folder_.file("lenet5.weft");
  const Finished compiled = run_weft({"compile", "lenet5", "--machine", "tpu-v1", "-o", program});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_NE(compiled.out.find("'image/quantize': the machine has no QuantizeLinear"),
            std::string::npos)
      << compiled.out;
  EXPECT_EQ(cycles({"exec", program, "--machine", "tpu-v1"}),
            cycles({"run", "lenet5", "--machine", "tpu-v1"}));
  const Finished with_values = run_weft({"exec", program, "--machine", "tpu-v1", "--seed", "7"});
  EXPECT_EQ(with_values.code, 0) << with_values.err;
}

// Its weights come through the unified buffer, and its results leave one by one.
TEST_F(CompileTest, WritesAProductOfOtherTransfers) {
  const std::string program = folder_.file("product.weft");
  const Words machine = {"--machine", "tpu-v1", "--array.rows", "8", "--array.cols", "12"};
  const Words sizes = {"5", "70", "90"};
  const Finished compiled = run_weft(Words{"compile"} + sizes + machine + Words{"-o", program});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const std::string text = folder_.read("product.weft");
  EXPECT_NE(text.find("tensor name=b_rows role=activation"), std::string::npos);
  EXPECT_NE(text.find("fetch buffer="), std::string::npos);
  const auto report_of = [&](const Words& words) {
    const Finished run = run_weft(words + Words{"--json", "-"});
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out);
  };
  const auto product = report_of(Words{"matmul"} + sizes + machine);
  const auto executed = report_of(Words{"exec", program} + machine);
  EXPECT_EQ(executed["cycles"], product["cycles"]);
  EXPECT_EQ(executed["plan"], product["plan"]);
  EXPECT_EQ(executed["traffic"], product["traffic"]);
  EXPECT_EQ(executed["check"]["agrees"], true);
  EXPECT_GE(product["traffic"]["weight_bytes"], 70 * 90);
  // The compiler would make another program for this memory.
  const auto elsewhere =
      report_of(Words{"exec", program} + machine + Words{"--memory.kind", "ideal"});
  EXPECT_TRUE(elsewhere["plan"].is_null());
  EXPECT_EQ(elsewhere["traffic"], product["traffic"]);
}

TEST_F(CompileTest, NumbersTheProgramsOfANetworkThatTheHostInterrupts) {
  const std::string program = folder_.file("vit.weft");
  const Finished compiled = run_weft({"compile", "vit-s", "--machine", "tpu-v1", "-o", program});
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  std::int64_t sum = 0;
  for (const char* name : {"vit-1.weft", "vit-2.weft"}) {
    sum += cycles({"exec", folder_.file(name), "--machine", "tpu-v1"});
  }
  EXPECT_EQ(sum, cycles({"run", "vit-s", "--machine", "tpu-v1"}));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("vit.weft")));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("vit-3.weft")));
}

TEST_F(CompileTest, PrintsTheMappingOfEachLayer) {
  const Finished product = run_weft({"compile", "8", "8", "8", "--machine", "tiny", "--mapping"});
  EXPECT_EQ(product.code, 0);
  EXPECT_NE(product.out.find("weights stationary"), std::string::npos) << product.out;
  EXPECT_NE(product.out.find("rings of"), std::string::npos) << product.out;
  const Finished network = run_weft({"compile", "lenet5", "--machine", "tpu-v1", "--mapping"});
  EXPECT_NE(network.out.find("'c3'"), std::string::npos) << network.out;
  EXPECT_NE(network.out.find("vector unit; chunks of"), std::string::npos) << network.out;
}

TEST_F(CompileTest, FoldsLikePartsOfAMappingAndNamesItsForm) {
  const Finished lines = run_weft({"compile", "resnet18", "--machine", "tpu-v1", "--mapping"});
  for (const char* part : {"patches cut by loads", "; 4 lines in a row", "'maxpool_1/maxpool'",
                           "  4 alike: vector unit; chunks of"}) {
    EXPECT_NE(lines.out.find(part), std::string::npos) << part << " in " << lines.out;
  }
  const Finished images =
      run_weft({"compile", "lenet5", "--machine", "tiny", "--batch", "2", "--mapping"});
  EXPECT_NE(images.out.find("25 taps side by side, 7 folds; patches cut by loads; image by image"),
            std::string::npos)
      << images.out;
}

// The second layer has one row of activations and 10 of weights. Streamed, the activations take 24
// tiles, and the weights take 8.
TEST_F(CompileTest, SaysWhichOperandStaysInTheArray) {
  const Words words = {"compile", "digits-mlp", "--machine", "tiny", "--mapping", "--array.dtype"};
  const Finished bytes = run_weft(words + Words{"int8"});
  EXPECT_EQ(bytes.out.find("activations stationary"), std::string::npos) << bytes.out;
  const Finished floats = run_weft(words + Words{"bf16"});
  EXPECT_NE(floats.out.find("weights stationary"), std::string::npos) << floats.out;
  EXPECT_NE(floats.out.find("activations stationary"), std::string::npos) << floats.out;
}

TEST_F(CompileTest, RefusesWhatHasNoEffectOrNoPlace) {
  const std::string program = folder_.file("lenet5.weft");
  ASSERT_EQ(run_weft({"compile", "lenet5", "--machine", "tpu-v1", "-o", program}).code, 0);
  expect_refused({"exec", program, "--machine", "tpu-v1", "--a", program}, "drop --a");
  expect_refused({"exec", program, "--machine", "tpu-v1", "--out", folder_.file("y.npy")},
                 "drop --a");
  expect_refused({"compile", "vit-s", "--machine", "tpu-v1"}, "becomes 2 programs");
  expect_refused({"compile", "lenet5", "--with-bias"}, "--with-bias: is for products");
  expect_refused({"compile", "4", "4", "4", "--batch", "2"}, "--batch: is for networks");
  expect_refused({"compile", "4", "4", "4", "--optimize", "2"}, "--optimize: is for networks");
  expect_refused({"compile", "4", "4", "4", "--mapping", "-o", program}, "--mapping");
  expect_refused({"compile", "5"}, "K is missing");
  expect_refused({"compile", "no-such-network"}, "no-such-network");
}

}  // namespace
}  // namespace weft::test
