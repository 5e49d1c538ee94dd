// Runs whole networks through the command. Checks its reports and the values that it writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/network/files.h"
#include "tests/cli/network/runs.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using graph::DataType;
using graph::Tensor;
using nlohmann::json;

Words keys_of(const nlohmann::ordered_json& object) {
  Words keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

const Words kClasses = {"array_active", "weight_shift", "weight_stall", "input_stall", "raw_stall",
                        "fill_drain",   "vector",       "output",       "idle"};

std::int64_t sum_of(const json& cycles) {
  std::int64_t sum = 0;
  for (const std::string& name : kClasses) sum += cycles[name].get<std::int64_t>();
  return sum;
}

Words lenet(const std::string& dtype, const std::string& engine) {
  return joined({"run", "lenet5", "--engine", engine}, small_machine(dtype));
}

TEST(RunCommandTest, EnginesReportTheSameCyclesAndLayers) {
  for (const std::string dtype : {"bf16", "int8"}) {
    const json analytic = report_of(lenet(dtype, "analytic"));
    Words engines = {"fast", "stepped"};
    if (WEFT_WITH_RTL) engines.emplace_back("rtl");
    for (const std::string& engine : engines) {
      SCOPED_TRACE(dtype + " " + engine);
      const json report = report_of(lenet(dtype, engine));
      EXPECT_EQ(report["cycles"], analytic["cycles"]);
      EXPECT_EQ(report["layers"], analytic["layers"]);
      EXPECT_EQ(report["check"]["reference"], "cpu");
      EXPECT_LE(report["check"]["share_of_bound"], 1.0);
      if (dtype == "int8") {
        EXPECT_EQ(report["check"]["bit_exact"], true);
      }
    }
    EXPECT_EQ(analytic["check"]["reference"], "none");
  }
}

TEST(RunCommandTest, JsonHasTheDocumentedKeysInOrder) {
  const auto report =
      nlohmann::ordered_json::parse(summary_of(joined(lenet("bf16", "fast"), {"--json", "-"})));
  EXPECT_EQ(keys_of(report),
            (Words{"schema",  "command",   "backend",       "engine",  "machine",  "workload",
                   "plan",    "cycles",    "critical_path", "bound",   "macs",     "utilization",
                   "seconds", "host",      "tops",          "traffic", "programs", "instructions",
                   "check",   "simulator", "notes",         "layers",  "outputs"}));
  EXPECT_EQ(keys_of(report["workload"]),
            (Words{"network", "batch", "parameters", "macs", "inputs"}));
  EXPECT_EQ(keys_of(report["workload"]["inputs"][0]), (Words{"name", "type", "shape"}));
  EXPECT_EQ(keys_of(report["cycles"]), joined({"total"}, kClasses));
  EXPECT_EQ(keys_of(report["check"]), (Words{"reference", "agrees", "bit_exact", "max_abs_error",
                                             "share_of_bound", "layers"}));
  const auto& layer = report["layers"][0];
  EXPECT_EQ(keys_of(layer), (Words{"name", "op", "type", "shape", "where", "note", "plan", "cycles",
                                   "critical_path", "bound", "macs", "utilization", "traffic",
                                   "schedule", "spilled"}));
  EXPECT_EQ(keys_of(layer["cycles"]), joined({"total"}, kClasses));
  EXPECT_EQ(keys_of(layer["plan"]), (Words{"k_tiles", "n_tiles", "chunks", "fetches"}));
  EXPECT_EQ(report["command"], "run");
  EXPECT_EQ(report["workload"]["network"], "lenet5");
  EXPECT_EQ(report["workload"]["parameters"], 61706);
}

TEST(RunCommandTest, LayersSumToTheTotals) {
  const json report = report_of(joined(lenet("bf16", "analytic"), {"--batch", "3"}));
  const json& total = report["cycles"];
  EXPECT_EQ(sum_of(total), total["total"]);
  std::map<std::string, std::int64_t> path;
  std::int64_t cycles = 0;
  std::int64_t useful = 0;
  std::int64_t issued = 0;
  for (const json& layer : report["layers"]) {
    if (layer["where"] == "host") continue;
    EXPECT_EQ(sum_of(layer["cycles"]), layer["cycles"]["total"]) << layer["name"];
    cycles += layer["cycles"]["total"].get<std::int64_t>();
    for (const auto& [part, taken] : layer["critical_path"].items()) {
      path[part] += taken.get<std::int64_t>();
    }
    useful += layer["macs"]["useful"].get<std::int64_t>();
    issued += layer["macs"]["issued"].get<std::int64_t>();
  }
  EXPECT_EQ(cycles, total["total"]);
  EXPECT_EQ(json(path), report["critical_path"]);
  EXPECT_EQ(path["total"], total["total"]);
  // LeNet-5 at batch 1 has 117,600 + 240,000 + 48,000 + 10,080 + 840 MACs.
  EXPECT_EQ(useful, 3 * 416520);
  EXPECT_EQ(report["macs"]["useful"], useful);
  EXPECT_EQ(report["macs"]["issued"], issued);
  const double used = static_cast<double>(useful) / (total["total"].get<double>() * 8 * 8);
  EXPECT_DOUBLE_EQ(report["utilization"], used);
  EXPECT_DOUBLE_EQ(report["seconds"], total["total"].get<double>() / 100e6);
}

/// The third output has no name. No node uses the second one.
graph::Graph split_in_three() {
  graph::Builder builder("split");
  const auto x = builder.input("x", {DataType::kFloat32, {1, 6}});
  const auto parts =
      builder.add(graph::Op::kSplit, {x}, {{"axis", std::int64_t{1}}}, "split", {"y", "q", ""});
  builder.output(parts[0], "y");
  return builder.finish();
}

TEST(RunCommandTest, ASplitMayHaveOutputsThatNobodyWants) {
  const TemporaryFolder folder;
  const std::string model = write_onnx_file(folder, "split.onnx", split_in_three());
  const std::string x = folder.write("x.npy", npy<float>("<f4", "(1, 6)", {1, 2, 3, 4, 5, 6}));
  for (const std::string dtype : {"bf16", "int8"}) {
    for (const std::string engine : {"fast", "stepped"}) {
      const Words run = {"run",  model,          "--input",          "x=" + x, "--engine",
                         engine, "--output-dir", folder.file("out"), "--quiet"};
      summary_of(joined(run, small_machine(dtype)));
      EXPECT_EQ(read_tensor_file(folder.file("out/y.npy")), Tensor::of<float>({1, 2}, {1, 2}));
    }
  }
}

TEST(RunCommandTest, TheTableNamesLayersAndFitsTheScreen) {
  const std::string summary = summary_of(lenet("bf16", "fast"));
  for (const char* part : {"lenet5, batch 1, 61,706 parameters", "layer", "Conv", "array",
                           "throughput", "array_active", "check"}) {
    EXPECT_NE(summary.find(part), std::string::npos) << part << " in:\n" << summary;
  }
  EXPECT_EQ(summary.find('\033'), std::string::npos) << "a file must have no color codes";
  std::istringstream lines(summary);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 140U) << line;
  EXPECT_EQ(run_weft(joined(lenet("bf16", "fast"), {"--quiet"})).out, "");
}

