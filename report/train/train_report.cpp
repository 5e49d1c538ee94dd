#include "report/train/train_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/machine_json.h"
#include "report/machine_text.h"
#include "report/report_json.h"
#include "report/report_text.h"

namespace weft::report {
namespace {

using training::EpochRecord;

bool simulated(const TrainReport& report) {
  return report.request.device == runtime::TrainDevice::kSim;
}

std::string how_line(const TrainReport& report) {
  const runtime::TrainRequest& request = report.request;
  return fmt::format("{}; {} on {}; seed {}", runtime::optimizer_text(request.optimizer),
                     to_string(request.type), to_string(request.device), request.seed);
}

std::string column_names(const TrainReport& report) {
  return fmt::format("epoch    steps       loss  accuracy  test loss  test acc.{}     time\n",
                     simulated(report) ? "  cycles/step" : "");
}

std::string field(double value) {
  return fmt::format("{}", value);
}

std::string csv_line(const EpochRecord& record) {
  std::string line = fmt::format("{},{},{},{},{},{},{}", record.epoch, record.step,
                                 field(record.train_loss), field(record.train_accuracy),
                                 field(record.test_loss), field(record.test_accuracy),
                                 record.loss_scale == 0 ? "" : field(record.loss_scale));
  const auto add = [&](const std::string& name) {
    const auto found = record.cycles.find(name);
    line += found == record.cycles.end() ? "," : fmt::format(",{}", found->second);
  };
  add("total");
  for (const LedgerClass& entry : kLedgerClasses) add(std::string(entry.name));
  return line + fmt::format(",{:.6f}\n", record.seconds);
}

Json options_json(const runtime::TrainRequest& request) {
  const training::OptimizerOptions& optimizer = request.optimizer;
  return {{"name", to_string(optimizer.method)},
          {"learning_rate", optimizer.learning_rate},
          {"momentum", optimizer.momentum},
          {"nesterov", optimizer.nesterov},
          {"weight_decay", optimizer.weight_decay}};
}

Json epochs_json(const TrainReport& report) {
  Json epochs = Json::array();
  if (report.measured) epochs.push_back(epoch_json(*report.measured));
  if (report.state == nullptr) return epochs;
  for (const EpochRecord& record : report.state->log) epochs.push_back(epoch_json(record));
  return epochs;
}

/// Lists the layers that the machine left to the host, and why.
std::string host_lines(const runtime::PassCost& cost, const Style& style) {
  constexpr std::size_t kMost = 4;
  const std::vector<std::string>& layers = cost.host_layers;
  if (layers.empty()) return "";
  std::string text = labeled_line(
      "on host", fmt::format("{}, whose time is not simulated", counted(layers.size(), "layer")),
      style);
  for (std::size_t i = 0; i < std::min(layers.size(), kMost); ++i) {
    text += labeled_line("", layers[i], style);
  }
  if (layers.size() > kMost) {
    text +=
        labeled_line("", fmt::format("... {} more; --json has all", layers.size() - kMost), style);
  }
  return text;
}

}  // namespace

std::string train_heading(const TrainReport& report, const Style& style) {
  std::string text;
  const auto add = [&](std::string_view label, const std::string& value) {
    text += labeled_line(label, value, style);
  };
  if (simulated(report)) text += machine_text(report.request.machine, report.machine_file, style);
  add("network", fmt::format("{}, batch {}, {} parameters", report.request.model, report.batch,
                             grouped(report.parameters)));
  add("data", fmt::format("{}: {} images to train, {} to test", report.data,
                          grouped(static_cast<std::uint64_t>(report.train_images)),
                          grouped(static_cast<std::uint64_t>(report.test_images))));
  if (!report.measured) add("training", how_line(report));
  if (report.measured) {
    add("measured",
        fmt::format("{} on {}", to_string(report.request.type), to_string(report.request.device)));
  }
  if (report.resumed_at > 0) {
    const bool done = report.state->epoch >= report.request.epochs;
    add("resumed", fmt::format("after step {}{}", grouped(report.resumed_at),
                               done ? "; all requested epochs are done" : ""));
  }
  return text + '\n' + column_names(report);
}

std::string epoch_line(const TrainReport& report, const EpochRecord& record) {
  const auto cycles = record.cycles.find("total");
  const std::string simulated_cycles =
      cycles == record.cycles.end() ? "" : fmt::format("  {:>11}", grouped(cycles->second));
  return fmt::format(
      "{:>5}  {:>7}  {:>9.4g}  {:>8}  {:>9.4g}  {:>9}{}  {:>7}\n", record.epoch,
      grouped(record.step), record.train_loss, percent(record.train_accuracy), record.test_loss,
      percent(record.test_accuracy),
      simulated(report) && simulated_cycles.empty() ? std::string(13, ' ') : simulated_cycles,
      si(record.seconds, "s"));
}

std::string train_summary(const TrainReport& report, const Style& style) {
  std::string text = "\n";
  if (report.step_cost && report.step_cost->total > 0) {
    text +=
        labeled_line("a step", cycles_line(report.step_cost->total, report.request.machine), style);
    text += ledger_text(report.step_cost->ledger);
    text += labeled_line("crit. path", critical_path_text(report.step_cost->path), style);
    if (report.step_cost->bound.cycles > 0) {
      text += labeled_line("bound", bound_line(report.step_cost->bound, report.step_cost->total),
                           style);
    }
  }
  if (report.step_cost) text += host_lines(*report.step_cost, style);
  if (report.state != nullptr && report.state->loss_scale.skipped > 0) {
    text += labeled_line("loss scale",
                         fmt::format("{:g} at the end; {} skipped because of overflow",
                                     report.state->loss_scale.factor,
                                     counted(report.state->loss_scale.skipped, "step")),
                         style);
  }
  if (report.request.save) text += labeled_line("saved", *report.request.save, style);
  text += labeled_line("time", si(report.wall_seconds, "s"), style);
  return text;
}

std::string log_csv(const std::vector<EpochRecord>& log) {
  std::string text =
      "epoch,step,train_loss,train_accuracy,test_loss,test_accuracy,loss_scale,cycles_per_step";
  for (const LedgerClass& entry : kLedgerClasses) text += fmt::format(",{}", entry.name);
  text += ",seconds\n";
  for (const EpochRecord& record : log) text += csv_line(record);
  return text;
}

Json epoch_json(const EpochRecord& record) {
  Json cycles = nullptr;
  if (!record.cycles.empty()) {
    cycles = {{"total", record.cycles.at("total")}};
    for (const LedgerClass& entry : kLedgerClasses) {
      cycles[std::string(entry.name)] = record.cycles.at(std::string(entry.name));
    }
  }
  return {{"epoch", record.epoch},
          {"step", record.step},
          {"train", {{"loss", record.train_loss}, {"accuracy", record.train_accuracy}}},
          {"test", {{"loss", record.test_loss}, {"accuracy", record.test_accuracy}}},
          {"loss_scale", record.loss_scale == 0 ? Json(nullptr) : Json(record.loss_scale)},
          {"cycles_per_step", std::move(cycles)},
          {"seconds", record.seconds}};
}

Json train_json(const TrainReport& report) {
  const runtime::TrainRequest& request = report.request;
  return {
      {"schema", 1},
      {"command", "train"},
      {"backend", to_string(request.device)},
      {"engine", simulated(report) ? Json(to_string(request.engine)) : Json(nullptr)},
      {"machine", simulated(report) ? described_machine_json(request.machine, report.machine_file)
                                    : Json(nullptr)},
      {"workload",
       {{"network", request.model},
        {"parameters", report.parameters},
        {"batch", report.batch},
        {"dtype", to_string(request.type)},
        {"optimizer", options_json(request)},
        {"seed", request.seed},
        {"steps_per_epoch", report.steps_per_epoch}}},
      {"data",
       {{"name", report.data}, {"train", report.train_images}, {"test", report.test_images}}},
      {"epochs", epochs_json(report)},
      {"cycles_per_step", report.step_cost && report.step_cost->total > 0
                              ? cycles_json(report.step_cost->total, report.step_cost->ledger)
                              : Json(nullptr)},
      {"critical_path", report.step_cost && report.step_cost->total > 0
                            ? critical_path_json(report.step_cost->path)
                            : Json(nullptr)},
      {"bound", report.step_cost ? bound_json(report.step_cost->bound, report.step_cost->total)
                                 : Json(nullptr)},
      {"host_layers", report.step_cost ? Json(report.step_cost->host_layers) : Json::array()},
      {"skipped_steps", report.state == nullptr ? 0 : report.state->loss_scale.skipped},
      {"saved", or_null(request.save)},
      {"simulator", {{"wall_seconds", report.wall_seconds}}}};
}

}  // namespace weft::report
