// Checks the report on a network run: where work was done, the results, and the layers in int8.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/network/files.h"
#include "tests/cli/network/runs.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Op;
using graph::Tensor;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// A bf16 machine leaves integers to the host, with 2 * 3 * 2 MACs there.
graph::ValueId integer_product(Builder& builder) {
  const auto a = builder.input("a", {DataType::kInt8, {2, 3}});
  const auto b = builder.constant(Tensor::of<std::int8_t>({3, 2}, {1, 2, 3, 4, 5, 6}), "b");
  return builder.add(Op::kMatMulInteger, {a, b}, {}, "integers");
}

/// x [2,3] * {{1,2},{3,4},{5,6}}: 12 MACs on the machine.
graph::ValueId float_product(Builder& builder, graph::ValueId x) {
  const auto w = builder.constant(Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  return builder.add(Op::kMatMul, {x, w});
}

class NetworkSummaryTest : public testing::Test {
 protected:
  std::string write(Builder& builder) {
    return write_onnx_file(folder_, "net.onnx", builder.finish());
  }
  Words run(Builder& builder, const std::string& dtype) {
    return joined({"run", write(builder)}, small_machine(dtype));
  }

  TemporaryFolder folder_;
};

TEST_F(NetworkSummaryTest, TellsTheNetworksMacsFromThoseOfTheMachine) {
  Builder builder("both");
  builder.output(float_product(builder, builder.input("x", {DataType::kFloat32, {2, 3}})), "y");
  builder.output(integer_product(builder), "z");
  const Words words = run(builder, "bf16");
  EXPECT_THAT(summary_of(words), HasSubstr(", 24.0 MACs, 12.0 MACs on the machine\n"));
  const json report = report_of(words);
  EXPECT_EQ(report["workload"]["macs"], 24);
  EXPECT_EQ(report["macs"]["useful"], 12);
  EXPECT_THAT(summary_of(joined({"run", "lenet5"}, small_machine("bf16"))),
              HasSubstr(", 417 kMACs\n"));
}

TEST_F(NetworkSummaryTest, SaysPlainlyThatNothingRanOnTheMachine) {
  Builder builder("host");
  builder.output(integer_product(builder), "z");
  const std::string text = summary_of(run(builder, "bf16"));
  EXPECT_THAT(text, HasSubstr("cycles     none: nothing ran on the machine; the host computed the "
                              "layer, in time that is not simulated\n"));
  EXPECT_THAT(text, HasSubstr("check      nothing to compare: cpu computed everything\n"));
  for (const char* part : {"tiles:", "% of cycles", "traffic", "cycles/s", "quantized to int8"}) {
    EXPECT_THAT(text, Not(HasSubstr(part)));
  }
}

TEST_F(NetworkSummaryTest, CallsNothingQuantizedThatWasNot) {
  Builder builder("int64");
  const auto x = builder.input("x", {DataType::kInt64, {4}});
  builder.output(builder.add(Op::kAdd, {x, x}), "y");
  EXPECT_THAT(summary_of(run(builder, "int8")), Not(HasSubstr("quantized")));
}

TEST_F(NetworkSummaryTest, CountsOneThingInTheSingular) {
  const Words conv = {"conv", "--input", "1,1,1,1", "--filters", "1", "--kernel", "1"};
  const std::string text = summary_of(joined(conv, small_machine("int8")));
  EXPECT_THAT(text, HasSubstr("network    1 filter of 1x1 over 1x1x1x1, batch 1, 1 parameter, "));
  EXPECT_THAT(text, HasSubstr("1 chunk of rows, 1 tile fetch, "));
}

TEST_F(NetworkSummaryTest, SaysWhyALayerOfTheVectorUnitWaitsForWeights) {
  const Words words = {"run", "gpt2", "--machine", "tpu-v1", "--engine", "analytic"};
  const char* const why = "wght of a vector layer: ";
  EXPECT_THAT(summary_of(joined(words, {"--memory.kind", "shared"})), HasSubstr(why));
  EXPECT_THAT(summary_of(joined(words, {"--memory.kind", "ideal"})), Not(HasSubstr(why)));
}

/// The lines that begin with `label`.
std::string lines_of(const std::string& text, const std::string& label) {
  std::string found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(label)) found += line + '\n';
  }
  return found;
}

/// Runs small_product() with given values. bf16 represents them exactly.
class ProductRunTest : public testing::Test {
 protected:
  Words run(const std::vector<float>& in = {1, 2, 3, -1, 0, 0.5F}) {
    const std::string model = write_onnx_file(folder_, "small.onnx", small_product());
    const std::string file = folder_.write("in.npy", npy<float>("<f4", "(2, 3)", in));
    const std::string shift = folder_.write("s.npy", npy<float>("<f4", "(2, 2)", {1, 3, 2, 4}));
    return {"run", model, "--input", "in:0=" + file, "--input", "shift=" + shift};
  }
  Words on_machine(const Words& words) { return joined(words, small_machine("bf16")); }
  Words on_cpu(const Words& words) { return joined(words, {"--backend", "cpu"}); }

  TemporaryFolder folder_;
};

