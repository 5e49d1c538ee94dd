// Unit tests of `weft compare`: device names, values for all devices, timing, and tables.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "pe/float_formats.h"
#include "report/compare/compare_report.h"
#include "report/page/compare_page.h"
#include "runtime/compare/device_request.h"
#include "runtime/measure/cpu_rates.h"
#include "runtime/measure/product_values.h"
#include "runtime/measure/repeated.h"
#include "runtime/measure/sgemm.h"
#include "tests/cli/temporary_folder.h"

namespace weft::report {
namespace {

using enum devices::NumberFormat;

// --- Names ---------------------------------------------------------------------------------------

std::string refusal(const std::string& list, std::optional<devices::NumberFormat> format = {}) {
  try {
    runtime::parse_devices(list, format);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DeviceRequestTest, NamesAreOfThreeKinds) {
  const auto requests = runtime::parse_devices("tpu-v2,cpu,a100:tf32", std::nullopt);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].kind, runtime::RowKind::kSimulated);
  EXPECT_EQ(requests[0].machine->array_rows, 128U);
  EXPECT_EQ(requests[1].kind, runtime::RowKind::kMeasured);
  EXPECT_EQ(requests[2].kind, runtime::RowKind::kModelled);
  EXPECT_EQ(requests[2].name, "a100:tf32");
  EXPECT_EQ(requests[2].device, "a100");
  EXPECT_EQ(requests[2].format, kTf32);
  EXPECT_EQ(requests[0].format, std::nullopt);
}

TEST(DeviceRequestTest, AFormatOfItsOwnGoesBeforeTheOneForAll) {
  const auto requests = runtime::parse_devices("a100,h100:int8", kTf32);
  EXPECT_EQ(requests[0].format, kTf32);
  EXPECT_EQ(requests[1].format, kInt8);
}

TEST(DeviceRequestTest, UnknownNamesGetTheOneMeantOrAllThereAre) {
  EXPECT_EQ(refusal("titan-rxt"), "--with 'titan-rxt': no such device; did you mean titan-rtx?");
  const std::string all = refusal("banana");
  for (const char* name : {"tiny", "tpu-v2", "cpu", "cuda", "i7-7700k", "h200"}) {
    EXPECT_NE(all.find(name), std::string::npos) << name << " in " << all;
  }
  EXPECT_NE(refusal("a100,,h100").find("empty"), std::string::npos);
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("a100,a100").find("twice"), std::string::npos);
  EXPECT_NE(refusal("a100:int4").find("'int4' is not a number format"), std::string::npos);
  EXPECT_NE(refusal("a100:").find("'' is not a number format"), std::string::npos);
}

TEST(DeviceRequestTest, FormatsThatADeviceLacksAreRefusedWithOneThatItHas) {
  EXPECT_EQ(refusal("v100:bf16"),
            "--with 'v100': cannot multiply bf16, only fp32, fp16; give v100:fp32");
  EXPECT_EQ(refusal("tpu-v1", kFp16),
            "--with 'tpu-v1': cannot multiply fp16, only int8; give tpu-v1:int8");
  EXPECT_EQ(refusal("tpu-v1:int8,v100", kFp16), "accepted");
}

TEST(DeviceRequestTest, FilesAreCalledByTheirMachinesUnlessTwoHaveOneName) {
  const test::TemporaryFolder folder;
  const std::string mine = folder.write("a.ini", "[machine]\nname = mine\n");
  const std::string same = folder.write("b.ini", "[machine]\nname = mine\n");
  const std::string like = folder.write("c.ini", "[machine]\nname = tiny\n");
  const std::string none = folder.write("d.ini", "[array]\nrows = 8\n");
  const auto names = [](const std::string& list) {
    std::vector<std::string> all;
    for (const runtime::DeviceRequest& request : runtime::parse_devices(list, std::nullopt)) {
      all.push_back(request.name);
    }
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(mine), Names{"mine"});
  EXPECT_EQ(names(mine + ":int8"), Names{"mine:int8"});
  EXPECT_EQ(names(none), Names{none});
  EXPECT_EQ(names(mine + "," + same), (Names{mine, same}));
  EXPECT_EQ(names(like + ",tiny"), (Names{like, "tiny"}));
}

// --- Values --------------------------------------------------------------------------------------