/// Files for the inputs "in:0" and "shift" of small_product(), and the expected result.
struct ProductFiles {
  explicit ProductFiles(const TemporaryFolder& folder)
      : model(write_onnx_file(folder, "small.onnx", small_product())),
        in(folder.write("in.npy", npy<float>("<f4", "(2, 3)", {1, 2, 3, -1, 0, 0.5F}))),
        shift(folder.write("shift.npy", npy<float>("<f4", "(2, 2)", {1, 2, 3, 4}, true))) {}

  Words run() const { return {"run", model, "--input", "in:0=" + in, "--input", "shift=" + shift}; }
  // shift is stored by columns: {{1,3},{2,4}}.
  Tensor expected() const { return Tensor::of<float>({2, 2}, {23, 31, 3.5F, 5}); }

  std::string model;
  std::string in;
  std::string shift;
};

TEST(RunCommandTest, WritesExactOutputsUnderPortableNames) {
  const TemporaryFolder folder;
  const ProductFiles files(folder);
  const std::string out = folder.file("out");
  for (const std::string engine : {"fast", "stepped"}) {
    const Words words = joined(joined(files.run(), small_machine("bf16")),
                               {"--engine", engine, "--output-dir", out + "/"});
    summary_of(words);
    EXPECT_EQ(read_tensor_file(out + "/out_0.npy"), files.expected()) << engine;
    std::filesystem::remove_all(out);
  }
}