TEST_F(ProductRunTest, EitherBackendShowsTheOutputsAlike) {
  // {{1,2,3},{-1,0,0.5}} * {{1,2},{3,4},{5,6}} + {{1,3},{2,4}} = {{23,31},{3.5,5}}
  const std::string line = "output     'out/0' float32 2x2 from 3.5 to 31, top 1 1\n";
  EXPECT_EQ(lines_of(summary_of(on_machine(run())), "output  "), line);
  EXPECT_EQ(lines_of(summary_of(on_cpu(run())), "output  "), line);
}

TEST_F(ProductRunTest, EitherBackendHasJson) {
  const json expected = json::parse(
      R"([{"name": "out/0", "type": "float32", "shape": [2, 2], "min": 3.5, "max": 31.0,
           "not_finite": 0, "top": [1, 1]}])");
  const json machine = report_of(on_machine(run()));
  const json cpu = report_of(on_cpu(run()));
  EXPECT_EQ(machine["outputs"], expected);
  EXPECT_EQ(cpu["outputs"], expected);
  EXPECT_EQ(machine["backend"], "machine");
  EXPECT_EQ(cpu["backend"], "cpu");
  EXPECT_EQ(cpu["workload"], machine["workload"]);
  EXPECT_EQ(cpu["workload"]["macs"], 12);
  EXPECT_EQ(cpu["schema"], 1);
  EXPECT_GE(cpu["reference"]["wall_seconds"], 0.0);
  const std::string model = write_onnx_file(folder_, "small.onnx", small_product());
  const Words analytic = {"run", model, "--engine", "analytic"};
  EXPECT_EQ(report_of(on_machine(analytic))["outputs"], nullptr);
}

TEST_F(ProductRunTest, JsonOfTheReferenceGoesToAFileWithTheOutputs) {
  const Words words =
      joined(on_cpu(run()), {"--json", folder_.file("r.json"), "--output-dir", folder_.file("o")});
  EXPECT_THAT(summary_of(words), HasSubstr("reference  "));
  EXPECT_EQ(json::parse(folder_.read("r.json"))["outputs"].size(), 1U);
  EXPECT_EQ(read_tensor_file(folder_.file("o/out_0.npy")),
            Tensor::of<float>({2, 2}, {23, 31, 3.5F, 5}));
}

TEST_F(ProductRunTest, AnInputThatIsNotANumberIsNoted) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Words words = run({1, nan, 3, -1, 0, 0.5F});
  for (const Words& run : {on_machine(words), on_cpu(words)}) {
    const std::string text = summary_of(run);
    EXPECT_THAT(lines_of(text, "note"), HasSubstr("input 'in:0': element [0,1] is nan"));
    EXPECT_THAT(lines_of(text, "output  "), HasSubstr("from 3.5 to 5, 2 elements not finite"));
    EXPECT_EQ(report_of(run)["outputs"][0]["not_finite"], 2);
    EXPECT_EQ(report_of(run)["outputs"][0]["top"], (std::vector<int>{-1, 1}));
  }
}

TEST_F(ProductRunTest, AWaveformShowsItsOneProgram) {
  const std::string vcd = folder_.file("run.vcd");
  const Words words = joined(on_machine(run()), {"--engine", "stepped", "--vcd", vcd});
  EXPECT_THAT(summary_of(words), HasSubstr("stepped engine"));
  EXPECT_THAT(folder_.read("run.vcd"), HasSubstr("$enddefinitions"));
}

// On `tiny` with fewer accumulators the layers run in bands of lines, and of s2 only some bands
// stay: 6 of its 14 lines of 14 pixels do not, with 6 channels in two rows of 4 bytes for each
// pixel.
TEST(SpillTest, NamesTheWholeResultOfWhichRowsDoNotStay) {
  const json report = report_of(
      {"run", "lenet5", "--machine", "tiny", "--engine", "analytic", "--accumulators.rows", "32"});
  const std::regex form(R"((?:(\d+) rows of )?result (\d+) x (\d+) \(.*\))");
  std::set<std::string> parts;
  for (const json& layer : report["layers"]) {
    const json& shape = layer["shape"];
    for (const std::string spilled : layer["spilled"]) {
      std::smatch match;
      if (!std::regex_match(spilled, match, form)) continue;
      ASSERT_EQ(shape.size(), 4U) << spilled;
      EXPECT_EQ(std::stoll(match[2]), shape[2].get<int>() * shape[3].get<int>()) << spilled;
      EXPECT_EQ(std::stoll(match[3]), shape[1].get<int>()) << spilled;
      if (match[1].matched) parts.insert(spilled);
    }
  }
  EXPECT_EQ(parts, std::set<std::string>{"84 rows of result 196 x 6 (672 B)"});
}

TEST(ConvWaveformTest, ConvolutionsHaveThemToo) {
  const TemporaryFolder folder;
  const Words conv = {"conv", "--input", "1,2,3,3", "--filters", "2", "--kernel", "2"};
  const Words words = joined(conv, small_machine("int8"));
  summary_of(joined(words, {"--engine", "stepped", "--vcd", folder.file("conv.vcd")}));
  EXPECT_THAT(folder.read("conv.vcd"), HasSubstr("$enddefinitions"));
}