constexpr devices::GemmShape kShape = {5, 7, 3};

/// The product of operands changed by `rounded`, computed in float64, loop by loop.
template <class Rounded>
std::vector<double> product(const runtime::ProductValues& values, Rounded rounded) {
  std::vector<double> result(kShape.m * kShape.n);
  for (std::size_t m = 0; m < kShape.m; ++m) {
    for (std::size_t n = 0; n < kShape.n; ++n) {
      for (std::size_t k = 0; k < kShape.k; ++k) {
        result[m * kShape.n + n] +=
            rounded(values.a()[m * kShape.k + k]) * rounded(values.b()[k * kShape.n + n]);
      }
    }
  }
  return result;
}

double exactly(float value) {
  return double{value};
}

TEST(ProductValuesTest, TheErrorIsTheLargestDifferenceFromFloat64) {
  runtime::ProductValues values(kShape, 1, true);
  const std::vector<double> exact = product(values, exactly);
  std::vector<float> result(exact.begin(), exact.end());
  const double rounding = values.largest_error(result).value();
  EXPECT_LE(rounding, 7 * 0x1p-24);
  result[11] += 0.25F;
  result[4] -= 0.125F;
  EXPECT_NEAR(values.largest_error(result).value(), 0.25, 1e-6);
  result[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(values.largest_error(result).value()));
}

TEST(ProductValuesTest, NothingIsComparedUnlessAskedFor) {
  runtime::ProductValues values(kShape, 1, false);
  EXPECT_EQ(values.largest_error(std::vector<float>(15)), std::nullopt);
}

TEST(ProductValuesTest, OperandsAreTheSameNumbersRounded) {
  const runtime::ProductValues values(kShape, 3, true);
  const Matrix bf16 = values.operand(RandomStream::kA, ElementType::kBf16);
  const Matrix int8 = values.operand(RandomStream::kB, ElementType::kInt8);
  for (std::size_t i = 0; i < values.a().size(); ++i) {
    const float rounded = to_float(bf16.at<Bf16>(i / kShape.k, i % kShape.k));
    EXPECT_LE(std::abs(rounded - values.a()[i]), 0x1p-8F * std::abs(values.a()[i]));
  }
  for (std::size_t i = 0; i < values.b().size(); ++i) {
    const double scaled = double{values.b()[i]} * 127;
    const auto quantized = int8.at<std::int8_t>(i / kShape.n, i % kShape.n);
    EXPECT_LE(std::abs(quantized - scaled), 0.5 + 1e-4) << scaled;
  }
}

TEST(ProductValuesTest, SumsOfInt8AreScaledBack) {
  runtime::ProductValues values(kShape, 5, true);
  const std::vector<double> exact = product(values, exactly);
  const std::vector<double> sums =
      product(values, [](float x) { return std::nearbyint(double{x * 127}); });
  Matrix result(ElementType::kInt32, kShape.m, kShape.n);
  double expected = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    result.set(i / kShape.n, i % kShape.n, static_cast<std::int32_t>(sums[i]));
    expected = std::max(expected, std::abs(sums[i] / (127.0 * 127.0) - exact[i]));
  }
  ASSERT_GT(expected, 0);
  EXPECT_NEAR(values.largest_error(result).value(), expected, 1e-12);
  EXPECT_NEAR(values.largest_error(sums, true).value(), expected, 1e-12);
  EXPECT_EQ(values.largest_error(exact, false).value(), 0);
}

TEST(InParallelTest, EveryPartIsVisitedOnce) {
  for (const std::uint64_t count : {1U, 2U, 3U, 7U, 1000U}) {
    std::vector<int> visits(count);
    runtime::in_parallel(count, [&](std::uint64_t first, std::uint64_t part) {
      for (std::uint64_t i = first; i < first + part; ++i) ++visits[i];
    });
    EXPECT_EQ(visits, std::vector<int>(count, 1));
  }
}

// --- Measuring -----------------------------------------------------------------------------------

TEST(SgemmTest, MultipliesWhicheverLibraryThereIs) {
  const runtime::ProductValues values(kShape, 1, true);
  const std::vector<double> exact = product(values, exactly);
  for (const runtime::Sgemm& sgemm : {runtime::find_sgemm(), runtime::reference_sgemm()}) {
    EXPECT_FALSE(sgemm.library.empty());
    std::vector<float> result(exact.size(), 99);
    sgemm.multiply(values.a().data(), values.b().data(), result.data(), kShape);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(double{result[i]}, exact[i], 7 * 7 * 0x1p-24) << sgemm.library;
    }
  }
}

