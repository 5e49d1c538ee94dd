// Modelled rows of `weft compare`, and devices of one's own: by hand, and as `weft machines` prints
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "tests/cli/explain/runs.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

using nlohmann::json;

json devices_of(const Words& words) {
  return json_of(Words{"compare"} + words);
}

json device_row(const Words& words) {
  return devices_of(words).at("rows").at(0);
}

// 4096^3 has 16 * 32 tiles of 256 x 128. Waves and times are worked out by hand per device.
TEST(CompareDevicesTest, AModelledRowIsTilesInWaves) {
  const json rows = devices_of({"matmul", "4096", "4096", "4096", "--tile", "256x128", "--with",
                                "titan-rtx,a100"})
                        .at("rows");
  const double tile_flop = 2.0 * 256 * 128 * 4096;
  for (const auto& [row, sms, waves, rate, clock] :
       {std::tuple{rows.at(0), 72, 8, 1024.0, 1.77e9},      // 512 / 72 = 7.1
        std::tuple{rows.at(1), 108, 5, 2048.0, 1.41e9}}) {  // 512 / 108 = 4.7
    EXPECT_EQ(row.at("kind"), "modelled");
    EXPECT_EQ(row.at("dtype"), "fp16");
    EXPECT_EQ(row.at("details").at("units"), sms);
    EXPECT_EQ(row.at("details").at("tiles"), 512);
    EXPECT_EQ(row.at("details").at("waves"), waves);
    EXPECT_NEAR(row.at("details").at("compute_seconds").get<double>(),
                waves * tile_flop / rate / clock, 1e-12);
    EXPECT_TRUE(row.at("max_abs_error").is_null());
    EXPECT_EQ(row.at("details").at("padding"), 0.0);
    EXPECT_NEAR(row.at("waste").get<double>(), 1 - 512.0 / (waves * sms), 1e-12);
  }
}

TEST(CompareDevicesTest, AThinProductIsBoundByMemory) {
  // One row: 4096 * 4096 weights of 2 bytes and the two vectors, at 92.2 % of 1555 GB/s, after a
  // launch of 3 us.
  const json row = device_row({"matmul", "1", "4096", "4096", "--with", "a100"});
  const double bytes = (4096.0 + 4096.0 * 4096 + 4096) * 2;
  EXPECT_DOUBLE_EQ(row.at("seconds").get<double>(), 3e-6 + bytes / (1555e9 * 0.922));
  EXPECT_NE(row.at("basis").get<std::string>().find("bound by memory"), std::string::npos);
}

TEST(CompareDevicesTest, AMachineOfOnesOwnIsADeviceToo) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("my.ini", "[machine]\nname = mine\n[array]\nrows = 8\ncols = 8\n");
  const json row = device_row({"matmul", "8", "8", "8", "--with", file});
  EXPECT_EQ(row.at("details").at("rows"), 8);
  EXPECT_EQ(row.at("kind"), "simulated");
  EXPECT_EQ(row.at("device"), "mine");
  EXPECT_NE(run_weft({"compare", "--help"}).out.find("INI files"), std::string::npos);
}

TEST(CompareDevicesTest, ASmallProductTakesALaunch) {
  // 64^3 is one tile of 524,288 FLOP: 182 ns of one SM at 2048 FLOP per clock of 1410 MHz.
  const json row = device_row({"matmul", "64", "64", "64", "--with", "a100"});
  const json& details = row.at("details");
  EXPECT_NEAR(row.at("seconds").get<double>(), 3e-6 + 524288 / 2048.0 / 1.41e9, 1e-15);
  EXPECT_EQ(details.at("bound"), "launch");
  EXPECT_EQ(details.at("launch_seconds"), 3e-6);
  EXPECT_EQ(details.at("calibration"), "calibrated on 2 products of Ampere");
  EXPECT_NE(row.at("basis").get<std::string>().find("; modelled, calibrated on 2 products"),
            std::string::npos);
}

// The rest of a network's time is launches: one for each node that costs time.
TEST(CompareDevicesTest, ANetworkHasALaunchForEachNode) {
  const json row = device_row({"lenet5", "--with", "l4"});
  const json& details = row.at("details");
  EXPECT_NEAR(details.at("launch_seconds").get<double>(), details.at("nodes").get<double>() * 3e-6,
              1e-12);
  EXPECT_NEAR(row.at("seconds").get<double>(),
              details.at("product_seconds").get<double>() +
                  details.at("traffic_seconds").get<double>() +
                  details.at("launch_seconds").get<double>(),
              1e-12);
}

