// Runs `weft compare` as a user does. Checks that rows agree with other commands and with
// arithmetic by hand, and checks files and bad input. No test depends on how long anything took.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/cli/explain/runs.h"
#include "tests/cli/network/files.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

json compare(const Words& words) {
  return json_of(Words{"compare"} + words);
}

json row_of(const Words& words) {
  return compare(words).at("rows").at(0);
}

/// Checks that TFLOP/s, share of peak and cycles follow from time, clock and peak.
void expect_consistent(const json& row) {
  SCOPED_TRACE(row.at("device").get<std::string>());
  const double seconds = row.at("seconds");
  const double flop = row.at("flop");
  ASSERT_GT(seconds, 0);
  EXPECT_DOUBLE_EQ(row.at("tflops").get<double>(), flop / seconds / 1e12);
  if (!row.at("peak_tflops").is_null()) {
    EXPECT_NEAR(row.at("share_of_peak").get<double>(),
                row.at("tflops").get<double>() / row.at("peak_tflops").get<double>(), 1e-12);
  }
  if (!row.at("clock_hz").is_null()) {
    EXPECT_NEAR(row.at("cycles").get<double>(), seconds * row.at("clock_hz").get<double>(), 0.51);
  }
  if (row.contains("shape") && !row.at("shape").is_null()) {
    const json& shape = row.at("shape");
    EXPECT_DOUBLE_EQ(flop, 2.0 * shape.at("m").get<double>() * shape.at("k").get<double>() *
                               shape.at("n").get<double>());
  }
}

TEST(CompareTest, ASimulatedRowIsTheRunThatMatmulMakes) {
  for (const char* machine : {"tiny", "tpu-v1", "tpu-v2", "edge-tpu"}) {
    SCOPED_TRACE(machine);
    const json run =
        json_of({"matmul", "65", "130", "33", "--machine", machine, "--check", "none"});
    const json row = row_of({"matmul", "65", "130", "33", "--with", machine});
    EXPECT_EQ(row.at("kind"), "simulated");
    EXPECT_EQ(row.at("dtype"), run.at("machine").at("dtype"));
    EXPECT_EQ(row.at("cycles"), run.at("cycles").at("total"));
    EXPECT_DOUBLE_EQ(row.at("seconds").get<double>(), run.at("seconds").get<double>());
    EXPECT_DOUBLE_EQ(row.at("tflops").get<double>(), run.at("tops").get<double>());
    EXPECT_DOUBLE_EQ(row.at("share_of_peak").get<double>(), run.at("utilization").get<double>());
    EXPECT_EQ(row.at("waste"), run.at("plan").at("padding_waste"));
    EXPECT_EQ(row.at("details").at("engine"), "fast");
    EXPECT_EQ(row.at("details").at("bound").at("cycles"), run.at("bound").at("cycles"));
    expect_consistent(row);
  }
}

// Rounding operands in [-1, 1) to the 8 bits of bf16 gives a relative error of at most 2^-8. A
// product errs by twice that, and 130 products by 130 times as much. int8 errs by half a step of
// 1/127 per operand.
TEST(CompareTest, ErrorsAreThoseOfTheFormat) {
  const json rows =
      compare({"matmul", "65", "130", "33", "--with", "cpu,tpu-v2,edge-tpu"}).at("rows");
  const double fp32 = rows.at(0).at("max_abs_error");
  const double bf16 = rows.at(1).at("max_abs_error");
  const double int8 = rows.at(2).at("max_abs_error");
  EXPECT_LE(fp32, 130 * 130 * 0x1p-24);
  EXPECT_GT(bf16, fp32);
  EXPECT_LE(bf16, 130 * (2 * 0x1p-8 + 0x1p-16) + 130 * 130 * 0x1p-24);
  EXPECT_GT(int8, bf16);
  EXPECT_LE(int8, 130 * (2 * 0.5 / 127 + 0.25 / 127 / 127 + 1e-6));
}

