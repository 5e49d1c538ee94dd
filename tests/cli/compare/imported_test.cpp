// `weft compare --measured` and `weft compare ROWS.csv`: figures are those of the files, what does
// not match is listed, and bad files leave nothing behind. Times are worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/explain/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

constexpr const char* kCsv =
    "# device: Some GPU\n"
    "name,shape,seconds,dtype\n"
    ",64x96x32,0.25,fp16\n"
    ",64x96x32,0.5,fp32\n"
    ",65x96x32,1,fp16\n"
    "c1,784x25x6,2,fp16\n"
    "tanh,,0.125,fp16\n"
    "[2],,3,fp16\n"
    ",1x400x120,4,fp16\n"
    "f6,9x9x9,100,fp16\n";

class CompareImportedTest : public testing::Test {
 protected:
  json compare(const Words& words) { return json_of(Words{"compare"} + words); }

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
  const std::string csv_ = folder_.write("gpu.csv", kCsv);
  const Words product_ = {"matmul", "64", "96", "32", "--with", "a100"};
};

TEST_F(CompareImportedTest, AProductHasARowForEachTypeInTheFile) {
  const json report = compare(product_ + Words{"--measured", csv_});
  const json& rows = report.at("rows");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].at("kind"), "imported");
  EXPECT_EQ(rows[1].at("device"), "Some GPU");
  EXPECT_EQ(rows[1].at("dtype"), "fp16");
  EXPECT_EQ(rows[1].at("seconds"), 0.25);
  EXPECT_EQ(rows[1].at("tflops"), 2.0 * 64 * 96 * 32 / 0.25 / 1e12);
  EXPECT_TRUE(rows[1].at("cycles").is_null());
  EXPECT_NE(rows[1].at("basis").get<std::string>().find(csv_), std::string::npos);
  EXPECT_EQ(rows[2].at("dtype"), "fp32");
  EXPECT_EQ(rows[2].at("seconds"), 0.5);
  const json& import = report.at("imports").at(0);
  EXPECT_EQ(import.at("seconds"), 110.875);
  EXPECT_EQ(import.at("matched_seconds"), 0.75);
  ASSERT_EQ(import.at("unmatched").size(), 6U);  // the longest first
  EXPECT_EQ(import.at("unmatched")[0].at("name"), "f6");
  EXPECT_EQ(import.at("unmatched")[1].at("operands"), "1x400x120");
}

TEST_F(CompareImportedTest, LayersMatchByNameByNumberAndByShape) {
  const json report = compare({"lenet5", "--with", "a100", "--measured", csv_});
  const json row = report.at("rows").at(1);
  // c1 by name, the second product by its number, c5 by its shape; f6 has another shape.
  EXPECT_EQ(row.at("seconds"), 9);
  EXPECT_EQ(row.at("flop"), 2.0 * (784 * 25 * 6 + 100 * 150 * 16 + 400 * 120));
  const json& layers = row.at("details").at("layers");
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].at("name"), "c1");
  EXPECT_EQ(layers[0].at("matched_by"), "name");
  EXPECT_EQ(layers[1].at("name"), "c3");
  EXPECT_EQ(layers[2].at("matched_by"), "shape");
  EXPECT_EQ(row.at("details").at("missing"), (json{"f6", "output"}));
  EXPECT_EQ(report.at("imports")[0].at("matched_seconds"), 9);
  // The products are listed for whoever measures them.
  const json& products = report.at("workload").at("products");
  ASSERT_EQ(products.size(), 5U);
  EXPECT_EQ(products[0].at("shape"), "784x25x6");
  EXPECT_EQ(products[0].at("conv").at("pads"), (json{2, 2, 2, 2}));
  EXPECT_TRUE(products[3].at("conv").is_null());
}

TEST_F(CompareImportedTest, LayersOfOneShapeTakeTheirRunsInTurn) {
  // digits-mlp-like: three runs of two equal products that take 1 and 3 us, then 2 and 5, 3 and 4.
  std::string csv = "Start (ns),Duration (ns),CorrId,Device,Name\n";
  const std::vector<int> durations = {1000, 3000, 2000, 5000, 3000, 4000};
  for (std::size_t i = 0; i < durations.size(); ++i) {
    csv += std::to_string(i * 10000) + "," + std::to_string(durations[i]) + ",1,T4 (0),sgemm_x\n";
  }
  csv += "70000,9000,1,T4 (0),relu\n";
  const std::string file = folder_.write("nsys.csv", csv);
  const json one = compare(product_ + Words{"--measured", file, "--in-order"}).at("rows")[1];
  EXPECT_EQ(one.at("seconds"), 3e-6);
  EXPECT_TRUE(one.at("dtype").is_null());
  expect_refused({"lenet5", "--with", "a100", "--measured", file, "--in-order"},
                 {"6 product kernels", "5 products"});
  expect_refused({"lenet5", "--with", "a100", "--measured", file}, {"no shapes", "--in-order"});
}