TEST(RunCommandTest, TheReferenceAloneWritesTheSame) {
  const TemporaryFolder folder;
  const ProductFiles files(folder);
  const std::string out = folder.file("out");
  const std::string summary =
      summary_of(joined(files.run(), {"--backend", "cpu", "--output-dir", out}));
  EXPECT_EQ(read_tensor_file(out + "/out_0.npy"), files.expected());
  EXPECT_NE(summary.find("'out/0' float32 2x2 from 3.5 to 31"), std::string::npos) << summary;
}

TEST(RunCommandTest, TheReferenceAloneTakesANetworkOfConstants) {
  const TemporaryFolder folder;
  graph::Builder builder("constants");
  const auto c = builder.constant(Tensor::of<float>({2}, {3, 4}), "c");
  builder.output(c, "c");
  const std::string model = write_onnx_file(folder, "c.onnx", builder.finish());
  const std::string out = folder.file("out");
  summary_of({"run", model, "--backend", "cpu", "--output-dir", out});
  EXPECT_EQ(read_tensor_file(out + "/c.npy"), Tensor::of<float>({2}, {3, 4}));
}

TEST(RunCommandTest, MissingFoldersOfOutputsAreAllCreated) {
  const TemporaryFolder folder;
  const ProductFiles files(folder);
  summary_of(joined(files.run(), {"--backend", "cpu", "--output-dir", folder.file("a/b/c")}));
  EXPECT_EQ(read_tensor_file(folder.file("a/b/c/out_0.npy")), files.expected());
}

/// An LSTM over X [steps, 1, 1] with one hidden element.
graph::Graph long_lstm(std::int64_t steps) {
  graph::Builder builder("long");
  const auto x = builder.input("x", {DataType::kFloat32, {steps, 1, 1}});
  const auto w = builder.constant(Tensor::of<float>({1, 4, 1}, {1, 1, 1, 1}), "w");
  const auto r = builder.constant(Tensor::of<float>({1, 4, 1}, {1, 1, 1, 1}), "r");
  const auto outputs = builder.add(graph::Op::kLstm, {x, w, r}, {{"hidden_size", std::int64_t{1}}},
                                   "lstm", {"", "y"});
  builder.output(outputs[1], "y");
  return builder.finish();
}

TEST(RunCommandTest, AnLstmOfTooManyStepsIsTheHostsAndSaysWhy) {
  const TemporaryFolder folder;
  const std::string model = write_onnx_file(folder, "long.onnx", long_lstm(4097));
  const json report =
      report_of(joined({"run", model, "--engine", "analytic"}, small_machine("bf16")));
  ASSERT_EQ(report["layers"].size(), 1U);
  EXPECT_EQ(report["layers"][0]["where"], "host");
  EXPECT_EQ(report["layers"][0]["note"], "4097 steps are too many to unroll, 4096 at most");
}

TEST(RunCommandTest, TakesTensorProtosToo) {
  const TemporaryFolder folder;
  ProductFiles files(folder);
  // dims (field 1) are 2 and 3, data_type (2) is FLOAT = 1, raw_data (9) has 24 bytes.
  files.in = folder.write("in.pb", std::string("\x08\x02\x08\x03\x10\x01\x4A\x18") +
                                       bytes_of<float>({1, 2, 3, -1, 0, 0.5F}));
  const std::string out = folder.file("out");
  summary_of(joined(joined(files.run(), small_machine("fp16")), {"--output-dir", out}));
  EXPECT_EQ(read_tensor_file(out + "/out_0.npy"), files.expected());
}

