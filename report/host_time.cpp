#include "report/host_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/printable.h"
#include "report/network_report.h"
#include "report/text.h"

namespace weft::report {
namespace {

constexpr unsigned kDecimals = 9;
constexpr double kScale = 1e9;  // 10^kDecimals

// The longer units first, because all end in "s".
constexpr std::array<std::pair<std::string_view, double>, 3> kUnits = {
    {{"ms", 1e-3}, {"us", 1e-6}, {"s", 1}}};

std::optional<double> seconds_of(std::string_view text) {
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto value = parse_decimal(text.substr(0, text.size() - unit.size()), kDecimals);
    if (!value) return std::nullopt;
    return static_cast<double>(*value) / kScale * seconds;
  }
  return std::nullopt;
}

}  // namespace

HostTimeOption parse_host_time(std::string_view text) {
  if (text == "measured") return {};
  if (const auto seconds = seconds_of(text)) return {seconds};
  throw InputError(fmt::format(
      "--host-time {}: must be measured, or a time such as 1.5ms (s, ms or us)", printable(text)));
}

std::size_t host_layers(const NetworkReport& report) {
  return static_cast<std::size_t>(
      std::ranges::count(report.run.layers, true, &runtime::LayerRun::on_host));
}

std::optional<double> host_seconds(const NetworkReport& report) {
  if (host_layers(report) == 0) return 0;
  if (!report.host_time) return std::nullopt;
  if (report.host_time->seconds) return report.host_time->seconds;
  double sum = 0;
  for (const runtime::LayerRun& layer : report.run.layers) sum += layer.host_seconds;
  return sum;
}

std::string throughput_line(const NetworkReport& report) {
  const std::optional<double> host = host_seconds(report);
  const double rate =
      static_cast<double>(report.batch) / (simulated_seconds(report) + host.value_or(0));
  std::string line = fmt::format("{} at batch {}", si(rate, "inferences/s"), report.batch);
  if (!host) return "at most " + line + ", because the time of host layers is not simulated";
  if (host_layers(report) == 0) return line;
  return line + fmt::format(", with {} for the host layers, {}", si(*host, "s"),
                            report.host_time->seconds ? "as given" : "measured on this computer");
}

}  // namespace weft::report
