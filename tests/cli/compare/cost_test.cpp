// The columns of `weft compare` for --energy and --price-per-hour: those of the other commands, and
// arithmetic by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/cli/explain/runs.h"

namespace weft::test {
namespace {

using nlohmann::json;

TEST(CompareCostTest, ASimulatedRowHasTheAreaOfItsRun) {
  const Words product = {"matmul", "65", "130", "33"};
  const json rows = json_of(Words{"compare"} + product +
                            Words{"--with", "tiny,tpu-v1,tpu-v2,a100", "--energy", "own"})
                        .at("rows");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto machine = rows.at(i).at("device").get<std::string>();
    const json run = json_of(product + Words{"--machine", machine, "--energy", "own"});
    EXPECT_EQ(rows.at(i).at("array_mm2"), run.at("energy").at("array_mm2")) << machine;
    EXPECT_GT(rows.at(i).at("array_mm2").get<double>(), 0) << machine;
  }
  EXPECT_TRUE(rows.at(3).at("array_mm2").is_null());
  EXPECT_FALSE(json_of(Words{"compare"} + product + Words{"--with", "tiny"})
                   .at("rows")
                   .at(0)
                   .contains("array_mm2"));
}

TEST(CompareCostTest, AMillionRunsCostThePriceOfTheirTime) {
  const Words words = {"compare", "matmul", "65", "130", "33", "--with", "tiny,tpu-v2,a100"};
  const std::array<double, 3> prices = {1.2, 0, 3.5};
  const json rows = json_of(words + Words{"--price-per-hour", "1.2,0,3.5"}).at("rows");
  for (std::size_t i = 0; i < prices.size(); ++i) {
    const double seconds = rows.at(i).at("seconds");
    EXPECT_EQ(rows.at(i).at("price_per_hour"), prices.at(i));
    EXPECT_NEAR(rows.at(i).at("price_per_million").get<double>(),
                prices.at(i) / 3600 * seconds * 1e6, 1e-12);
    EXPECT_FALSE(rows.at(i).contains("joules"));
  }
  const json one = json_of(words + Words{"--price-per-hour", "2"}).at("rows");
  for (const json& row : one) EXPECT_EQ(row.at("price_per_hour"), 2);
  // Eight inferences share the time of a batch.
  const json network =
      json_of({"compare", "lenet5", "--batch", "8", "--with", "a100", "--price-per-hour", "2"})
          .at("rows")
          .at(0);
  EXPECT_NEAR(network.at("price_per_million").get<double>(),
              2.0 / 3600 * network.at("seconds").get<double>() / 8 * 1e6, 1e-12);
}

// TPU v1 at 28 nm: 256 x 256 PEs of 707 gates of 0.4541 um2 and 66 flip-flops of 2.248 um2, and
// 256 * 255 / 2 registers of 8 bits on the left, and as many of 8 and of 32 bits above and below.
TEST(CompareCostTest, TextAndCsvHaveEnergyAreaAndPrice) {
  const Words words = {"compare", "matmul",           "64",          "64",
                       "64",      "--with",           "tpu-v1,a100", "--energy",
                       "own",     "--price-per-hour", "36"};
  const std::string text = run_weft(words).out;
  for (const char* part : {"energy", "power", "area", " price", "34.3 mm2", "400 W",
                           "price: of a million runs, at 36 an hour\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  const std::string csv = run_weft(words + Words{"--csv", "-"}).out;
  EXPECT_NE(csv.find(",joules,watts,array_mm2,price_per_hour,price_per_million,batch,"
                     "sequence,kv_cache\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",400,,36,"), std::string::npos) << csv;  // a100: its board, and no area
}

TEST(CompareCostTest, WrongPricesAreOneLine) {
  const auto expect_refused = [](const std::string& prices, const std::string& message) {
    const Finished finished = run_weft(
        {"compare", "matmul", "4", "4", "4", "--with", "a100", "--price-per-hour", prices});
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find(message), std::string::npos) << finished.err;
  };
  expect_refused("1,2", "--price-per-hour '1,2': 2 prices, but --with has 1 device");
  for (const char* prices : {"free", "-1", ",", "1,", ""}) {
    expect_refused(prices, "must be a number from 0");
  }
}

}  // namespace
}  // namespace weft::test