TEST(TimingTest, RepeatsAreCountedAndInOrder) {
  int calls = 0;
  int readings = 0;
  const auto work = [&calls] { ++calls; };
  const auto clock = [&readings] { return std::optional<double>(1e9 + readings++); };
  const runtime::Timing timing = runtime::time_repeated(work, clock, 0);
  EXPECT_EQ(timing.repeats, 3);
  EXPECT_GT(calls, timing.repeats);  // the warm-up is a call too
  EXPECT_EQ(readings, 3);
  EXPECT_EQ(timing.clock_hz, 1e9 + 1);  // the median of three
  EXPECT_LE(timing.fastest, timing.median);
  EXPECT_LE(timing.median, timing.slowest);
  EXPECT_EQ(runtime::time_repeated(
                work, [] { return std::optional<double>(); }, 0)
                .clock_hz,
            std::nullopt);
}

TEST(CpuRatesTest, AreThoseOfAProcessor) {
  const runtime::Processor processor = runtime::this_processor();
  EXPECT_FALSE(processor.name.empty());
  EXPECT_GE(processor.cores, 1U);
  const auto clock = runtime::core_clock_hz();
  const auto unit = runtime::vector_unit();
  ASSERT_EQ(clock.has_value(), unit.has_value());
  if (!clock) GTEST_SKIP() << "no loop is written for this processor";
  EXPECT_GT(*clock, 1e7);
  EXPECT_LT(*clock, 1e10);
  EXPECT_GE(unit->fmas_per_clock, 1U);
  EXPECT_LE(unit->fmas_per_clock, 8U);
  EXPECT_EQ(unit->lanes & (unit->lanes - 1), 0U);
}

// --- Tables --------------------------------------------------------------------------------------

runtime::CompareReport report_of_two() {
  runtime::CompareReport report;
  report.shape = {2, 3, 4};
  report.flop = 48;
  runtime::CompareRow row;
  row.device = "a,\"b\"";
  row.kind = runtime::RowKind::kSimulated;
  row.format = kBf16;
  row.shape = report.shape;
  row.flop = 48;
  row.seconds = 2e-6;
  row.clock_hz = 1e6;
  row.exact_cycles = 2;
  row.peak = 96e6;
  row.waste = 0.25;
  row.max_abs_error = 0.5;
  row.basis = "by hand";
  report.rows.push_back(row);
  runtime::CompareRow bare;
  bare.device = "bare";
  bare.kind = runtime::RowKind::kMeasured;
  bare.shape = report.shape;
  bare.flop = 48;
  bare.seconds = 1;
  report.rows.push_back(bare);
  return report;
}

TEST(CompareRowTest, FiguresFollowFromTimeAndClock) {
  runtime::CompareRow row = report_of_two().rows[0];
  EXPECT_DOUBLE_EQ(row.flop_per_second().value(), 24e6);
  EXPECT_DOUBLE_EQ(row.share_of_peak().value(), 0.25);
  EXPECT_EQ(row.cycles(), 2U);
  row.exact_cycles.reset();
  row.clock_hz = 1.75e6;
  EXPECT_EQ(row.cycles(), 4U);  // 3.5
  row.clock_hz.reset();
  EXPECT_EQ(row.cycles(), std::nullopt);
}

TEST(CompareReportTest, CsvQuotesNamesAndLeavesOutWhatARowDoesNotHave) {
  EXPECT_EQ(compare_csv(report_of_two()),
            "device,kind,dtype,workload,m,k,n,seconds,cycles,clock_hz,tflops,peak_tflops,"
            "share_of_peak,waste,max_abs_error,batch,sequence,kv_cache\n"
            "\"a,\"\"b\"\"\",simulated,bf16,matmul,2,3,4,2e-06,2,1000000,2.4e-05,9.6e-05,0.25,"
            "0.25,0.5,,,\n"
            "bare,measured,fp32,matmul,2,3,4,1,,,4.8e-11,,,,,,,\n");
}