TEST(CompareTest, TheSeedChangesTheValuesAndNotTheCycles) {
  const Words words = {"matmul", "20", "30", "40", "--with", "tpu-v2"};
  const json one = row_of(words);
  const json same = row_of(words + Words{"--seed", "1"});
  const json other = row_of(words + Words{"--seed", "2"});
  EXPECT_EQ(one, same);
  EXPECT_NE(one.at("max_abs_error"), other.at("max_abs_error"));
  EXPECT_EQ(one.at("cycles"), other.at("cycles"));
}

// 81 * 10^6 instructions are more than a program may have.
TEST(CompareTest, AProductWhoseProgramIsNotHeldHasCyclesWithoutValues) {
  const Words product = {"matmul", "2400", "2400", "2400"};
  const json row = row_of(product + Words{"--with", "tiny"});
  EXPECT_EQ(row.at("details").at("engine"), "analytic");
  EXPECT_NE(row.at("basis").get<std::string>().find("no values"), std::string::npos);
  const json run = json_of(product + Words{"--machine", "tiny", "--engine", "analytic"});
  EXPECT_EQ(row.at("cycles"), run.at("cycles").at("total"));
}

TEST(CompareTest, AMeasuredRowAgreesWithItself) {
  const json row = row_of({"matmul", "64", "65", "66", "--with", "cpu"});
  EXPECT_EQ(row.at("kind"), "measured");
  EXPECT_EQ(row.at("dtype"), "fp32");
  EXPECT_TRUE(row.at("waste").is_null());
  EXPECT_GE(row.at("details").at("repeats").get<int>(), 3);
  EXPECT_LE(row.at("details").at("fastest_seconds").get<double>(), row.at("seconds").get<double>());
  EXPECT_GE(row.at("details").at("slowest_seconds").get<double>(), row.at("seconds").get<double>());
  expect_consistent(row);
}

TEST(CompareTest, CudaIsMeasuredOrRefusedInOneLine) {
  const Words words = {"compare", "matmul", "64", "64", "64", "--with", "cuda:fp32"};
  const Finished finished = run_weft(words);
  if (finished.code == 0) {
    const json row = json_of(words).at("rows").at(0);
    EXPECT_EQ(row.at("kind"), "measured");
    EXPECT_LE(row.at("max_abs_error").get<double>(), 64 * 64 * 0x1p-24);
    expect_consistent(row);
    return;
  }
  EXPECT_EQ(finished.code, 2);
  EXPECT_EQ(finished.out, "");
  EXPECT_TRUE(finished.err.starts_with("weft: --with cuda: ")) << finished.err;
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  GTEST_SKIP() << "no CUDA device is measured here: " << finished.err;
}

TEST(CompareTest, NetworksHaveTheRowsThatRunMakes) {
  const json report = compare({"lenet5", "--batch", "2", "--with", "tpu-v2,cpu,a100"});
  const json run = json_of({"run", "lenet5", "--batch", "2", "--check", "none"});
  EXPECT_EQ(report.at("workload").at("network"), "lenet5");
  EXPECT_EQ(report.at("workload").at("batch"), 2);
  const json& rows = report.at("rows");
  EXPECT_EQ(rows.at(0).at("cycles"), run.at("cycles").at("total"));
  EXPECT_EQ(rows.at(0).at("details").at("bound").at("ratio"), run.at("bound").at("ratio"));
  const double useful = run.at("macs").at("useful");
  EXPECT_DOUBLE_EQ(rows.at(0).at("waste").get<double>(),
                   1 - useful / run.at("macs").at("issued").get<double>());
  for (const json& row : rows) {
    EXPECT_DOUBLE_EQ(row.at("flop").get<double>(), 2 * run.at("workload").at("macs").get<double>());
    EXPECT_TRUE(row.at("shape").is_null());
    expect_consistent(row);
  }
  EXPECT_LT(rows.at(1).at("max_abs_error").get<double>(), 1e-5);
  EXPECT_GT(rows.at(0).at("max_abs_error").get<double>(),
            rows.at(1).at("max_abs_error").get<double>());
  EXPECT_TRUE(rows.at(2).at("max_abs_error").is_null());
}

