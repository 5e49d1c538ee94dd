// Bad networks, inputs or flags give exit code 2 and one line that names the fault. Nothing is
// written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/network/files.h"
#include "tests/cli/network/runs.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

class NetworkBadInputTest : public testing::Test {
 protected:
  /// Expects each of `parts` in the single line on stderr.
  void expect_refused(const Words& arguments, const Words& parts) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const std::size_t before = folder_.count();
    const Finished finished = run_weft(arguments);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in: " << finished.err;
    }
    EXPECT_EQ(folder_.count(), before) << "something was written";
  }

  std::string model() { return write_onnx_file(folder_, "small.onnx", small_product()); }

  TemporaryFolder folder_;
};

TEST_F(NetworkBadInputTest, TheNetworkMustBeThere) {
  expect_refused({"run"}, {"no network"});
  expect_refused({"run", "lenet5", "mlp"}, {"'mlp'", "one argument too many"});
  expect_refused({"run", "lenet"}, {"'lenet'", "did you mean lenet5?"});
  expect_refused({"run", "zzz"}, {"'zzz'", "resnet50"});
  expect_refused({"run", folder_.file("none.onnx")}, {"none.onnx"});
  expect_refused({"run", folder_.write("bad.onnx", "not a model")}, {"bad.onnx"});
  expect_refused({"run", folder_.write("model", "not a model")}, {folder_.file("model")});
  expect_refused({"run", folder_.file(".")}, {"is a folder, not a file", ".onnx"});
  graph::Builder builder("wire");
  builder.output(builder.input("x", {graph::DataType::kFloat32, {2}}), "x");
  const std::string wire = write_onnx_file(folder_, "wire.onnx", builder.finish());
  expect_refused({"run", wire}, {"wire.onnx: has no node"});
}

TEST_F(NetworkBadInputTest, MoreMacsThanCanBeCountedAreOfANode) {
  graph::Builder builder("huge");
  const std::int64_t extent = std::int64_t{1} << 30;
  const auto x = builder.input("x", {graph::DataType::kFloat32, {extent, extent}});
  builder.output(builder.add(graph::Op::kMatMul, {x, x}, {}, "square"), "y");
  const std::string file = write_onnx_file(folder_, "huge.onnx", builder.finish());
  expect_refused({"run", file, "--engine", "analytic"},
                 {"huge.onnx: node 'square' (MatMul): the number of MACs does not fit 63 bits"});
}

TEST_F(NetworkBadInputTest, AValueWithoutARangeIsNanWhateverItsSign) {
  graph::Builder builder("nan");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {1, 2}});
  const auto nan = builder.constant(
      graph::Tensor::of<float>({1, 2}, {std::copysign(std::nanf(""), -1.0F), 1}), "nan");
  const auto scaled = builder.add(graph::Op::kMul, {x, nan}, {}, "scaled");
  const auto w = builder.constant(graph::Tensor::of<float>({2, 1}, {1, 2}), "w");
  builder.output(builder.add(graph::Op::kMatMul, {scaled, w}, {}, "product"), "y");
  const std::string file = write_onnx_file(folder_, "nan.onnx", builder.finish());
  expect_refused(joined({"run", file}, small_machine("int8")),
                 {"is nan for a calibration sample", "run the network on a machine of floats"});
}

/// x int32 [3] / by int32 [3]. Every engine leaves integer division to the host.
graph::Graph integer_division() {
  graph::Builder builder("division");
  const auto x = builder.input("x", {graph::DataType::kInt32, {3}});
  const auto by = builder.input("by", {graph::DataType::kInt32, {3}});
  builder.output(builder.add(graph::Op::kDiv, {x, by}, {}, "quotient"), "y");
  return builder.finish();
}

/// The same division with constants. Reading the file already computes it.
graph::Graph constant_division() {
  graph::Builder builder("constants");
  const auto one = builder.constant(graph::Tensor::vector<std::int32_t>({1}), "one");
  const auto zero = builder.constant(graph::Tensor::vector<std::int32_t>({0}), "zero");
  const auto x = builder.input("x", {graph::DataType::kInt32, {1}});
  const auto quotient = builder.add(graph::Op::kDiv, {one, zero}, {}, "quotient");
  builder.output(builder.add(graph::Op::kAdd, {x, quotient}), "y");
  return builder.finish();
}

