// A product is a network of one layer: its report has the totals of its result, and the same views.
#include "report/report.h"

#include <gtest/gtest.h>

#include <sstream>
#include <variant>

#include "compiler/emit/matmul.h"
#include "report/page/run_page.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "report/trace/run_trace.h"
#include "runtime/job/one_layer.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

// 5 x 6 x 7 on a 4 x 4 array: K is cut at 4, N at 4, and the five rows are one chunk.
constexpr MatmulSpec kSpec = {5, 6, 7};

struct ProductRun {
  MachineConfig machine = load_preset("tiny");
  TilingPlan plan = plan_matmul(kSpec, machine);
  Program program = lower_matmul(plan, machine);
  Result result = simulate(machine, program, nullptr, {.engine = Engine::kAnalytic});

  RunReport report() const {
    RunReport report = describe_product("matmul", program, plan, result);
    report.machine = machine;
    report.engine = Engine::kAnalytic;
    return report;
  }
};

TEST(ReportTest, AProductIsOneLayerWithTheTotalsOfItsResult) {
  const ProductRun run;
  const RunReport report = run.report();
  ASSERT_EQ(report.run.layers.size(), 1U);
  const runtime::LayerRun& layer = report.run.layers.front();
  EXPECT_EQ(layer.cycles, run.result.total);
  EXPECT_EQ(layer.ledger, run.result.ledger);
  EXPECT_EQ(report.run.total, run.result.total);
  EXPECT_EQ(report.run.ledger, run.result.ledger);
  EXPECT_EQ(report.run.traffic, run.result.traffic);
  EXPECT_EQ(report.run.useful_macs, 5U * 6U * 7U);
  EXPECT_EQ(report.run.issued_macs, 4U * 5U * 16U) << "four tiles, five rows each";
  EXPECT_EQ(report.run.instructions, run.program.code.size());
  EXPECT_EQ(layer.info.tiles.m, (std::vector<std::int64_t>{0, 5}));
  EXPECT_EQ(layer.info.tiles.k, (std::vector<std::int64_t>{0, 4, 6}));
  EXPECT_EQ(layer.info.tiles.n, (std::vector<std::int64_t>{0, 4, 7}));
  EXPECT_EQ(place_of(layer), "array");
}

TEST(ReportTest, FiguresOfAProductFollowFromItsSize) {
  const ProductRun run;
  const RunReport report = run.report();
  const auto total = static_cast<double>(run.result.total);
  EXPECT_DOUBLE_EQ(utilization(report).value_or(0), 210 / (total * 16));
  EXPECT_DOUBLE_EQ(simulated_seconds(report), total / 100e6);
  EXPECT_DOUBLE_EQ(tops(report).value_or(0), 2 * 210 / (total / 100e6) / 1e12);
  EXPECT_EQ(run_title(report), "matmul 5 x 6 x 7 on tiny");
}

TEST(ReportTest, AProgramThatDoesNotSayWhatItComputesHasNoUsefulWork) {
  ProductRun run;
  run.program.computes.reset();
  RunReport report = describe_product("exec", run.program, std::nullopt, run.result);
  report.machine = run.machine;
  EXPECT_FALSE(utilization(report).has_value());
  EXPECT_FALSE(tops(report).has_value());
  EXPECT_EQ(run_title(report), "exec on tiny");
  const Json json = report_json(report);
  EXPECT_TRUE(json.at("workload").is_null());
  EXPECT_TRUE(json.at("plan").is_null());
  EXPECT_TRUE(json.at("macs").at("useful").is_null());
  EXPECT_EQ(json.at("macs").at("issued"), 4 * 5 * 16);
}

TEST(ReportTest, MismatchesOfBothKindsAreSentences) {
  const ProductRun run;
  RunReport report = run.report();
  EXPECT_FALSE(mismatch(report).has_value());
  report.product().check.reference = "cpu";
  report.product().check.mismatch = {1, 2, "3", "4"};
  EXPECT_EQ(mismatch(report), "result [1][2] differs from the cpu reference: expected 3, got 4");
  EXPECT_THROW(report.network(), std::bad_variant_access);

  report.part = NetworkPart{};
  EXPECT_FALSE(mismatch(report).has_value()) << "no check";
  report.network().check.emplace().mismatch = "layer a: wrong";
  EXPECT_EQ(mismatch(report), "layer a: wrong");
  EXPECT_THROW(report.product(), std::bad_variant_access);
}

TEST(ReportTest, EveryViewTakesTheSameReport) {
  const ProductRun run;
  const RunReport report = run.report();
  const compiler::NetworkProgram program = runtime::one_layer(run.program, run.plan);
  const Json page = run_page_data(report, program, "weft matmul 5 6 7");
  EXPECT_EQ(page.at("report"), report_json(report));
  EXPECT_EQ(page.at("tiles").at(0).at("k_edges"), Json({0, 4, 6}));
  EXPECT_EQ(page.at("report").at("cycles").at("total"), run.result.total);
  std::ostringstream trace;
  write_trace(trace, report, program);
  EXPECT_NE(trace.str().find("weft matmul 5 x 6 x 7 on tiny"), std::string::npos);
  EXPECT_NE(report_text(report, Style()).find("matmul     5 x 6 x 7\n"), std::string::npos);
}

}  // namespace
}  // namespace weft::report