TEST(CompareTest, AFileIsANetworkToo) {
  const TemporaryFolder folder;
  const std::string file = write_onnx_file(folder, "small.onnx", small_product());
  const json report = compare({file, "--with", "cpu,titan-rtx,tpu-v2"});
  EXPECT_EQ(report.at("workload").at("network"), file);
  for (const json& row : report.at("rows")) {
    EXPECT_EQ(row.at("flop"), 2.0 * 2 * 3 * 2);
    expect_consistent(row);
  }
  // Each sum has three products of at most 6 * 2 in float32: a few roundings of 2^-24 of 40.
  EXPECT_LE(report.at("rows").at(0).at("max_abs_error").get<double>(), 5 * 40 * 0x1p-24);
  const json& model = report.at("rows").at(1).at("details");
  EXPECT_GE(model.at("nodes").get<int>(), 1);
  EXPECT_GT(model.at("product_seconds").get<double>(), 0);
}

TEST(CompareTest, AQuantizedNetworkIsModelledInInt8WhereThereIsInt8) {
  const TemporaryFolder folder;
  const std::string sample =
      folder.write("x.npy", npy("<f4", "(1, 1, 28, 28)", std::vector<float>(784, 0.5F)));
  const std::string file = folder.file("int8.onnx");
  ASSERT_EQ(run_weft({"quantize", "lenet5", "--calibrate", sample, "-o", file}).code, 0);
  const json rows = compare({file, "--with", "a100,v100,a100:fp16,tpu-v1"}).at("rows");
  EXPECT_EQ(rows.at(0).at("dtype"), "int8");
  EXPECT_EQ(rows.at(1).at("dtype"), "fp16");
  EXPECT_EQ(rows.at(2).at("dtype"), "fp16");
  EXPECT_EQ(rows.at(3).at("dtype"), "int8");
  EXPECT_FALSE(rows.at(3).at("max_abs_error").is_null());
  EXPECT_EQ(rows.at(0).at("flop"), rows.at(1).at("flop"));
  const auto says_why = [&](std::size_t row) {
    return rows.at(row).at("basis").get<std::string>().ends_with("as the network is quantized");
  };
  EXPECT_TRUE(says_why(0));
  EXPECT_FALSE(says_why(1));
  EXPECT_FALSE(says_why(2));
}

/// Writes an integer-only perceptron. A float array runs no part of it.
std::string integer_network(const TemporaryFolder& folder) {
  const std::string sample =
      folder.write("x.npy", npy("<f4", "(1, 64)", std::vector<float>(64, 0.5F)));
  const std::string model = folder.file("mlp.onnx");
  const std::string file = folder.file("int8.onnx");
  EXPECT_EQ(run_weft({"train", "digits-mlp", "--epochs", "0", "--save", model}).code, 0);
  EXPECT_EQ(run_weft({"quantize", model, "--batch", "1", "--calibrate", sample, "-o", file}).code,
            0);
  return file;
}

TEST(CompareTest, ANetworkThatLeavesAllToTheHostHasNoFigures) {
  const TemporaryFolder folder;
  const Words words = {"compare", integer_network(folder), "--with", "tpu-v2,a100"};
  const json row = json_of(words).at("rows").at(0);
  for (const char* key :
       {"seconds", "cycles", "tflops", "share_of_peak", "waste", "max_abs_error"}) {
    EXPECT_TRUE(row.at(key).is_null()) << key;
  }
  EXPECT_FALSE(row.at("peak_tflops").is_null());
  EXPECT_EQ(row.at("basis"), "no part of it runs on this machine: 4 layers on the host");
  const Finished text = run_weft(words);
  EXPECT_EQ(text.out.find("inf"), std::string::npos) << text.out;
  EXPECT_NE(
      text.out.find("bf16        -       -   700 MHz        -  22.94        -       -      -  [1]"),
      std::string::npos)
      << text.out;
  const std::string csv = run_weft(words + Words{"--csv", "-"}).out;
  EXPECT_NE(csv.find(",,,,,,700000000,,22.9376,,,,1,,\n"), std::string::npos) << csv;
}

