#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "report/report_text.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

std::string cycles_text(Cycle cycles) {
  return grouped(static_cast<std::uint64_t>(cycles));
}

/// Fewer cycles are a win: "12,345"; more are "-12,345".
std::string win_text(Cycle win) {
  return (win < 0 ? "-" : "") + cycles_text(std::abs(win));
}

std::string remark(const runtime::BetterKey& better) {
  std::vector<std::string> parts;
  if (better.is_assumed) parts.emplace_back("assumed");
  if (better.recompiled) parts.emplace_back("compiled again");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string sensitivity_text(const runtime::Sensitivity& sensitivity, const Style& style) {
  Table table("lrrrrrl");
  table.add({"key", "from", "to", "cycles", "won", "time", ""});
  std::vector<std::string> same;
  for (const runtime::BetterKey& better : sensitivity.keys) {
    if (better.cycles == sensitivity.cycles && better.time_change == 0) {
      same.push_back(better.key);
      continue;
    }
    table.add({better.key, better.from, better.to, cycles_text(better.cycles),
               win_text(sensitivity.cycles - better.cycles),
               fmt::format("{:+.2f} %", 100 * better.time_change), remark(better)});
  }
  std::string text = '\n' + style.bold("if one key were 10 % better, or one unit") + '\n' +
                     table.text(2) +
                     wrapped(
                         "Each key alone, simulated. Assumed: the preset has no source for "
                         "the value it has now.");
  if (!same.empty()) text += wrapped(fmt::format("No change: {}.", fmt::join(same, ", ")));
  if (!sensitivity.left_out.empty()) {
    text +=
        wrapped(fmt::format("Without a better value: {}.", fmt::join(sensitivity.left_out, ", ")));
  }
  return text;
}

}  // namespace weft::report
