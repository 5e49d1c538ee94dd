#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/compare/compare_report.h"
#include "report/machine_text.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

constexpr const char* kNone = "-";

/// Three significant digits, or all digits of a large number: "0.0832", "98.0", "312", "1979".
std::string three_digits(double value) {
  if (value < 0.9995) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : (value < 99.95 ? 1 : 0));
}

std::string tera(const std::optional<double>& flop_per_second) {
  return flop_per_second ? three_digits(*flop_per_second / 1e12) : kNone;
}

/// One digit more than three_digits(), as peaks are published: "130.5", "989.4".
std::string peak_text(const std::optional<double>& flop_per_second) {
  if (!flop_per_second) return kNone;
  const double value = *flop_per_second / 1e12;
  if (value < 0.99995) return fmt::format("{:.4g}", value);
  return fmt::format("{:.{}f}", value, value < 9.9995 ? 3 : (value < 99.995 ? 2 : 1));
}

std::string clock_text(const std::optional<double>& hz) {
  return hz ? fmt::format("{:.0f} MHz", *hz / 1e6) : kNone;
}

std::string share_text(const std::optional<double>& share) {
  return share ? percent(*share) : kNone;
}

std::vector<std::string> cells_of(const runtime::CompareRow& row) {
  const auto cycles = row.cycles();
  return {row.device,
          std::string(to_string(row.kind)),
          row.format ? std::string(row.format_name()) : kNone,
          row.seconds ? si(*row.seconds, "s") : kNone,
          cycles ? grouped(*cycles) : kNone,
          clock_text(row.clock_hz),
          tera(row.flop_per_second()),
          peak_text(row.peak),
          share_text(row.share_of_peak()),
          share_text(row.waste),
          row.max_abs_error ? fmt::format("{:.1e}", *row.max_abs_error) : kNone};
}

void add_energy_cells(const runtime::CompareRow& row, std::vector<std::string>& cells) {
  const auto watts = row.watts();
  cells.push_back(row.joules ? si(*row.joules, "J") : kNone);
  cells.push_back(watts ? si(*watts, "W") : kNone);
  cells.push_back(row.area_mm2 ? fmt::format("{:.3g} mm2", *row.area_mm2) : kNone);
}

std::string price_cell(const runtime::CompareRow& row) {
  const auto price = row.price_of_million();
  return price ? fmt::format("{:.4g}", *price) : kNone;
}

std::string device_table(const runtime::CompareReport& report, const Style& style) {
  std::vector<std::string> heading = {"device",  "kind", "type",    "time",  "cycles", "clock",
                                      "TFLOP/s", "peak", "of peak", "waste", "error"};
  if (report.energy) heading.insert(heading.end(), {"energy", "power", "area"});
  if (report.price) heading.emplace_back("price");
  Table table("lll" + std::string(heading.size() - 3, 'r') + 'l');
  heading.emplace_back();
  table.add(std::move(heading));
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    std::vector<std::string> cells = cells_of(report.rows[i]);
    if (report.energy) add_energy_cells(report.rows[i], cells);
    if (report.price) cells.push_back(price_cell(report.rows[i]));
    cells.push_back(fmt::format("[{}]", i + 1));
    table.add(std::move(cells));
  }
  const std::string all = table.text(0);
  const std::size_t first = all.find('\n');
  return style.bold(all.substr(0, first)) + all.substr(first);
}

bool has_kind(const runtime::CompareReport& report, runtime::RowKind kind) {
  return std::ranges::find(report.rows, kind, &runtime::CompareRow::kind) != report.rows.end();
}

/// Explains the kinds of rows in the report.
std::string kinds_line(const runtime::CompareReport& report) {
  std::vector<std::string> kinds;
  const auto add = [&](runtime::RowKind kind, const char* what) {
    if (has_kind(report, kind)) kinds.push_back(fmt::format("{}: {}", to_string(kind), what));
  };
  add(runtime::RowKind::kSimulated, "by weft's machine");
  add(runtime::RowKind::kMeasured, "on this computer");
  add(runtime::RowKind::kModelled, "from published figures");
  add(runtime::RowKind::kImported, "from a file, measured elsewhere");
  return fmt::format("{}", fmt::join(kinds, "; "));
}

std::string price_legend(const runtime::CompareReport& report) {
  std::vector<std::string> prices;
  for (const runtime::CompareRow& row : report.rows) {
    const std::string price = fmt::format("{:.6g}", row.price_per_hour.value_or(0));
    if (std::ranges::find(prices, price) == prices.end()) prices.push_back(price);
  }
  const bool one = prices.size() == 1;
  return fmt::format("price: of a million {}, {}", report.network ? "inferences" : "runs",
                     one ? fmt::format("at {} an hour", prices.front())
                         : "at the price that --price-per-hour gives each device");
}

std::vector<std::string> cost_legend(const runtime::CompareReport& report) {
  std::vector<std::string> lines;
  if (report.energy) {
    lines.emplace_back(
        "energy: of simulated rows events and static power, with the memory outside");
    if (has_kind(report, runtime::RowKind::kModelled)) {
      lines.emplace_back(
          "        of modelled rows the board's rated power times the time, an upper bound");
    }
    lines.emplace_back(
        "area: gates and flip-flops of a simulated array, without wires and memories");
  }
  if (report.price) lines.push_back(price_legend(report));
  return lines;
}