TEST(RunCommandTest, TheSeedDecidesRandomInputs) {
  const TemporaryFolder folder;
  const auto output = [&](const std::string& seed) {
    const std::string out = folder.file("out" + seed);
    EXPECT_EQ(run_weft({"run", "lenet5", "--backend", "cpu", "--seed", seed, "--output-dir", out,
                        "--quiet"})
                  .code,
              0);
    const std::filesystem::directory_iterator files(out);
    return read_tensor_file(files->path().string());
  };
  const Tensor one = output("1");
  EXPECT_EQ(output("1"), one);
  EXPECT_FALSE(output("2") == one);
}

/// Returns the largest difference divided by the largest magnitude.
double relative_error(const Tensor& expected, const Tensor& actual) {
  double error = 0;
  double size = 0;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const double value = double{expected.data<float>()[static_cast<std::size_t>(i)]};
    const double other = double{actual.data<float>()[static_cast<std::size_t>(i)]};
    error = std::max(error, std::abs(value - other));
    size = std::max(size, std::abs(value));
  }
  return error / size;
}

TEST(RunCommandTest, TheMachinesOutputsAreTheReferencesWithinTheRoundingsOfBf16) {
  const TemporaryFolder folder;
  const Words place = {"--quiet", "--output-dir"};
  ASSERT_EQ(run_weft(joined(joined(lenet("bf16", "fast"), place), {folder.file("a")})).code, 0);
  ASSERT_EQ(
      run_weft({"run", "lenet5", "--backend", "cpu", "--quiet", "--output-dir", folder.file("b")})
          .code,
      0);
  const std::filesystem::directory_iterator outputs(folder.file("a"));
  const std::string name = outputs->path().filename().string();
  const Tensor machine = read_tensor_file(folder.file("a/" + name));
  const Tensor reference = read_tensor_file(folder.file("b/" + name));
  // About ten roundings of 2^-9 occur on the way. They seldom add up.
  EXPECT_LT(relative_error(reference, machine), 10 * 0x1p-8);
}

TEST(RunCommandTest, BatchIsWhereTheFirstDimensionGoes) {
  for (const std::string batch : {"1", "2"}) {
    const json report = report_of(joined(lenet("bf16", "analytic"), {"--batch", batch}));
    EXPECT_EQ(report["workload"]["batch"].get<int>(), std::stoi(batch));
    EXPECT_EQ(report["workload"]["inputs"][0]["shape"],
              (std::vector<int>{std::stoi(batch), 1, 28, 28}));
  }
}

TEST(ConvCommandTest, CountsWhatAConvolutionIs) {
  const Words conv = {"conv", "--input", "1,6,9,7", "--filters", "10", "--kernel", "3,3"};
  struct Case {
    Words flags;
    std::vector<int> shape;
    std::int64_t macs;
  };
  const std::vector<Case> cases = {
      {{}, {1, 10, 7, 5}, 10 * 7 * 5 * 6 * 9},
      {{"--pad", "same", "--with-bias", "--activation", "relu"}, {1, 10, 9, 7}, 10 * 9 * 7 * 6 * 9},
      {{"--pad", "1", "--stride", "2"}, {1, 10, 5, 4}, 10 * 5 * 4 * 6 * 9},
      {{"--pad", "2,1,0,1", "--dilation", "2,1", "--activation", "relu6"},
       {1, 10, 7, 7},
       10 * 7 * 7 * 6 * 9},
      {{"--groups", "2", "--stride", "1,2"}, {1, 10, 7, 3}, 10 * 7 * 3 * 3 * 9}};
  for (const std::string dtype : {"int8", "bf16", "fp16"}) {
    for (const Case& one : cases) {
      SCOPED_TRACE(dtype + " " + testing::PrintToString(one.flags));
      const Words words = joined(joined(conv, one.flags), small_machine(dtype));
      const json report = report_of(words);
      ASSERT_EQ(report["layers"].size(), 1U);
      EXPECT_EQ(report["layers"][0]["shape"], one.shape);
      EXPECT_EQ(report["layers"][0]["where"], "array");
      EXPECT_EQ(report["macs"]["useful"], one.macs);
      if (dtype == "int8") {
        EXPECT_EQ(report["check"]["bit_exact"], true);
      }
      EXPECT_EQ(report_of(joined(words, {"--engine", "analytic"}))["cycles"], report["cycles"]);
    }
  }
}