graph::Graph gathered_rows() {
  graph::Builder builder("rows");
  const auto at = builder.input("at", {graph::DataType::kInt64, {1}});
  const auto table = builder.constant(graph::Tensor::of<float>({2, 1}, {1, 2}), "table");
  builder.output(builder.add(graph::Op::kGather, {table, at}, {}, "rows"), "y");
  return builder.finish();
}

TEST_F(NetworkBadInputTest, ElementsThatANodeDoesNotTakeNameFileAndNode) {
  const std::string zero =
      folder_.write("zero.npy", npy("<i4", "(3,)", std::vector<std::int32_t>{1, 0, 2}));
  const std::string nine =
      folder_.write("nine.npy", npy("<i8", "(1,)", std::vector<std::int64_t>{9}));
  const std::string division = write_onnx_file(folder_, "div.onnx", integer_division());
  const std::string constants = write_onnx_file(folder_, "constants.onnx", constant_division());
  const std::string rows = write_onnx_file(folder_, "rows.onnx", gathered_rows());
  for (const Words& backend : {small_machine("bf16"), Words{"--backend", "cpu"}}) {
    expect_refused(
        joined({"run", division, "--input", "by=" + zero}, backend),
        {"div.onnx: node 'quotient' (Div): ", "divided by zero", "--input gives others"});
    expect_refused(joined({"run", constants}, backend),
                   {"constants.onnx: node 'quotient' (Div): ", "divided by zero"});
    expect_refused(joined({"run", rows, "--input", "at=" + nine}, backend),
                   {"rows.onnx: node 'rows' (Gather): ", "9"});
  }
}

TEST_F(NetworkBadInputTest, ValuesMustFitThisComputer) {
  graph::Builder builder("pads");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {1, 1, 4, 4}});
  constexpr std::int64_t kFar = 20'000'000;
  const std::vector<std::int64_t> far = {0, 0, kFar, kFar, 0, 0, kFar, kFar};
  const auto pads = builder.constant(graph::Tensor::vector(far), "pads");
  builder.output(builder.add(graph::Op::kPad, {x, pads}, {}, "wide"), "y");
  const std::string wide = write_onnx_file(folder_, "wide.onnx", builder.finish());
  graph::Builder huge("huge");
  const auto image = huge.input("image", {graph::DataType::kFloat32, {1, 1 << 20, 1 << 20}});
  huge.output(huge.add(graph::Op::kNeg, {image}, {}, "n"), "y");
  const std::string large = write_onnx_file(folder_, "large.onnx", huge.finish());
  for (const Words& backend : {small_machine("bf16"), Words{"--backend", "cpu"}}) {
    expect_refused(joined({"run", wide}, backend), {"wide.onnx: node 'wide' (Pad): ", "memory"});
    expect_refused(joined({"run", large}, backend),
                   {"large.onnx: input 'image': ", "this computer has"});
  }
}

TEST_F(NetworkBadInputTest, QuantizingTakesFiniteNumbersAlone) {
  const std::string nan = folder_.write(
      "nan.npy", npy("<f4", "(2, 3)", std::vector<float>{0, 0, 0, 0, -std::nanf(""), 0}));
  expect_refused(joined({"run", model(), "--input", "in:0=" + nan}, small_machine("int8")),
                 {"small.onnx: input 'in:0': element [1,1] is nan", "int8"});
}

TEST_F(NetworkBadInputTest, InputsMustFit) {
  const std::string file = model();
  const auto with = [&](const std::string& input) { return Words{"run", file, "--input", input}; };
  const std::string good = folder_.write("g.npy", npy("<f4", "(2, 3)", std::vector<float>(6)));
  const std::string wide = folder_.write("w.npy", npy("<f8", "(2, 3)", std::vector<double>(6)));
  const std::string flat = folder_.write("f.npy", npy("<f4", "(6,)", std::vector<float>(6)));
  expect_refused(with("x=" + good), {"'x'", "'in:0'", "'shift'"});
  expect_refused(with("in:0=" + wide), {"in:0", "float64", "float32"});
  expect_refused(with("in:0=" + flat), {"in:0", "6", "2x3"});
  expect_refused(with("in:0=" + folder_.file("none.npy")), {"none.npy", "no such file"});
  expect_refused(with("in:0=" + folder_.file("none.txt")), {"none.txt", "neither .npy nor .pb"});
  expect_refused(with("in:0=" + folder_.write("bad.pb", "no tensor")), {"bad.pb"});
  expect_refused(with("in:0="), {"--input", "NAME=FILE.npy"});
  expect_refused(with("=" + good), {"--input", "NAME=FILE.npy"});
  expect_refused({"run", file, "--input", "in:0=" + good, "--input", "in:0=" + good},
                 {"--input 'in:0'", "twice"});
  expect_refused({"run", "lenet5", "--input", "x=" + good}, {"'x'", "no such input", "it has"});
}

