// --csv: a line for each layer, with the figures of --json, quoted as RFC 4180 says.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/cli/network/files.h"
#include "tests/cli/network/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;
using Row = std::map<std::string, std::string>;

/// Reads CSV as RFC 4180 defines it.
std::vector<Words> read_csv(const std::string& text) {
  std::vector<Words> rows(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      rows.back().push_back(std::exchange(field, {}));
      if (c == '\n') rows.emplace_back();
    } else {
      field += c;
    }
  }
  EXPECT_TRUE(rows.back().empty() && field.empty()) << "the last line has no end";
  rows.pop_back();
  return rows;
}

std::vector<Row> rows_of(const std::string& text) {
  const std::vector<Words> lines = read_csv(text);
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), lines[0].size()) << i;
    Row row;
    for (std::size_t j = 0; j < lines[0].size(); ++j) row[lines[0][j]] = lines[i][j];
    rows.push_back(std::move(row));
  }
  return rows;
}

void expect_layer(const Row& row, const json& layer) {
  SCOPED_TRACE(layer.at("name"));
  EXPECT_EQ(row.at("layer"), layer.at("name"));
  EXPECT_EQ(row.at("operator"), layer.at("op"));
  EXPECT_EQ(row.at("where"), layer.at("where"));
  EXPECT_EQ(row.at("type"), layer.at("type"));
  const bool has_cycles = !layer.at("cycles").is_null();
  EXPECT_EQ(row.at("cycles"), has_cycles ? layer.at("cycles").at("total").dump() : "");
  const json classes = has_cycles ? layer.at("cycles") : json::object();
  for (const auto& [name, cycles] : classes.items()) {
    if (name != "total") {
      EXPECT_EQ(row.at(name), cycles.dump()) << name;
    }
  }
  EXPECT_EQ(row.at("critical_path"),
            has_cycles ? layer.at("critical_path").at("total").dump() : "");
  EXPECT_EQ(row.at("useful_macs"), layer.at("macs").at("useful").dump());
  EXPECT_EQ(row.at("issued_macs"), layer.at("macs").at("issued").dump());
  for (const auto& [name, bytes] : layer.at("traffic").items()) {
    EXPECT_EQ(row.at(name), bytes.dump()) << name;
  }
  if (!layer.at("plan").is_null()) {
    for (const auto& [name, count] : layer.at("plan").items())
      EXPECT_EQ(row.at(name), count.dump());
  }
  EXPECT_EQ(row.at("utilization").empty(), layer.at("utilization").is_null());
  if (!row.at("utilization").empty()) {
    EXPECT_EQ(std::stod(row.at("utilization")), layer.at("utilization").get<double>());
  }
  EXPECT_EQ(row.at("bound_cycles"),
            layer.at("bound").is_null() ? "" : layer.at("bound").at("cycles").dump());
}

void expect_layers(const Words& words) {
  SCOPED_TRACE(words[0] + " " + words[1]);
  const json report = report_of(words);
  const std::vector<Row> rows = rows_of(summary_of(joined(words, {"--csv", "-"})));
  ASSERT_EQ(rows.size(), report.at("layers").size());
  for (std::size_t i = 0; i < rows.size(); ++i) expect_layer(rows[i], report.at("layers")[i]);
}

TEST(CsvTest, HasALineForEachLayer) {
  expect_layers({"run", "lenet5", "--machine", "tiny", "--engine", "analytic"});
  expect_layers({"conv", "--input", "1,3,8,8", "--filters", "4", "--kernel", "3", "--machine",
                 "tiny", "--engine", "analytic"});
  expect_layers({"explain", "lenet5", "--layer", "c3", "--machine", "tpu-v2", "--optimize", "0"});
}

TEST(CsvTest, AProductIsOneLayer) {
  for (const char* command : {"matmul", "explain"}) {
    const json report = report_of({command, "50", "60", "70", "--machine", "tiny"});
    const std::string text =
        summary_of({command, "50", "60", "70", "--machine", "tiny", "--csv", "-"});
    const std::vector<Row> rows = rows_of(text);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].at("cycles"), report.at("cycles").at("total").dump());
    EXPECT_EQ(rows[0].at("weight_stall"), report.at("cycles").at("weight_stall").dump());
    EXPECT_EQ(rows[0].at("bound_cycles"), report.at("bound").at("cycles").dump());
    EXPECT_EQ(rows[0].at("useful_macs"), "210000");
    EXPECT_EQ(rows[0].at("type"), "int32");  // sums of int8 products (docs/numerics.md)
    EXPECT_EQ(rows[0].at("shape"), "50x70");
    EXPECT_EQ(rows[0].at("fetches"), report.at("plan").at("folds").dump());
    EXPECT_EQ(rows[0].at("output_bytes"), report.at("traffic").at("output_bytes").dump());
  }
}

TEST(CsvTest, AProgramHasTheTypeOfItsResult) {
  const TemporaryFolder folder;
  for (const auto& [dtype, result] : {std::pair("int8", "int32"), std::pair("fp16", "float32")}) {
    const Words machine = {"--machine", "tiny", "--array.dtype", dtype};
    const std::string file = folder.file("product.weft");
    summary_of(joined({"compile", "5", "6", "7", "-o", file}, machine));
    const std::vector<Row> rows =
        rows_of(summary_of(joined({"exec", file, "--csv", "-"}, machine)));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].at("type"), result);
  }
}