std::string legend(const runtime::CompareReport& report, const Style& style) {
  const std::string columns =
      fmt::format("waste: padding{}; error: the largest difference from float64",
                  has_kind(report, runtime::RowKind::kModelled)
                      ? ", and in modelled rows units that are idle in the last wave"
                      : "");
  std::string text = style.dim(kinds_line(report)) + '\n' + style.dim(columns) + '\n';
  for (const std::string& line : cost_legend(report)) text += style.dim(line) + '\n';
  return text;
}

std::string notes(const runtime::CompareReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    text += fmt::format("[{}] {}\n", i + 1, report.rows[i].basis);
  }
  return text;
}

// --- Imports -------------------------------------------------------------------------------------

std::string unmatched_text(const runtime::UnmatchedTime& time) {
  constexpr std::size_t kLongestName = 40;
  std::string name =
      time.name.size() <= kLongestName ? time.name : time.name.substr(0, kLongestName) + "...";
  if (!time.operands.empty()) name += (name.empty() ? "" : " ") + time.operands;
  return fmt::format("{} {}{}", name, si(time.seconds, "s"),
                     time.count == 1 ? "" : fmt::format(" ({})", grouped(time.count)));
}

/// The longest, and how much the others are.
std::string unmatched_line(const runtime::ImportedFile& file) {
  constexpr std::size_t kListed = 4;
  std::vector<std::string> shown;
  double rest = 0;
  for (const runtime::UnmatchedTime& time : file.unmatched) {
    if (shown.size() < kListed) {
      shown.push_back(unmatched_text(time));
    } else {
      rest += time.seconds;
    }
  }
  std::string text = fmt::format("  not matched: {}", fmt::join(shown, ", "));
  if (file.unmatched.size() <= kListed) return text;
  return text + fmt::format("; and {} more with {} (--json has all)",
                            grouped(file.unmatched.size() - kListed), si(rest, "s"));
}

/// "trace.json, a trace of PyTorch's profiler: 70.0 % of its 110 us matched".
std::string matched_line(const runtime::ImportedFile& file) {
  const double all = file.seconds();
  const std::string share = percent(all > 0 ? file.matched_seconds() / all : 1);
  const std::string of = file.of_rows ? fmt::format("of the {} of its imported rows", si(all, "s"))
                                      : fmt::format("of its {}", si(all, "s"));
  const std::string by =
      file.recorded_in.empty() ? "" : fmt::format(", recorded in {}", file.recorded_in);
  return fmt::format("{}, {}{}: {} {} matched", file.file, file.format, by, share, of);
}

/// How much of the time in each file the rows show, and what they do not.
std::string imports_text(const runtime::CompareReport& report, const Style& style) {
  std::string text;
  for (const runtime::ImportedFile& file : report.imports) {
    text += style.dim(matched_line(file)) + '\n';
    if (!file.unmatched.empty()) text += style.dim(unmatched_line(file)) + '\n';
    for (const std::string& note : file.notes) text += style.dim("  " + note) + '\n';
  }
  return text;
}

/// Each size has one row per device.
std::size_t device_count(const runtime::CompareReport& report) {
  return report.rows.size() / report.sweep->sizes.size();
}

/// TFLOP/s with one line per size and one column per device.
std::string sweep_table(const runtime::CompareReport& report, const Style& style) {
  const std::size_t devices = device_count(report);
  Table table(std::string(devices + 1, 'r'));
  std::vector<std::string> names = {std::string(1, report.sweep->dimension)};
  std::vector<std::string> kinds = {""};
  for (std::size_t i = 0; i < devices; ++i) {
    names.push_back(report.rows[i].device);
    kinds.emplace_back(to_string(report.rows[i].kind));
  }
  table.add(names);
  table.add(kinds);
  for (std::size_t at = 0; at < report.sweep->sizes.size(); ++at) {
    std::vector<std::string> cells = {grouped(report.sweep->sizes[at])};
    for (std::size_t i = 0; i < devices; ++i) {
      cells.push_back(tera(report.rows[at * devices + i].flop_per_second()));
    }
    table.add(std::move(cells));
  }
  const std::string all = table.text(0);
  const std::size_t first = all.find('\n');
  return style.bold(all.substr(0, first)) + all.substr(first) +
         style.dim("TFLOP/s; --csv, --json and --html have the rest") + '\n';
}

}  // namespace

std::string compared_text(const runtime::CompareReport& report) {
  if (report.network) {
    std::string text = fmt::format("{}, batch {}", report.network->name, report.network->batch);
    if (report.network->sequence) text += fmt::format(", sequence {}", *report.network->sequence);
    if (report.network->kv_cache) text += fmt::format(", cache {}", *report.network->kv_cache);
    return text;
  }
  if (!report.sweep) {
    return fmt::format("{} x {} x {}", report.shape.m, report.shape.k, report.shape.n);
  }
  const runtime::ComparedSweep& sweep = *report.sweep;
  const auto size = [&](char name, std::uint64_t value) {
    return name == sweep.dimension ? std::string(1, name) : fmt::to_string(value);
  };
  return fmt::format("{} x {} x {} for {} from {} to {}", size('m', report.shape.m),
                     size('k', report.shape.k), size('n', report.shape.n), sweep.dimension,
                     sweep.sizes.front(), sweep.sizes.back());
}

std::string compare_text(const runtime::CompareReport& report, const Style& style) {
  std::string what = compared_text(report);
  if (!report.sweep) what += fmt::format(", {}", si(report.flop, "FLOP"));
  std::string text = labeled_line(report.network ? "network" : "matmul", what, style) + '\n';
  if (report.sweep) return text + sweep_table(report, style) + imports_text(report, style);
  return text + device_table(report, style) + legend(report, style) + notes(report) +
         imports_text(report, style);
}

}  // namespace weft::report