TEST_F(NetworkBadInputTest, BatchSequenceAndShapeMustSuitTheNetwork) {
  const std::string file = model();
  expect_refused({"run", "lenet5", "--batch", "0"}, {"--batch", "'0'"});
  expect_refused({"run", "lenet5", "--batch", "x"}, {"--batch", "'x'"});
  expect_refused({"run", "lenet5", "--sequence", "7"}, {"lenet5", "sequence"});
  expect_refused({"run", "gpt2", "--sequence", "4097"}, {"gpt2", "4097", "1024"});
  expect_refused({"run", file, "--sequence", "7"}, {"--sequence", "--shape"});
  expect_refused({"run", "lenet5", "--shape", "x=1,1,28,28"}, {"--shape", "lenet5"});
  expect_refused({"run", file, "--batch", "3"}, {"batch 3", "'in:0' is 2x3"});
  expect_refused({"run", file, "--shape", "in:0=3,3"}, {"in:0", "3x3", "2x3"});
  expect_refused({"run", file, "--shape", "in:0=3,,3"}, {"in:0", "''"});
  expect_refused({"run", file, "--shape", "y=3,3"}, {"'y'"});
}

TEST_F(NetworkBadInputTest, FlagsMustNotContradictEachOther) {
  const std::string out = folder_.file("out");
  expect_refused({"run", "lenet5", "--engine", "analytic", "--output-dir", out},
                 {"--engine analytic", "--output-dir"});
  expect_refused({"run", "lenet5", "--engine", "analytic", "--check", "cpu"}, {"--check"});
  expect_refused({"run", "lenet5", "--engine", "analytic", "--seed", "3"}, {"--seed"});
  expect_refused({"run", "lenet5", "--backend", "gpu"}, {"--backend", "'gpu'"});
  expect_refused({"run", "lenet5", "--optimize", "3"}, {"--optimize '3': must be 0, 1 or 2"});
  for (const Words& flags : {Words{"--machine", "tiny"}, Words{"--array.rows", "8"},
                             Words{"--engine", "fast"}, Words{"--check", "cpu"},
                             Words{"--threads", "2"}, Words{"--vcd", out}, Words{"--lockstep"}}) {
    Words words = {"run", "lenet5", "--backend", "cpu"};
    words.insert(words.end(), flags.begin(), flags.end());
    expect_refused(words, {flags.front(), "--backend cpu"});
  }
  const std::string in = folder_.write("g.npy", npy("<f4", "(2, 3)", std::vector<float>(6)));
  const std::string shift = folder_.write("s.npy", npy("<f4", "(2, 2)", std::vector<float>(4)));
  expect_refused(
      {"run", model(), "--input", "in:0=" + in, "--input", "shift=" + shift, "--seed", "2"},
      {"--seed", "random"});
}

TEST_F(NetworkBadInputTest, OutputsMustBeWritableAndReplaceNoInput) {
  const std::string file = model();
  expect_refused({"run", file, "--output-dir", file}, {"is a file"});
  expect_refused({"run", file, "--output-dir", file + "/no/such"}, {"small.onnx/no"});
  expect_refused({"run", file, "--json", file}, {"--json would replace it"});
  const std::string in = folder_.write("out_0.npy", npy("<f4", "(2, 3)", std::vector<float>(6)));
  expect_refused({"run", file, "--input", "in:0=" + in, "--output-dir", folder_.file(".")},
                 {"out_0.npy", "an input"});
  expect_refused({"run", file, "--json", in, "--output-dir", folder_.file(".")},
                 {"out_0.npy", "--json"});
  expect_refused({"run", file, "--json", "/dev/full", "--output-dir", folder_.file(".")},
                 {"/dev/full"});
}

