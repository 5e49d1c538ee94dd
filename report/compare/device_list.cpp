#include "report/compare/device_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/figures.h"
#include "base/printable.h"
#include "base/similar.h"
#include "models/devices/calibration.h"
#include "models/devices/device_ini.h"

namespace weft::report {
namespace {

using devices::CalibrationRow;
using devices::DeviceModel;
using devices::NumberFormat;

std::string tera(double flop_per_second) {
  if (flop_per_second == 0) return "-";
  return fmt::format("{:.4g}", flop_per_second / 1e12);
}

std::string signed_percent(double share) {
  const double percent = std::round(1000 * share) / 10;
  return fmt::format("{:+.1f} %", percent == 0 ? 0.0 : percent);
}

std::string device_table(const Style& style) {
  Table table("lrrrrrrl");
  table.add({"device", "units", "fp32", "fp16", "GB/s", "launch", "sustained", ""});
  for (const DeviceModel& device : devices::devices()) {
    table.add({device.name, fmt::to_string(device.units), tera(device.peak(NumberFormat::kFp32)),
               tera(device.peak(NumberFormat::kFp16)), fmt::format("{}", device.memory_gb_per_s),
               device.launch_us > 0 ? si(device.launch_us * 1e-6, "s") : "-",
               percent(device.sustained_share), devices::calibration_note(device)});
  }
  const std::string all = table.text(0);
  const std::size_t first = all.find('\n');
  return style.bold(all.substr(0, first)) + all.substr(first);
}

std::string product_text(const devices::MeasuredProduct& product) {
  return fmt::format("{} x {} x {}", product.shape.m, product.shape.k, product.shape.n);
}

std::string calibration_table(const std::vector<CalibrationRow>& rows, const Style& style) {
  Table table("lllrrrr");
  table.add({"device", "type", "product", "measured", "modelled", "error", "left out"});
  for (const CalibrationRow& row : rows) {
    table.add({std::string(row.product.device), std::string(to_string(row.product.format)),
               product_text(row.product), tera(row.product.flop_per_second), tera(row.modelled),
               signed_percent(row.error()), signed_percent(row.left_out_error())});
  }
  const std::string all = table.text(0);
  const std::size_t first = all.find('\n');
  return style.bold(all.substr(0, first)) + all.substr(first);
}

template <class Error>
double mean_size(const std::vector<CalibrationRow>& rows, Error error) {
  double sum = 0;
  for (const CalibrationRow& row : rows) sum += std::abs(error(row));
  return sum / static_cast<double>(rows.size());
}

}  // namespace

std::string device_list(const Style& style) {
  const std::vector<CalibrationRow> rows = devices::calibration();
  const double error = mean_size(rows, [](const auto& row) { return row.error(); });
  const double left_out = mean_size(rows, [](const auto& row) { return row.left_out_error(); });
  return device_table(style) +
         style.dim(
             "fp32, fp16: peaks in TFLOP/s; sustained: share of the peak that a long product "
             "reaches") +
         "\n\n" + calibration_table(rows, style) +
         style.dim("TFLOP/s; left out: the error of a model that does not know this product") +
         fmt::format("\nmean error {}; {} with each product left out in turn\n", percent(error),
                     percent(left_out));
}

std::string device_ini(std::string_view name) {
  if (const DeviceModel* device = devices::find_device(name)) return devices::to_ini(*device);
  std::vector<std::string> names;
  for (const DeviceModel& device : devices::devices()) names.push_back(device.name);
  const std::string meant = most_similar(name, names);
  throw InputError(fmt::format("{}: no such device; {}", printable(name),
                               meant.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                             : fmt::format("did you mean {}?", meant)));
}

}  // namespace weft::report