TEST_F(CompareImportedTest, RowsOfAComparisonComeBackAsTheyWere) {
  const Words words = {"compare",    "matmul", "64", "96", "32", "--with", "tiny,tpu-v2,a100:tf32",
                       "--measured", csv_};
  const std::string as_csv = folder_.file("rows.csv");
  const std::string as_json = folder_.file("rows.json");
  ASSERT_EQ(run_weft(words + Words{"--quiet", "--csv", as_csv, "--json", as_json}).code, 0);
  const json before = json::parse(folder_.read("rows.json")).at("rows");
  for (const std::string& file : {as_csv, as_json}) {
    for (const json& after : {compare({file}), compare(product_ + Words{"--measured", file})}) {
      SCOPED_TRACE(file);
      const json& rows = after.at("rows");
      const std::size_t first = rows.size() - before.size();
      for (std::size_t i = 0; i < before.size(); ++i) {
        const json& row = rows.at(first + i);
        EXPECT_EQ(row.at("kind"), before[i].at("kind"));
        EXPECT_EQ(row.at("details").at("kind"), before[i].at("kind"));
        EXPECT_NE(row.at("basis").get<std::string>().find("from " + file), std::string::npos);
        for (const char* key : {"device", "dtype", "shape", "seconds", "clock_hz", "cycles", "flop",
                                "waste", "max_abs_error"}) {
          EXPECT_EQ(row.at(key), before[i].at(key)) << key;
        }
        if (before[i].at("peak_tflops").is_null()) continue;
        EXPECT_NEAR(row.at("peak_tflops").get<double>(), before[i].at("peak_tflops").get<double>(),
                    1e-9);
      }
      // Only what was measured is measured elsewhere.
      EXPECT_TRUE(after.at("imports")[0].at("unmatched").empty());
      EXPECT_EQ(after.at("imports")[0].at("seconds"), 0.75);
    }
  }
}

TEST_F(CompareImportedTest, AModelStaysAModelAndAMeasurementIsImported) {
  const std::string head = "device,kind,dtype,workload,m,k,n,seconds\n";
  const std::string rows = folder_.write("rows.csv", head +
                                                         "a,modelled,fp16,matmul,64,96,32,0.5\n"
                                                         "b,measured,fp32,matmul,64,96,32,1\n"
                                                         "a,imported,fp16,matmul,64,96,32,2\n");
  const std::string again = folder_.file("again.csv");
  ASSERT_EQ(run_weft({"compare", rows, "--csv", again, "--quiet"}).code, 0);
  const json report = compare({again});
  ASSERT_EQ(report.at("rows").size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(report.at("rows")[i].at("kind"), i == 0 ? "modelled" : "imported");
    EXPECT_EQ(report.at("rows")[i].at("seconds"), 0.5 * static_cast<double>(1U << i));
  }
  EXPECT_EQ(report.at("imports")[0].at("seconds"), 3);
  // A file without measurements is no file that was measured elsewhere.
  const std::string model = folder_.write("m.csv", head + "a,modelled,fp16,matmul,64,96,32,0.5\n");
  EXPECT_TRUE(compare({model}).at("imports").empty());
  EXPECT_EQ(run_weft({"compare", model}).out.find("matched"), std::string::npos);
}

TEST_F(CompareImportedTest, NamesThatAreHardToWriteComeBack) {
  const std::string file =
      folder_.write("t.json", R"({"deviceProperties": [{"id": 0, "name": "# A\n\u001b[2J\u202e"}],
      "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0,
      "dur": 9, "args": {"External id": 1, "Input Dims": [[64, 96], [96, 32]]}}, {"ph": "X",
      "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 5,
      "args": {"External id": 1, "device": 0}}]})");
  const std::string as_csv = folder_.file("rows.csv");
  ASSERT_EQ(
      run_weft(Words{"compare"} + product_ + Words{"--measured", file, "--csv", as_csv, "--quiet"})
          .code,
      0);
  EXPECT_EQ(compare({as_csv}).at("rows").at(1).at("device"), R"(# A\x0a\x1b[2J\xe2\x80\xae)");
}