TEST(CompareDevicesTest, APrintedDeviceIsTheSameDeviceInAFile) {
  const TemporaryFolder folder;
  const Words product = {"matmul", "1000", "2000", "3000"};
  for (const std::string name : {"i7-7700k", "v100", "titan-rtx", "a100", "l4", "h100"}) {
    SCOPED_TRACE(name);
    const Finished printed = run_weft({"machines", "--devices", name});
    ASSERT_EQ(printed.code, 0) << printed.err;
    const std::string file = folder.write(name + ".ini", printed.out);
    const json own = device_row(product + Words{"--with", file});
    const json known = device_row(product + Words{"--with", name});
    EXPECT_EQ(own.at("device"), file);  // the name is taken
    EXPECT_EQ(own.at("title"), known.at("title"));
    EXPECT_EQ(own.at("dtype"), known.at("dtype"));
    EXPECT_EQ(own.at("kind"), "modelled");
    // A file has six decimals of the sustained share.
    EXPECT_NEAR(own.at("seconds").get<double>() / known.at("seconds").get<double>(), 1, 3e-6);
    EXPECT_EQ(own.at("details").at("calibration"),
              "not calibrated by weft: with the shares of its file");
  }
}

TEST(CompareDevicesTest, AnEditedDeviceIsAnotherOne) {
  const TemporaryFolder folder;
  std::string text = run_weft({"machines", "--devices", "a100"}).out;
  const auto replace = [&text](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  replace("name = a100", "name = slow-a100");
  replace("launch_us = 3 ", "launch_us = 30 ");
  const std::string file = folder.write("slow.ini", text);
  const json rows = devices_of({"matmul", "64", "64", "64", "--with", file + ",a100"}).at("rows");
  EXPECT_EQ(rows.at(0).at("device"), "slow-a100");
  EXPECT_NEAR(rows.at(0).at("seconds").get<double>() - rows.at(1).at("seconds").get<double>(),
              27e-6, 1e-12);
}

TEST(CompareDevicesTest, AFileWithANameOfAnotherDeviceIsShownByItsPath) {
  const TemporaryFolder folder;
  std::string text = run_weft({"machines", "--devices", "a100"}).out;
  const std::string line = "name = a100";
  ASSERT_NE(text.find(line), std::string::npos);
  for (const std::string name : {"tpu-v2", "cpu", "h100"}) {
    std::string copy = text;
    copy.replace(copy.find(line), line.size(), "name = " + name);
    const std::string file = folder.write(name + "-own.ini", copy);
    EXPECT_EQ(device_row({"matmul", "8", "8", "8", "--with", file}).at("device"), file);
    EXPECT_EQ(device_row({"matmul", "8", "8", "8", "--with", file + ":fp32"}).at("device"),
              file + ":fp32");
  }
  const std::string machine = folder.write("m.ini", "[machine]\nname = h100\n");
  EXPECT_EQ(device_row({"matmul", "8", "8", "8", "--with", machine}).at("device"), machine);
}

TEST(CompareDevicesTest, TheListHasEveryDeviceAndTheErrorsOfTheModels) {
  const Finished list = run_weft({"machines", "--devices"});
  EXPECT_EQ(list.code, 0) << list.err;
  for (const char* part :
       {"i7-7700k", "titan-rtx", "l4 ", "h200", "calibrated on 4 products of Ada",
        "calibrated on 8 products of Volta", "not calibrated: no published product of Kaby Lake",
        "64 x 12288 x 12288", "left out", "mean error "}) {
    EXPECT_NE(list.out.find(part), std::string::npos) << part << " in\n" << list.out;
  }
}

TEST(CompareDevicesTest, MistakesInADevicesFileAreOneLine) {
  const TemporaryFolder folder;
  const auto expect_refused = [](const Words& words, const std::string& part) {
    const Finished finished = run_weft(words);
    EXPECT_EQ(finished.code, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_TRUE(finished.err.starts_with("weft: ")) << finished.err;
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in: " << finished.err;
  };
  const Words product = {"compare", "matmul", "4", "4", "4", "--with"};
  const std::string bare = folder.write("bare.ini", "[device]\nname = bare\n");
  expect_refused(product + Words{bare}, "device.units, device.usual");
  expect_refused(product + Words{folder.write("empty.ini", "")}, "empty.ini: has no keys");
  expect_refused(product + Words{folder.write("head.ini", "[device]\n")}, "head.ini: has no keys");
  const std::string odd = folder.write("odd.ini", "[device]\nname = odd\n[array]\nrows = 8\n");
  expect_refused(product + Words{odd}, "unknown key 'array.rows' of a device");
  const std::string good = folder.write("l4.ini", run_weft({"machines", "--devices", "l4"}).out);
  expect_refused(product + Words{good, "--csv", good}, "named by both --with and --csv");
  expect_refused(product + Words{good + ":fp4"}, "'fp4' is not a number format");
  expect_refused(product + Words{good + ",l4," + good}, "named twice");
  expect_refused({"matmul", "4", "4", "4", "--machine", good},
                 "describes a device for weft compare --with, not a machine");
  expect_refused(product + Words{"a100,A100"}, "'A100': no such device; did you mean a100?");
  expect_refused(product + Words{"H100"}, "did you mean h100?");
  expect_refused({"machines", "--devices", "a10"}, "did you mean a100?");
  expect_refused({"machines", "--devices", "toaster"}, "there are i7-7700k, v100");
  expect_refused({"machines", "--devices", "--energy"}, "--energy and --devices");
}

}  // namespace
}  // namespace weft::test
