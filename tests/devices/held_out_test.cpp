// Products that DeepBench published and that set no share: how far is the model off? The test
// reckons the table of docs/compare.md anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/figures.h"
#include "models/devices/calibration.h"

namespace weft::devices {
namespace {

using enum NumberFormat;

constexpr std::array<std::string_view, 4> kClasses = {"K = 500,000", "M or N below 64",
                                                      "N of 64 or 128", "M and N above 128"};

struct Column {
  std::string device;
  NumberFormat format = kFp32;
};
const std::array<Column, 4> kColumns = {
    {{"v100", kFp32}, {"v100", kFp16}, {"t4", kFp32}, {"t4", kFp16}}};

struct Line {
  GemmShape shape = {};
  std::string ops;                     // "NN", "TN", "NT"
  std::array<double, 4> seconds = {};  // in the order of kColumns
};

std::size_t class_of(const GemmShape& shape) {
  if (shape.k == 500000) return 0;
  const std::uint64_t narrow = std::min(shape.m, shape.n);
  if (narrow < 64) return 1;
  return narrow <= 128 ? 2 : 3;
}

std::vector<Line> deepbench() {
  std::ifstream in(WEFT_SOURCE_DIR "/tests/devices/deepbench.csv");
  std::vector<Line> lines;
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with('#') || text.starts_with('m')) continue;
    std::ranges::replace(text, ',', ' ');
    std::istringstream words(text);
    Line line;
    words >> line.shape.m >> line.shape.k >> line.shape.n >> line.ops;
    for (double& seconds : line.seconds) words >> seconds;
    EXPECT_TRUE(words) << text;
    for (double& seconds : line.seconds) seconds *= 1e-6;
    lines.push_back(line);
  }
  return lines;
}

/// The rule of the calibration: square weights, 7000 columns, neither operand transposed.
bool sets_share(const Line& line) {
  return line.ops == "NN" && line.shape.m == line.shape.k && line.shape.n == 7000;
}

double error_of(const Line& line, std::size_t column) {
  const Column& on = kColumns.at(column);
  const GemmModel model = model_gemm(*find_device(on.device), on.format, line.shape);
  return line.seconds.at(column) / model.seconds() - 1;
}

struct Errors {
  std::size_t products = 0;
  double sum = 0;  // of sizes
  double worst = 0;
  GemmShape worst_at = {};

  void add(double error, const GemmShape& shape) {
    ++products;
    sum += std::abs(error);
    if (std::abs(error) <= std::abs(worst)) return;
    worst = error;
    worst_at = shape;
  }
  double mean() const { return sum / static_cast<double>(products); }
};

Errors errors_of(std::size_t column, std::size_t of_class) {
  Errors errors;
  for (const Line& line : deepbench()) {
    if (sets_share(line) || class_of(line.shape) != of_class) continue;
    errors.add(error_of(line, column), line.shape);
  }
  return errors;
}

std::string row_of_docs(const Column& on, std::string_view of_class, const Errors& errors) {
  const GemmShape& at = errors.worst_at;
  return fmt::format("| `{}` {} | {} | {} | {} | {:+.0f} % | {} x {} x {} |", on.device,
                     to_string(on.format), of_class, errors.products, percent(errors.mean()),
                     100 * errors.worst, at.m, at.k, at.n);
}

TEST(HeldOutTest, TheProductsThatSetTheSharesAreThoseOfTheRule) {
  std::vector<std::string> rule;
  const std::vector<Line> lines = deepbench();
  ASSERT_EQ(lines.size(), 160U);
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    for (const Line& line : lines) {
      if (!sets_share(line)) continue;
      rule.push_back(fmt::format("{} {} {} in {:.0f} us", kColumns.at(column).device,
                                 to_string(kColumns.at(column).format), line.shape.m,
                                 1e6 * line.seconds.at(column)));
    }
  }
  std::vector<std::string> used;
  for (const MeasuredProduct& product : measured_products()) {
    if (product.device != "v100" && product.device != "t4") continue;
    EXPECT_EQ(product.shape, (GemmShape{product.shape.m, product.shape.m, 7000}));
    used.push_back(fmt::format("{} {} {} in {:.0f} us", product.device, to_string(product.format),
                               product.shape.m,
                               1e6 * useful_flop(product.shape) / product.flop_per_second));
  }
  EXPECT_EQ(used, rule);
}

TEST(HeldOutTest, TheDocumentationHasTheErrorsOfEachClass) {
  std::stringstream docs;
  docs << std::ifstream(WEFT_SOURCE_DIR "/docs/compare.md").rdbuf();
  std::size_t products = 0;
  double sum = 0;
  for (std::size_t column = 0; column < kColumns.size(); ++column) {
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      const Errors errors = errors_of(column, i);
      const std::string row = row_of_docs(kColumns.at(column), kClasses.at(i), errors);
      EXPECT_NE(docs.str().find(row), std::string::npos) << row;
      products += errors.products;
      sum += errors.sum;
    }
  }
  EXPECT_EQ(products, 640U - 16U);
  const std::string all =
      fmt::format("Over all {} it is {}.", products, percent(sum / static_cast<double>(products)));
  EXPECT_NE(docs.str().find(all), std::string::npos) << all;
}

// The claim of docs/compare.md, from DeepBench's times. T4 boards get too hot for long fp32
// products; their row says so.
TEST(HeldOutTest, WideProductsAreWithinATenthWhereTheBoardKeepsItsClock) {
  for (const std::size_t column : {0U, 1U, 3U}) EXPECT_LT(errors_of(column, 3).mean(), 0.10);
}

}  // namespace
}  // namespace weft::devices