TEST(CompareTest, ANetworkOnOneThreadHasThePeakOfOneCore) {
  const json row = row_of({"lenet5", "--with", "cpu"});
  EXPECT_NE(row.at("basis").get<std::string>().find("on one thread of"), std::string::npos);
  if (row.at("peak_tflops").is_null()) GTEST_SKIP() << "no clock is measured here";
  EXPECT_EQ(row.at("details").at("cores"), 1);
  EXPECT_NEAR(row.at("peak_tflops").get<double>() * 1e12,
              row.at("details").at("flop_per_clock_and_core").get<double>() *
                  row.at("clock_hz").get<double>(),
              1);
}

TEST(CompareTest, ASweepHasARowForEachSizeAndDevice) {
  const json report =
      compare({"matmul", "256", "256", "9", "--with", "tpu-v2,a100", "--sweep", "n=100..400:50"});
  EXPECT_EQ(report.at("sweep").at("dimension"), "n");
  EXPECT_EQ(report.at("sweep").at("step"), 50);
  EXPECT_EQ(report.at("sweep").at("sizes"), json({100, 150, 200, 250, 300, 350, 400}));
  EXPECT_TRUE(report.at("workload").at("n").is_null());
  const json& rows = report.at("rows");
  ASSERT_EQ(rows.size(), 14U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string size = std::to_string(100 + 50 * (i / 2));
    const char* const device = i % 2 == 0 ? "tpu-v2" : "a100";
    const json alone = row_of({"matmul", "256", "256", size, "--with", device});
    EXPECT_EQ(rows.at(i).at("device"), device);
    EXPECT_EQ(rows.at(i).at("shape"), alone.at("shape"));
    EXPECT_EQ(rows.at(i).at("cycles"), alone.at("cycles"));
    EXPECT_EQ(rows.at(i).at("waste"), alone.at("waste"));
  }
}

