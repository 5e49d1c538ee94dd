#include "report/page/train_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "report/machine_text.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

/// Averages neighboring steps; each mean stands at the last of its steps.
Json steps_json(std::span<const double> losses) {
  Json steps = Json::array();
  const std::size_t each = (losses.size() + kShownSteps - 1) / kShownSteps;
  for (std::size_t first = 0; first < losses.size(); first += each) {
    const std::span<const double> part =
        losses.subspan(first, std::min(each, losses.size() - first));
    const double sum = std::accumulate(part.begin(), part.end(), 0.0);
    steps.push_back(
        {{"step", first + part.size()}, {"loss", sum / static_cast<double>(part.size())}});
  }
  return steps;
}

std::string place(const TrainReport& report) {
  const runtime::TrainRequest& request = report.request;
  return request.device == runtime::TrainDevice::kSim
             ? machine_title(request.machine, report.machine_file)
             : std::string(to_string(request.device));
}

std::string how(const TrainReport& report) {
  return fmt::format("{} on {}, batch {}, {}, seed {}; {}", to_string(report.request.type),
                     place(report), report.batch, runtime::optimizer_text(report.request.optimizer),
                     report.request.seed, report.data);
}

Json lines(const TrainReport& report) {
  Json list = {how(report)};
  if (report.request.device == runtime::TrainDevice::kSim) {
    list.push_back(fmt::format("{}, engine {}",
                               machine_line(report.request.machine, report.machine_file),
                               to_string(report.request.engine)));
  }
  return list;
}

/// The main results, in words.
Json figures(const TrainReport& report, const Json& epochs) {
  Json list = Json::array();
  if (!epochs.empty()) {
    const auto share = [&](const char* part) {
      return percent(epochs.back()[part]["accuracy"].get<double>());
    };
    list.push_back({{"value", share("test")},
                    {"name", "of the test images right"},
                    {"remark", fmt::format("{} of the training images", share("train"))}});
  }
  if (report.step_cost && report.step_cost->total > 0) {
    const MachineConfig& machine = report.request.machine;
    list.push_back({{"value", grouped(static_cast<std::uint64_t>(report.step_cost->total))},
                    {"name", "cycles per step"},
                    {"remark", cycles_line(report.step_cost->total, machine)}});
  }
  return list;
}

}  // namespace

Json train_page_data(const TrainReport& report) {
  const runtime::TrainRequest& request = report.request;
  Json run = train_json(report);
  if (run["cycles_per_step"].is_object()) {
    run["cycles"] = run["cycles_per_step"];
  }
  Json training = {{"epochs", run["epochs"]}, {"steps", Json::array()}};
  if (report.state != nullptr) training["steps"] = steps_json(report.state->step_losses);
  Json headline = figures(report, run["epochs"]);
  return {{"title", fmt::format("train {} on {}", request.model, place(report))},
          {"command", request.command_line},
          {"lines", lines(report)},
          {"figures", std::move(headline)},
          {"report", std::move(run)},
          {"training", std::move(training)}};
}

}  // namespace weft::report