TEST(CompareReportTest, JsonHasNullForWhatARowDoesNotHave) {
  runtime::CompareReport report = report_of_two();
  report.rows[0].max_abs_error = std::numeric_limits<double>::quiet_NaN();
  const Json json = compare_json(report);
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_TRUE(json.at("sweep").is_null());
  EXPECT_TRUE(json.at("rows")[0].at("max_abs_error").is_null());
  EXPECT_EQ(json.at("rows")[0].at("share_of_peak"), 0.25);
  for (const char* key : {"clock_hz", "cycles", "peak_tflops", "share_of_peak", "waste"}) {
    EXPECT_TRUE(json.at("rows")[1].at(key).is_null()) << key;
  }
}

TEST(CompareReportTest, ARowOfWhichNothingRanHasNoFigures) {
  runtime::CompareReport report = report_of_two();
  report.rows.resize(1);
  runtime::CompareRow& row = report.rows[0];
  row.device = "idle";
  row.flop = 0;
  row.peak = 130.464e12;
  row.seconds.reset();
  row.exact_cycles.reset();
  row.waste.reset();
  row.max_abs_error.reset();
  EXPECT_EQ(row.cycles(), std::nullopt);
  EXPECT_EQ(row.flop_per_second(), std::nullopt);
  EXPECT_EQ(row.share_of_peak(), std::nullopt);
  EXPECT_TRUE(compare_json(report).at("rows")[0].at("seconds").is_null());
  EXPECT_TRUE(compare_json(report).at("rows")[0].at("tflops").is_null());
  EXPECT_TRUE(
      compare_csv(report).ends_with("\nidle,simulated,bf16,matmul,2,3,4,,,1000000,,"
                                    "130.464,,,,,,\n"))
      << compare_csv(report);
  const std::string text = compare_text(report, Style());
  EXPECT_NE(text.find("bf16     -       -  1 MHz        -  130.5        -      -      -  [1]"),
            std::string::npos)
      << text;
}

TEST(CompareReportTest, ThePageListsTheLongest300AndCountsTheRest) {
  runtime::CompareReport report = report_of_two();
  report.imports.resize(2);
  for (int i = 303; i > 0; --i) {
    report.imports[0].unmatched.push_back({"gpu", "k", "", 1, static_cast<double>(i)});
    if (i <= 300) report.imports[1].unmatched.push_back({"gpu", "k", "", 1, 1.0});
  }
  const Json page = compare_page_data(report, "weft compare");
  const Json& imports = page.at("compare").at("imports");
  ASSERT_EQ(imports[0].at("unmatched").size(), 300U);
  EXPECT_EQ(imports[0].at("unmatched")[0].at("seconds"), 303);
  EXPECT_EQ(imports[0].at("unmatched")[299].at("seconds"), 4);
  EXPECT_EQ(imports[0].at("unmatched_left"), 3);
  EXPECT_EQ(imports[0].at("unmatched_left_seconds"), 6);
  EXPECT_EQ(imports[1].at("unmatched").size(), 300U);
  EXPECT_FALSE(imports[1].contains("unmatched_left"));
}

TEST(CompareReportTest, TheLegendHasTheKindsThatOccur) {
  runtime::CompareReport report = report_of_two();
  const std::string two = compare_text(report, Style());
  EXPECT_NE(two.find("\nsimulated: by weft's machine; measured: on this computer\n"),
            std::string::npos)
      << two;
  EXPECT_EQ(two.find("idle"), std::string::npos) << two;
  report.rows.resize(1);
  report.rows[0].kind = runtime::RowKind::kModelled;
  const std::string one = compare_text(report, Style());
  EXPECT_NE(one.find("\nmodelled: from published figures\nwaste: padding, and in modelled rows "
                     "units that are idle in the last wave; error"),
            std::string::npos)
      << one;
}

TEST(CompareReportTest, TheTextSaysOfEachRowWhatItIs) {
  const std::string text = compare_text(report_of_two(), Style());
  EXPECT_NE(text.find("matmul     2 x 3 x 4, 48.0 FLOP"), std::string::npos) << text;
  EXPECT_NE(text.find("a,\"b\"   simulated  bf16"), std::string::npos) << text;
  EXPECT_NE(text.find("bare    measured   fp32   1.00 s       -"), std::string::npos) << text;
  EXPECT_NE(text.find("[1] by hand"), std::string::npos) << text;
}

}  // namespace
}  // namespace weft::report