TEST_F(CompareImportedTest, ASweepComesBackAsASweep) {
  const std::string file = folder_.file("sweep.csv");
  ASSERT_EQ(run_weft({"compare", "matmul", "64", "64", "1", "--with", "tpu-v2,a100", "--sweep",
                      "n=64..128:32", "--csv", file, "--quiet"})
                .code,
            0);
  const json report = compare({file});
  EXPECT_EQ(report.at("sweep").at("sizes"), (json{64, 96, 128}));
  ASSERT_EQ(report.at("rows").size(), 6U);
  EXPECT_EQ(report.at("rows")[2].at("shape").at("n"), 96);
  // Beside devices, sizes that the file lacks have no figures.
  const json beside = compare(
      {"matmul", "64", "64", "1", "--with", "a100", "--sweep", "n=64..128:16", "--measured", file});
  ASSERT_EQ(beside.at("rows").size(), 5U * 3);
  EXPECT_TRUE(beside.at("rows")[4].at("seconds").is_null());
  EXPECT_EQ(beside.at("rows")[1].at("seconds"), report.at("rows")[0].at("seconds"));
}

TEST_F(CompareImportedTest, ANetworkWithAnotherCacheIsAnotherNetwork) {
  const auto decode = [](const std::string& cached) {
    return Words{"compare", "llama-7b", "--kv-cache", cached, "--with", "h100"};
  };
  for (const char* kind : {"csv", "json"}) {
    SCOPED_TRACE(kind);
    const std::string file = folder_.file(std::string("decode.") + kind);
    ASSERT_EQ(run_weft(decode("64") + Words{"--quiet", std::string("--") + kind, file}).code, 0);
    const json report = compare({file});
    EXPECT_EQ(report.at("workload").at("kv_cache"), 64);
    expect_refused({"llama-7b", "--kv-cache", "32", "--with", "h100", "--measured", file}, {file});
  }
}

TEST_F(CompareImportedTest, TwoFilesWithOneDeviceAreToldApart) {
  const Words words = {"compare", "lenet5", "--with", "a100", "--quiet", "--csv"};
  const std::string a = folder_.file("a.csv");
  const std::string b = folder_.file("b.csv");
  ASSERT_EQ(run_weft(words + Words{a}).code, 0);
  ASSERT_EQ(run_weft(words + Words{b}).code, 0);
  const json rows = compare({a, b}).at("rows");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("device"), "a100 (" + a + ")");
  EXPECT_EQ(rows[1].at("device"), "a100 (" + b + ")");
}

TEST_F(CompareImportedTest, TwoMeasurementsOfOneDeviceComeBack) {
  const std::string other = folder_.write(
      "other.csv", "# device: Some GPU\nname,shape,seconds,dtype\n,64x96x32,0.75,fp16\n");
  const std::string as_csv = folder_.file("two.csv");
  const std::string as_json = folder_.file("two.json");
  const std::string again = folder_.file("again.csv");
  const Words words =
      Words{"compare"} + product_ +
      Words{"--measured", csv_, "--measured", other, "--quiet", "--csv", as_csv, "--json", as_json};
  ASSERT_EQ(run_weft(words).code, 0);
  for (const std::string& file : {as_csv, as_json}) {
    SCOPED_TRACE(file);
    ASSERT_EQ(run_weft({"compare", file, "--quiet", "--csv", again}).code, 0);
    EXPECT_EQ(folder_.read("again.csv"), folder_.read("two.csv"));
    for (const json& report : {compare({file}), compare(product_ + Words{"--measured", file})}) {
      const std::size_t first = report.at("rows").size() - 4;
      const std::vector<std::pair<std::string, double>> expected = {
          {"Some GPU (" + csv_ + ")", 0.25}, {"Some GPU", 0.5}, {"Some GPU (" + other + ")", 0.75}};
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const json& row = report.at("rows").at(first + 1 + i);
        EXPECT_EQ(row.at("device"), expected[i].first);
        EXPECT_EQ(row.at("seconds"), expected[i].second);
      }
      EXPECT_EQ(report.at("imports")[0].at("seconds"), 1.5);
      EXPECT_EQ(report.at("imports")[0].at("matched_seconds"), 1.5);
    }
  }
}

