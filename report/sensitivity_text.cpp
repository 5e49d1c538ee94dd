#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/report_text.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

std::string cycles_text(Cycle cycles) {
  return grouped(static_cast<std::uint64_t>(cycles));
}

/// "+1.25 %", and "0.00 %" without a sign for what rounds to it.
std::string change_text(double change) {
  const std::string text = fmt::format("{:+.2f} %", 100 * change);
  return text.substr(1) == "0.00 %" ? text.substr(1) : text;
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
  table.add({"key", "from", "to", "cycles", "change", "time", ""});
  std::vector<std::string> same;
  for (const runtime::BetterKey& better : sensitivity.keys) {
    if (better.cycles == sensitivity.cycles && better.time_change == 0) {
      same.push_back(better.is_assumed ? better.key + " (assumed)" : better.key);
      continue;
    }
    table.add({better.key, better.from, better.to, cycles_text(better.cycles),
               signed_text(better.cycles - sensitivity.cycles), change_text(better.time_change),
               remark(better)});
  }
  const bool any_assumed = std::ranges::any_of(sensitivity.keys, &runtime::BetterKey::is_assumed);
  std::string text =
      '\n' + style.bold("if one key were 10 % faster or larger, or one unit") + '\n' +
      table.text(2) +
      wrapped(std::string("Each key alone, simulated.") +
              (any_assumed ? " Assumed: the preset has no source for the value it has now." : "") +
              (sensitivity.shares_memory
                   ? " All transfers share one memory channel: more bandwidth or room can change "
                     "their order and so cost a few cycles."
                   : ""));
  if (!same.empty()) text += wrapped(fmt::format("No change: {}.", fmt::join(same, ", ")));
  if (!sensitivity.left_out.empty()) {
    text +=
        wrapped(fmt::format("Without a better value: {}.", fmt::join(sensitivity.left_out, ", ")));
  }
  return text;
}

}  // namespace weft::report