TEST(CsvTest, ASweepHasALineForEachPoint) {
  const std::vector<Row> rows = rows_of(summary_of(
      {"explain", "5", "6", "7", "--machine", "tiny", "--sweep", "n=4..6", "--csv", "-"}));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("n"), "4");
  EXPECT_EQ(rows[0].at("cycles"), "29");
  EXPECT_EQ(rows[1].at("cliff"), "1");
  const std::vector<Row> keys =
      rows_of(summary_of({"explain", "5", "6", "7", "--machine", "tiny", "--sweep",
                          "clock_mhz=0.5..1:0.5", "--csv", "-"}));
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].at("clock_mhz"), "0.5");
  EXPECT_EQ(std::stod(keys[0].at("seconds")), std::stod(keys[0].at("cycles")) / 5e5);
}

TEST(CsvTest, NamesAreQuoted) {
  const TemporaryFolder folder;
  graph::Builder builder("named");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {2, 3}});
  const auto w = builder.constant(graph::Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), "w");
  builder.output(builder.add(graph::Op::kMatMul, {x, w}, {}, "a \"large\", flat one"), "y");
  const std::string file = write_onnx_file(folder, "net.onnx", builder.finish());
  const std::string text =
      summary_of({"run", file, "--machine", "tpu-v2", "--engine", "analytic", "--csv", "-"});
  EXPECT_NE(text.find("\n\"a \"\"large\"\", flat one\",MatMul,"), std::string::npos) << text;
  EXPECT_EQ(rows_of(text)[0].at("layer"), "a \"large\", flat one");
}

double joules_of(const Row& row) {
  const std::string& joules = row.at("energy_j");
  return joules.empty() ? 0 : std::stod(joules);
}

// Sums of positive numbers, in another order: each of the few hundred additions and products rounds
// by at most 2^-53 of the result, and 1000 of them by less than 1e-12.
TEST(CsvTest, TheJoulesOfTheLayersAreThoseOfTheRun) {
  const Words network = {"run",      "lstm",     "--machine",  "tpu-v2",
                         "--engine", "analytic", "--optimize", "0"};
  for (const Words& words :
       {network, Words{"matmul", "50", "60", "70", "--machine", "tiny"},
        Words{"conv", "--input", "1,3,8,8", "--filters", "4", "--kernel", "3", "--machine", "tiny"},
        Words{"explain", "50", "60", "70", "--machine", "tiny"}}) {
    SCOPED_TRACE(words[0]);
    const Words priced = joined(words, {"--energy", "45nm"});
    const json energy = report_of(priced).at("energy");
    double sum = 0;
    std::vector<std::string> names;
    for (const Row& row : rows_of(summary_of(joined(priced, {"--csv", "-"})))) {
      EXPECT_EQ(row.at("energy_j").empty(), row.at("where") == "host");
      sum += joules_of(row);
      if (row.at("where") == "host") continue;
      const json& layer = energy.at("layers").at(names.size());
      EXPECT_EQ(joules_of(row), layer.at("joules").get<double>());
      names.push_back(row.at("layer"));
    }
    EXPECT_EQ(names.size(), energy.at("layers").size());
    EXPECT_GT(sum, 0);
    EXPECT_NEAR(sum, energy.at("joules").get<double>(), sum * 1e-12);
    const std::vector<Row> plain = rows_of(summary_of(joined(words, {"--csv", "-"})));
    EXPECT_FALSE(plain.at(0).contains("energy_j"));
  }
}

TEST(CsvTest, IsTheOnlyReportOfEnergiesThatItNeeds) {
  const TemporaryFolder folder;
  const Words words = {"matmul",   "5",   "6",       "7",     "--machine",           "tiny",
                       "--energy", "own", "--quiet", "--csv", folder.file("run.csv")};
  EXPECT_EQ(summary_of(words), "");
  EXPECT_GT(joules_of(rows_of(folder.read("run.csv")).at(0)), 0);
  const Finished priced = run_weft(joined(words, {"--price-per-hour", "1"}));
  EXPECT_EQ(priced.code, 2);  // the CSV has no price
  EXPECT_NE(priced.err.find("--price-per-hour: --quiet prints no summary"), std::string::npos);
}

TEST(CsvTest, IsAFileToo) {
  const TemporaryFolder folder;
  const Words words = {"matmul", "5", "6", "7", "--machine", "tiny", "--csv"};
  const std::string file = folder.file("run.csv");
  EXPECT_NE(summary_of(joined(words, {file})).find("cycles"), std::string::npos);
  EXPECT_EQ(folder.read("run.csv"), summary_of(joined(words, {"-"})));
  for (const Words& refused :
       std::vector<Words>{{file, "--json", file}, {"-", "--json", "-"}, {"", "--quiet"}}) {
    const Finished finished = run_weft(joined(words, refused));
    EXPECT_EQ(finished.code, 2);
    EXPECT_NE(finished.err.find("--csv"), std::string::npos) << finished.err;
  }
  EXPECT_EQ(run_weft({"run", "lenet5", "--backend", "cpu", "--csv", "-"}).code, 2);
}

}  // namespace
}  // namespace weft::test