TEST_F(CompareImportedTest, RowsOfOneDeviceAndProductAreNumbered) {
  const std::string file = folder_.write("rows.csv",
                                         "device,kind,dtype,workload,m,k,n,seconds\n"
                                         "a,imported,fp16,matmul,64,96,32,0.5\n"
                                         "a,imported,fp16,matmul,64,96,32,1\n"
                                         "a,imported,fp16,matmul,64,96,64,2\n");
  const json report = compare({file});
  const json& rows = report.at("rows");
  ASSERT_EQ(rows.size(), 4U);
  const json expected = {0.5, 1, 2, nullptr};  // no second row has 64 columns
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].at("device"), "a (" + file + (i % 2 == 0 ? ", 1)" : ", 2)"));
    EXPECT_EQ(rows[i].at("seconds"), expected[i]);
  }
  EXPECT_EQ(report.at("imports")[0].at("matched_seconds"), 3.5);
}

TEST_F(CompareImportedTest, AReportStillSaysWhatMatchedInItsFiles) {
  const std::string first = folder_.file("first.json");
  const std::string second = folder_.file("second.json");
  ASSERT_EQ(
      run_weft(Words{"compare"} + product_ + Words{"--measured", csv_, "--quiet", "--json", first})
          .code,
      0);
  ASSERT_EQ(run_weft({"compare", first, "--quiet", "--json", second}).code, 0);
  const json import = json::parse(folder_.read("first.json")).at("imports").at(0);
  EXPECT_FALSE(import.at("of_rows"));
  EXPECT_TRUE(import.at("recorded_in").is_null());
  for (const std::string& file : {first, second}) {
    SCOPED_TRACE(file);
    for (const json& report : {compare({file}), compare(product_ + Words{"--measured", file})}) {
      const json& imports = report.at("imports");
      ASSERT_EQ(imports.size(), 2U);
      EXPECT_EQ(imports[0].at("file"), file);
      EXPECT_TRUE(imports[0].at("of_rows"));
      json recorded = imports[1];
      EXPECT_EQ(recorded.at("recorded_in"), file);
      recorded["recorded_in"] = nullptr;
      EXPECT_EQ(recorded, import);
    }
  }
  const std::string text = run_weft({"compare", first}).out;
  EXPECT_NE(text.find("100.0 % of the 750 ms of its imported rows matched"), std::string::npos);
  EXPECT_NE(text.find(csv_ + ", a CSV of products, recorded in " + first +
                      ": 0.7 % of its 111 s matched\n  not matched: f6 9x9x9 100 s"),
            std::string::npos)
      << text;
}

TEST_F(CompareImportedTest, DamagedImportsAreRefused) {
  const std::string file = folder_.file("rows.json");
  ASSERT_EQ(
      run_weft(Words{"compare"} + product_ + Words{"--measured", csv_, "--quiet", "--json", file})
          .code,
      0);
  const json whole = json::parse(folder_.read("rows.json"));
  const auto refused = [&](const char* place, const json& value, const std::string& part) {
    json damaged = whole;
    damaged[json::json_pointer(place)] = value;
    expect_refused({folder_.write("rows.json", damaged.dump())}, {"rows.json: ", part});
  };
  refused("/imports", 1, "imports is no list");
  refused("/imports/0", 1, "imports[0]: file");
  refused("/imports/0/format", nullptr, "imports[0]: format");
  refused("/imports/0/notes", {1}, "imports[0]: notes");
  refused("/imports/0/devices", nullptr, "imports[0]: devices");
  refused("/imports/0/devices/0/seconds", -1, "imports[0]: seconds");
  refused("/imports/0/unmatched/0/count", 1e300, "imports[0]: count");
  refused("/imports/0/unmatched/0/name", {1}, "imports[0]: name");
  json old = whole;
  old.erase("imports");
  EXPECT_EQ(compare({folder_.write("rows.json", old.dump())}).at("imports").size(), 1U);
}

TEST_F(CompareImportedTest, TextListsWhatDoesNotMatch) {
  const std::string text = run_weft(Words{"compare"} + product_ + Words{"--measured", csv_}).out;
  EXPECT_NE(text.find("0.7 % of its 111 s matched"), std::string::npos) << text;
  EXPECT_NE(text.find("not matched: f6 9x9x9 100 s, 1x400x120 4.00 s, [2] 3.00 s, "
                      "c1 784x25x6 2.00 s; and 2 more with 1.12 s (--json has all)"),
            std::string::npos)
      << text;
}