TEST(ConvLockstepTest, ConvolutionsAreComparedInEveryCycle) {
  if (!WEFT_WITH_RTL) GTEST_SKIP() << "built without the RTL";
  const Words conv = {"conv", "--input", "1,2,3,3", "--filters", "2", "--kernel", "2"};
  const Words words =
      joined(joined(conv, small_machine("int8")), {"--engine", "rtl", "--lockstep"});
  EXPECT_THAT(summary_of(words), HasSubstr("lock-step  rtl equal to stepped in "));
  EXPECT_GT(report_of(words)["simulator"]["lockstep_cycles"], 0);
}

TEST_F(NetworkSummaryTest, EitherBackendClipsZerosToTheSameBits) {
  Builder builder("clip");
  const auto x = builder.input("x", {DataType::kFloat32, {1, 4}});
  const auto low = builder.constant(Tensor::scalar(0.0F));
  const auto high = builder.constant(Tensor::scalar(6.0F));
  builder.output(builder.add(Op::kClip, {x, low, high}), "y");
  const std::string file =
      folder_.write("x.npy", npy<float>("<f4", "(1, 4)", {-0.0F, 0.0F, -1, 7}));
  const Words words = {"run", write(builder), "--input", "x=" + file, "--output-dir"};
  summary_of(joined(joined(words, {folder_.file("machine")}), small_machine("bf16")));
  summary_of(joined(words, {folder_.file("cpu"), "--backend", "cpu"}));
  const std::string machine = folder_.read("machine/y.npy");
  EXPECT_EQ(machine, folder_.read("cpu/y.npy"));
  // The file ends with +0, +0, +0 and 6.
  EXPECT_EQ(machine.substr(machine.size() - 16), bytes_of<float>({0, 0, 0, 6}));
}

TEST_F(NetworkSummaryTest, AWaveformOfSeveralProgramsIsRefused) {
  Builder builder("two");
  const auto first = float_product(builder, builder.input("x", {DataType::kFloat32, {2, 3}}));
  const graph::Attributes to_int{{"to", static_cast<std::int64_t>(6)}};
  const graph::Attributes to_float{{"to", static_cast<std::int64_t>(1)}};
  const auto rounded = builder.add(Op::kCast, {first}, to_int);
  const auto second = builder.add(Op::kCast, {rounded}, to_float);
  const auto w = builder.constant(Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  builder.output(builder.add(Op::kMatMul, {second, w}), "y");
  const Finished finished = run_weft(
      joined(run(builder, "bf16"), {"--engine", "stepped", "--vcd", folder_.file("two.vcd")}));
  EXPECT_EQ(finished.code, 2);
  EXPECT_THAT(finished.err,
              HasSubstr("net.onnx: --vcd shows one program, but the network becomes 2"));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("two.vcd")));
}

TEST_F(NetworkSummaryTest, QuantizingHasJson) {
  Builder builder("dense");
  builder.output(float_product(builder, builder.input("x", {DataType::kFloat32, {2, 3}})), "y");
  const std::string model = write(builder);
  // From -1 to 1.55 there are 255 steps of 0.01, and -128 stands for -1.
  const std::string samples =
      folder_.write("x.npy", npy<float>("<f4", "(2, 3)", {-1, 0, 1.55F, 1, 0.5F, 0}));
  const json report =
      report_of({"quantize", model, "--calibrate", samples, "-o", folder_.file("q.onnx")});
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["command"], "quantize");
  EXPECT_EQ(report["workload"]["macs"], 12);
  EXPECT_EQ(report["samples"], 1);
  EXPECT_EQ(report["output"], folder_.file("q.onnx"));
  ASSERT_EQ(report["layers"].size(), 1U);
  EXPECT_EQ(report["layers"][0]["op"], "MatMul");
  EXPECT_EQ(report["layers"][0]["quantized"], true);
  ASSERT_GE(report["values"].size(), 2U);
  const auto value = [&](bool constant) {
    for (const json& one : report["values"]) {
      if (one["constant"] == constant) return one;
    }
    return json();
  };
  const json input = value(false);
  EXPECT_EQ(input["name"], "x");
  EXPECT_EQ(input["shape"], (std::vector<int>{2, 3}));
  EXPECT_NEAR(input["scale"][0].get<double>(), 0.01, 1e-6);
  EXPECT_EQ(input["zero_point"], (std::vector<int>{-28}));
  const json weights = value(true);
  // Each column has one scale: its largest magnitude over 127.
  EXPECT_EQ(weights["axis"], 1);
  EXPECT_NEAR(weights["scale"][0].get<double>(), 5.0 / 127, 1e-6);
  EXPECT_NEAR(weights["scale"][1].get<double>(), 6.0 / 127, 1e-6);
  EXPECT_EQ(weights["zero_point"], (std::vector<int>{0, 0}));
  EXPECT_EQ(report["outputs"][0]["name"], "y");
  EXPECT_EQ(report["outputs"][0]["rows"], 2);
}

}  // namespace
}  // namespace weft::test