TEST(CompareTest, FilesAreWhatStdoutIs) {
  const TemporaryFolder folder;
  const Words words = {"compare", "matmul", "70", "80", "90", "--with", "tiny,v100"};
  const auto json_file = folder.file("c.json");
  const auto csv_file = folder.file("c.csv");
  const auto html_file = folder.file("c.html");
  const Finished quiet = run_weft(
      words + Words{"--quiet", "--json", json_file, "--csv", csv_file, "--html", html_file});
  EXPECT_EQ(quiet.code, 0) << quiet.err;
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(folder.read("c.json"), run_weft(words + Words{"--json", "-"}).out);
  EXPECT_EQ(folder.read("c.csv"), run_weft(words + Words{"--csv", "-"}).out);
  const std::string page = folder.read("c.html");
  EXPECT_NE(page.find("compare 70 x 80 x 90"), std::string::npos);
  EXPECT_EQ(folder.count(), 3U);
  const std::string csv = folder.read("c.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(CompareTest, TheTableHasALineForEachDevice) {
  const Finished run =
      run_weft({"compare", "matmul", "70", "80", "90", "--with", "tiny,v100:fp32"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("tiny       simulated  int8"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("v100:fp32  modelled   fp32"), std::string::npos) << run.out;
  EXPECT_EQ(run_weft({"compare", "--help"}).code, 0);
}

class CompareBadInputTest : public testing::Test {
 protected:
  void expect_refused(const Words& words, const Words& parts) {
    SCOPED_TRACE(testing::PrintToString(words));
    const std::size_t before = folder_.count();
    const Finished finished = run_weft(Words{"compare"} + words);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_TRUE(finished.err.starts_with("weft: ")) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    for (const std::string& part : parts) {
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in: " << finished.err;
    }
    EXPECT_EQ(folder_.count(), before) << "something was written";
  }

  TemporaryFolder folder_;
  const Words small_ = {"matmul", "4", "4", "4", "--with", "a100"};
};

TEST_F(CompareBadInputTest, DevicesMustBeKnown) {
  const Words sizes = {"matmul", "4", "4", "4"};
  expect_refused(sizes + Words{"--with", "a10"}, {"'a10'", "did you mean a100?"});
  expect_refused(sizes + Words{"--with", "pocket-calculator"}, {"there are", "h200", "cpu"});
  expect_refused(sizes + Words{"--with", "a100", "--dtype", "fp4"}, {"--dtype", "'fp4'"});
  expect_refused(sizes + Words{"--with", "cpu:int8"}, {"cpu", "int8", "cpu:fp32"});
  expect_refused(sizes + Words{"--with", folder_.file("none.ini")}, {"none.ini"});
}

TEST_F(CompareBadInputTest, SizesMustBePositiveAndFit) {
  expect_refused({}, {"nothing to compare"});
  expect_refused({"matmul"}, {"M K N"});
  expect_refused({"matmul", "4", "4"}, {"N is missing"});
  expect_refused({"matmul", "4", "0", "4"}, {"K", "'0'"});
  expect_refused({"matmul", "4", "4", "4", "4"}, {"one argument too many"});
  const std::string huge = "1000000";
  expect_refused({"matmul", huge, huge, huge, "--with", "a100"}, {"a100", "40.0 GB", "smaller"});
  expect_refused({"matmul", huge, huge, huge, "--with", "cpu"}, {"cpu", "too much to measure"});
  expect_refused({"matmul", huge, huge, huge, "--with", "a100:int8,tiny"}, {"--with a100:int8: "});
  expect_refused(
      {"matmul", huge, huge, huge, "--with", "tiny"},
      {"--with tiny: ", "2^32 - 1", "a larger array, more accumulators or smaller M, K, N\n"});
  const std::string largest = "1099511627776";
  expect_refused({"matmul", largest, largest, largest, "--with", "h200"}, {"h200"});
  expect_refused({"matmul", largest, "1", "1", "--with", "cpu"}, {"cpu"});
  expect_refused({"matmul", largest, largest, largest, "--with", "tpu-v2"}, {});
  expect_refused({"no-such-network"}, {"no-such-network"});
}

TEST_F(CompareBadInputTest, FlagsMustFitTheWorkload) {
  expect_refused(small_ + Words{"--batch", "2"}, {"--batch", "a product"});
  expect_refused({"lenet5", "--sweep", "n=1..4"}, {"--sweep", "a network"});
  expect_refused({"lenet5", "--tile", "64x64"}, {"--tile", "a network"});
  expect_refused(small_ + Words{"--tile", "32x32"}, {"--tile", "'32x32'", "256x128"});
  expect_refused({"matmul", "4", "4", "4", "--with", "tiny", "--tile", "64x64"}, {"--tile"});
  expect_refused(small_ + Words{"--seed", "2"}, {"--seed", "modelled"});
  expect_refused({"matmul", "4", "4", "4", "--with", "tiny", "--sweep", "n=1..4", "--seed", "2"},
                 {"--seed", "sweeps"});
  expect_refused({"matmul", "4", "4", "4", "--with", "a100:fp16", "--dtype", "tf32"}, {"--dtype"});
  expect_refused(small_ + Words{"--sweep", "q=1..4"}, {"--sweep", "'q=1..4'"});
  expect_refused(small_ + Words{"--sweep", "n=4..1"}, {"--sweep"});
  expect_refused({"matmul", "100000", "100000", "4", "--with", "tiny", "--sweep", "n=1..100"},
                 {"--sweep", "instructions"});
}

TEST_F(CompareBadInputTest, OutputsMustBeWritableAndApart) {
  const std::string out = folder_.file("out");
  expect_refused(small_ + Words{"--json", out, "--csv", out}, {out, "--json", "--csv"});
  expect_refused(small_ + Words{"--json", "-", "--csv", "-"}, {"--json", "--csv"});
  expect_refused(small_ + Words{"--html", "-"}, {"--html -"});
  expect_refused(small_ + Words{"--csv", folder_.file("no/such/file")}, {"no/such/file"});
  expect_refused(small_ + Words{"--json", out, "--html", "/dev/full"}, {"/dev/full"});
  const std::string machine = folder_.write("m.ini", "[machine]\nname = m\n");
  expect_refused({"matmul", "4", "4", "4", "--with", machine, "--csv", machine},
                 {"m.ini", "--csv"});
}

}  // namespace
}  // namespace weft::test