TEST(ConvCommandTest, ShowsItsPlan) {
  const std::string summary = summary_of(joined(
      {"conv", "--input", "1,6,9,7", "--filters", "10", "--kernel", "3"}, small_machine("int8")));
  EXPECT_NE(summary.find("10 filters of 3x3 over 1x6x9x7"), std::string::npos) << summary;
  EXPECT_NE(summary.find("tiles along K and N"), std::string::npos) << summary;
}

class QuantizeCommandTest : public testing::Test {
 protected:
  /// lenet5's sample inputs are digits, but any numbers from 0 to 1 will do here.
  std::string samples(std::size_t count) {
    std::vector<float> pixels(count * 28 * 28);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<float>(i * i % 251) / 250;
    }
    return npy("<f4", std::string("(") + std::to_string(count) + ", 1, 28, 28)", pixels);
  }

  TemporaryFolder folder_;
};

TEST_F(QuantizeCommandTest, ItsFileRunsBitForBitOnAnInt8Machine) {
  const std::string calibration = folder_.write("digits.npy", samples(4));
  const std::string file = folder_.file("q.onnx");
  const std::string summary =
      summary_of({"quantize", "lenet5", "--calibrate", calibration, "-o", file});
  EXPECT_NE(summary.find("samples    4\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("of 4 top answers"), std::string::npos) << summary;
  const json report = report_of(joined({"run", file}, small_machine("int8")));
  EXPECT_EQ(report["check"]["bit_exact"], true);
  EXPECT_EQ(report["macs"]["useful"], 416520);
  EXPECT_TRUE(report["notes"].empty()) << report["notes"];
}

TEST_F(QuantizeCommandTest, AFolderIsItsFilesOnTopOfEachOther) {
  const std::string stacked = folder_.write("digits.npy", samples(2));
  std::filesystem::create_directory(folder_.file("digits"));
  const std::string all = samples(2);
  const std::string one = samples(1);
  const std::size_t image = 28 * 28 * 4;
  folder_.write("digits/a.npy", one);
  folder_.write("digits/b.npy",
                npy_start(1, npy_header("<f4", "(1, 28, 28)")) + all.substr(all.size() - image));
  for (const char* place : {"digits.npy", "digits"}) {
    const std::string out = folder_.file(std::string(place) + ".onnx");
    ASSERT_EQ(
        run_weft({"quantize", "lenet5", "--calibrate", folder_.file(place), "-o", out, "--quiet"})
            .code,
        0);
  }
  EXPECT_EQ(folder_.read("digits.onnx"), folder_.read("digits.npy.onnx"));
}

TEST_F(QuantizeCommandTest, SeveralInputsHaveAFileOrAFolderEach) {
  const std::string model = write_onnx_file(folder_, "small.onnx", small_product());
  std::filesystem::create_directories(folder_.file("samples/shift"));
  folder_.write("samples/in_0.npy", npy<float>("<f4", "(4, 3)", std::vector<float>(12, 1)));
  const std::string shift = npy<float>("<f4", "(2, 2)", {1, 2, 3, 4});
  folder_.write("samples/shift/1.npy", shift);
  folder_.write("samples/shift/2.npy", shift);
  const std::string summary = summary_of(
      {"quantize", model, "--calibrate", folder_.file("samples"), "-o", folder_.file("q.onnx")});
  EXPECT_NE(summary.find("samples    2\n"), std::string::npos) << summary;
}

}  // namespace
}  // namespace weft::test