TEST_F(CompareImportedTest, DistancesBetweenRunsArePlainNumbers) {
  const std::string file =
      folder_.write("nsys.csv",
                    "Start (ns),Duration (ns),CorrId,Device,Name\n0,1000,1,T4,sgemm\n"
                    "5000,2500,1,T4,sgemm\n9000,1000,1,T4,sgemm\n");
  const json row = compare(product_ + Words{"--measured", file, "--in-order"}).at("rows")[1];
  EXPECT_NE(row.at("basis").get<std::string>().find(", 150 % between fastest"), std::string::npos)
      << row.at("basis");
}

TEST_F(CompareImportedTest, WhatCannotBeUsedIsRefused) {
  const auto file = [&](const char* name, const std::string& text) {
    return folder_.write(name, text);
  };
  const std::string out = folder_.file("out.html");
  const auto refused = [&](const std::string& name, const Words& parts) {
    expect_refused(product_ + Words{"--measured", name, "--html", out}, parts);
  };
  refused(folder_.file("none"), {"no such file"});
  refused(folder_.file("."), {"is a folder"});
  refused(file("x", "hello"), {"no measurements that weft knows"});
  refused(file("y", "shape,seconds\n8x8x8,1\n"), {"nothing of 64x96x32", "it has 8x8x8"});
  refused(file("z", "shape,seconds\n8x8x8,-1\n"), {"line 2", "lasts"});
  refused("", {"weft: --measured: names no file"});
  expect_refused(product_ + Words{"--measured", csv_, "--measured", csv_}, {"named twice"});
  expect_refused(product_ + Words{"--measured", csv_, "--in-order"},
                 {"has a name that says that it multiplies", "drop --in-order"});
  expect_refused(product_ + Words{"--in-order"}, {"--in-order", "drop it"});
  expect_refused(product_ + Words{"--measured", csv_, "--csv", csv_}, {"--measured", "--csv"});
  EXPECT_EQ(folder_.read("gpu.csv"), kCsv);
}

TEST_F(CompareImportedTest, DamagedRowsAreRefused) {
  const std::string head = "device,kind,dtype,workload,m,k,n,seconds,cycles\n";
  const auto refused = [&](const std::string& rows, const Words& parts) {
    expect_refused({folder_.write("rows.csv", head + rows)}, parts);
    std::filesystem::remove(folder_.file("rows.csv"));
  };
  refused("", {"no rows"});
  refused("a,simulated,bf16,matmul,1,2,3,0.5\n", {"line 2", "fields"});
  refused("a,guessed,bf16,matmul,1,2,3,0.5,\n", {"line 2", "kind 'guessed'"});
  refused("a,simulated,fp64,matmul,1,2,3,0.5,\n", {"dtype 'fp64'"});
  refused("a,simulated,bf16,matmul,0,2,3,0.5,\n", {"m '0'"});
  refused("a,simulated,bf16,matmul,1,2,,0.5,\n", {"sizes of a product"});
  refused("a,simulated,bf16,matmul,1,2,3,nan,\n", {"seconds is 'nan'"});
  refused("a,simulated,bf16,matmul,1,2,3,1e300,\n", {"seconds"});
  refused("a,imported,bf16,matmul,1,2,3,0,\n", {"line 2", "seconds is '0'", "from 1e-09"});
  refused("a,imported,bf16,matmul,1,2,3,1e-15,\n", {"seconds is '1e-15'"});
  refused("a,simulated,bf16,matmul,1,2,3,0.5,-1\n", {"cycles"});
  refused("a,simulated,bf16,lenet5,,,,0.5,\n", {"batch", "older weft"});
  refused("a,simulated,bf16,matmul,1,2,3,1,\na,simulated,bf16,matmul,2,3,3,1,\n",
          {"more than one size", "--measured"});
  expect_refused({csv_}, {"a CSV of products", "--measured"});
  expect_refused({folder_.write("r.csv",
                                "device,kind,dtype,workload,m,k,n,cycles\n"
                                "a,measured,fp32,matmul,1,2,3,1\n")},
                 {"has no column seconds"});
  expect_refused(
      {folder_.write("r.csv", head + "a,measured,fp32,matmul,1,2,3,1,\n"), "--with", "cpu"},
      {"--with", "no effect"});
  const std::string cut =
      folder_.write("c.json", R"({"schema": 1, "command": "compare", "rows": [)");
  expect_refused(product_ + Words{"--measured", cut}, {"damaged or cut off"});
}

}  // namespace
}  // namespace weft::test