TEST_F(NetworkBadInputTest, OutputsOfOneFileNameAreRefusedBeforeTheRun) {
  graph::Builder builder("twins");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {2}});
  builder.output(builder.add(graph::Op::kRelu, {x}), "y/1");
  builder.output(builder.add(graph::Op::kNeg, {x}), "y:1");
  const std::string file = write_onnx_file(folder_, "twins.onnx", builder.finish());
  expect_refused({"run", file, "--output-dir", folder_.file("out")}, {"'y/1'", "'y:1'", "y_1.npy"});
}

TEST_F(NetworkBadInputTest, AConvolutionMustBeOne) {
  const auto with = [](const Words& more) {
    Words words = {"conv", "--input", "1,4,5,5", "--filters", "6", "--kernel", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refused({"conv"}, {"--input is missing"});
  expect_refused({"conv", "--input", "1,4,5,5", "--filters", "6"}, {"--kernel is missing"});
  expect_refused({"conv", "--input", "1,4,5", "--filters", "6", "--kernel", "3"}, {"four numbers"});
  expect_refused({"conv", "--input", "1,4,0,5", "--filters", "6", "--kernel", "3"}, {"'0'"});
  expect_refused(with({"--stride", "0"}), {"--stride", "'0'"});
  expect_refused(with({"--stride", "1,2,3"}), {"--stride", "one number or two"});
  expect_refused(with({"--pad", "1,2,3"}), {"--pad", "four"});
  expect_refused(with({"--pad", "some"}), {"--pad", "'some'"});
  expect_refused(with({"--groups", "4"}), {"--groups 4", "6 filters"});
  expect_refused(with({"--dilation", "3"}), {"conv"});
  expect_refused(with({"--groups", "2", "--taps", "packed"}), {"--taps packed", "there are 2"});
  expect_refused(with({"--activation", "gelu"}), {"--activation", "'gelu'"});
  expect_refused(with({"8"}), {"'8'", "one argument too many"});
  expect_refused(
      {"conv", "--input", "2147483648,2147483648,2147483648,5", "--filters", "6", "--kernel", "3"},
      {});
}

TEST_F(NetworkBadInputTest, CalibrationMustFitTheNetwork) {
  const std::string out = folder_.file("q.onnx");
  const auto with = [&](const std::string& calibration) {
    return Words{"quantize", "lenet5", "--calibrate", calibration, "-o", out};
  };
  const std::string flat = folder_.write("f.npy", npy("<f4", "(784,)", std::vector<float>(784)));
  const std::string ints =
      folder_.write("i.npy", npy("|u1", "(1, 1, 28, 28)", std::vector<char>(784)));
  std::filesystem::create_directory(folder_.file("empty"));
  expect_refused({"quantize", "lenet5", "-o", out}, {"--calibrate is missing"});
  expect_refused({"quantize", "lenet5", "--calibrate", flat}, {"--output is missing"});
  expect_refused(with(flat), {flat, "784", "1x1x28x28"});
  expect_refused(with(ints), {ints, "uint8", "float32"});
  expect_refused(with(folder_.file("none")), {"none: no such file or folder"});
  expect_refused(with(folder_.file("empty")), {"empty", "no .npy file"});
  const std::string inf =
      folder_.write("inf.npy", npy("<f4", "(1, 28, 28)", std::vector<float>(784, INFINITY)));
  expect_refused(with(inf), {"inf.npy: element [0,0,0] is inf", "calibration sample", "no range"});
  expect_refused({"quantize", "lenet5", "--calibrate", flat, "-o", flat},
                 {flat, "named by both --calibrate and --output"});
  expect_refused({"quantize", "lenet5", "--calibrate", flat, "-o", "-"}, {"stdout"});
  expect_refused({"quantize", model(), "--calibrate", flat, "-o", out}, {"2 inputs", "folder"});
  expect_refused({"quantize", model(), "--calibrate", folder_.file("empty"), "-o", out},
                 {"'in:0'", "in_0.npy"});
}

}  // namespace
}  // namespace weft::test
