#include "cli/explain/account_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/json.h"
#include "cli/report.h"
#include "cli/text.h"

namespace weft::cli {
namespace {

/// What the array waits for in a class of cycles, in the order in which it is told.
struct Wait {
  Cycle CycleLedger::*cycles;
  std::string_view reason;
};

constexpr std::array<Wait, 6> kWaits = {{
    {&CycleLedger::weight_stall, "for weights from memory"},
    {&CycleLedger::input_stall, "for activations"},
    {&CycleLedger::raw_stall, "for the vector unit"},
    {&CycleLedger::fill_drain, "for the array to drain"},
    {&CycleLedger::idle, "for its instruction"},
    {&CycleLedger::weight_shift, "while weights shift in"},
}};

constexpr std::array<Wait, 5> kTail = {{
    {&CycleLedger::weight_shift, "to shift weights"},
    {&CycleLedger::fill_drain, "to drain the array"},
    {&CycleLedger::vector, "for the vector unit"},
    {&CycleLedger::output, "for stores"},
    {&CycleLedger::idle, "for the last results to arrive"},
}};

std::uint64_t unsigned_of(Cycle cycles) {
  return static_cast<std::uint64_t>(cycles);
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

/// "5 cycles for activations and 4 while weights shift in"; empty if there are none.
std::string cycles_words(const CycleLedger& ledger, std::span<const Wait> reasons) {
  std::vector<std::string> parts;
  for (const Wait& wait : reasons) {
    const std::uint64_t cycles = unsigned_of(ledger.*wait.cycles);
    if (cycles == 0) continue;
    const std::string count = parts.empty() ? counted(cycles, "cycle") : grouped(cycles);
    parts.push_back(fmt::format("{} {}", count, wait.reason));
  }
  return listed(parts);
}

/// "2 of 4 rows", "1 of 4 columns".
std::string part_of(std::uint64_t part, std::uint64_t whole, std::string_view thing) {
  return fmt::format("{} of {}", grouped(part), counted(whole, thing));
}

std::string padding_words(const FoldStep& step, const MachineConfig& config) {
  std::vector<std::string> parts;
  if (step.padding_rows > 0) {
    parts.push_back(part_of(step.padding_rows, config.array_rows, "row"));
  }
  if (step.padding_cols > 0) {
    parts.push_back(part_of(step.padding_cols, config.array_cols, "column"));
  }
  const bool one = parts.size() == 1 && step.padding_rows + step.padding_cols == 1;
  return fmt::format("{} {} padding", listed(parts), one ? "is" : "are");
}

std::string shift_words(const AccountEntry& entry, std::uint64_t rows) {
  const std::uint64_t hidden = unsigned_of(entry.step->hidden_shift);
  if (hidden == rows) return fmt::format("shift hidden behind fold {}", grouped(entry.first_fold));
  return fmt::format("{} of its shift hidden behind fold {}",
                     fmt::format("{} of {}", grouped(hidden), counted(rows, "cycle")),
                     grouped(entry.first_fold));
}

/// Nothing for a fold that makes its sums alone.
std::string sums_words(const FoldStep& step) {
  if (step.begins_sums) return step.completes_sums ? "" : "begins the sums";
  return step.completes_sums ? "completes the sums" : "adds to the sums";
}

std::string step_words(const AccountEntry& entry, const MachineConfig& config) {
  const FoldStep& step = *entry.step;
  std::vector<std::string> parts;
  if (step.padding_rows + step.padding_cols > 0) parts.push_back(padding_words(step, config));
  if (step.border_rows > 0) {
    parts.push_back(
        fmt::format("{} from the border", part_of(step.border_rows, step.m.size(), "row")));
  }
  const std::string waits = cycles_words(entry.ledger, kWaits);
  if (!waits.empty()) parts.push_back("waits " + waits);
  if (step.hidden_shift > 0) parts.push_back(shift_words(entry, config.array_rows));
  if (const std::string sums = sums_words(step); !sums.empty()) parts.push_back(sums);
  if (step.chunks > 1) parts.push_back(fmt::format("kept for {}", counted(step.chunks, "chunk")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string summary_words(const AccountEntry& entry) {
  const std::string waits = cycles_words(entry.ledger, kWaits);
  const std::string text = fmt::format("... {} like {}", counted(entry.folds, "fold"),
                                       entry.folds == 1 ? "this" : "these");
  return waits.empty() ? text + ", without waits" : text + "; waits " + waits;
}

std::string range(std::uint64_t first, std::uint64_t last) {
  if (first + 1 == last) return grouped(first);
  return fmt::format("{}-{}", grouped(first), grouped(last - 1));
}

std::string range(const Extent& extent) {
  return range(extent.first, extent.last);
}

/// Text cut into lines of at most `width`.
std::vector<std::string> lines_of(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

/// The columns that say where a fold is; what is the same for all folds has none.
class AccountTable {
 public:
  AccountTable(const Account& account, const ContractionShape& shape, const MachineConfig& config)
      : account_(account), shape_(shape), config_(config) {
    for (const AccountEntry& entry : account.entries) {
      if (!entry.step) continue;
      rows_differ_ = rows_differ_ || entry.step->m != account.entries.front().step->m;
    }
  }

  std::string text() const {
    std::vector<std::vector<std::string>> rows = {heading()};
    for (const AccountEntry& entry : account_.entries) rows.push_back(row(entry));
    rows.push_back(tail());
    Table table(std::string(heading().size() - 1, 'r') + "l");
    const std::size_t width = words_width(rows);
    for (std::vector<std::string>& cells : rows) add(table, std::move(cells), width);
    return table.text(2);
  }

 private:
  bool is_conv() const { return shape_.is_convolution; }

  std::vector<std::string> heading() const {
    std::vector<std::string> cells = {"fold"};
    if (is_conv()) cells.insert(cells.end(), {"tap y,x", "channels", "filters"});
    if (!is_conv()) cells.insert(cells.end(), {"rows of K", "columns of N"});
    if (rows_differ_) cells.emplace_back(is_conv() ? "pixels" : "rows of M");
    cells.insert(cells.end(), {"cycles", "what happens"});
    return cells;
  }

  std::vector<std::string> place(const FoldStep& step) const {
    std::vector<std::string> cells;
    if (is_conv()) {
      cells.push_back(fmt::format("{},{}", step.tap / shape_.taps_x, step.tap % shape_.taps_x));
    }
    cells.push_back(range(step.k));
    cells.push_back(range(step.n));
    if (rows_differ_) cells.push_back(range(step.m));
    return cells;
  }

  std::vector<std::string> row(const AccountEntry& entry) const {
    std::vector<std::string> cells = {
        range(entry.first_fold + 1, entry.first_fold + entry.folds + 1)};
    std::vector<std::string> where(heading().size() - 3);
    if (entry.step) where = place(*entry.step);
    cells.insert(cells.end(), where.begin(), where.end());
    cells.push_back(range(unsigned_of(entry.begin), unsigned_of(entry.end)));
    cells.push_back(entry_words(entry, config_));
    return cells;
  }

  std::vector<std::string> tail() const {
    std::vector<std::string> cells(heading().size());
    cells.front() = "end";
    cells[cells.size() - 2] = range(unsigned_of(account_.tail_begin), unsigned_of(account_.total));
    cells.back() = cycles_words(account_.tail, kTail);
    return cells;
  }

  /// What the other columns leave of the line.
  static std::size_t words_width(const std::vector<std::vector<std::string>>& rows) {
    constexpr std::size_t kLeast = 40;
    std::size_t others = 2;
    for (std::size_t column = 0; column + 1 < rows.front().size(); ++column) {
      std::size_t width = 0;
      for (const auto& cells : rows) width = std::max(width, cells[column].size());
      others += width + 2;
    }
    return std::max(kLeast, kTextWidth - std::min(kTextWidth, others));
  }

  static void add(Table& table, std::vector<std::string> cells, std::size_t width) {
    const std::vector<std::string> lines = lines_of(cells.back(), width);
    for (const std::string& line : lines) {
      cells.back() = line;
      table.add(cells);
      std::ranges::fill(cells, "");
    }
  }

  const Account& account_;
  const ContractionShape& shape_;
  const MachineConfig& config_;
  bool rows_differ_ = false;
};

Json extent_json(const Extent& extent) {
  return Json::array({extent.first, extent.last});
}

Json step_json(const FoldStep& step, const ContractionShape& shape) {
  return {{"k_block", step.k_block},
          {"n_tile", step.n_tile},
          {"tap", Json::array({step.tap / shape.taps_x, step.tap % shape.taps_x})},
          {"k", extent_json(step.k)},
          {"n", extent_json(step.n)},
          {"m", extent_json(step.m)},
          {"chunks", step.chunks},
          {"padding_rows", step.padding_rows},
          {"padding_cols", step.padding_cols},
          {"border_rows", step.border_rows},
          {"begins_sums", step.begins_sums},
          {"completes_sums", step.completes_sums},
          {"pushed", step.pushed},
          {"started", step.started},
          {"hidden_shift", step.hidden_shift}};
}

}  // namespace

std::string wrapped(const std::string& sentence) {
  const std::vector<std::string> first = lines_of(sentence, kTextWidth - 2);
  std::string text = "  " + first.front() + '\n';
  if (first.size() == 1) return text;
  for (const std::string& line : lines_of(sentence.substr(first.front().size()), kTextWidth - 4)) {
    text += "    " + line + '\n';
  }
  return text;
}

std::string entry_words(const AccountEntry& entry, const MachineConfig& config) {
  return entry.step ? step_words(entry, config) : summary_words(entry);
}

std::string account_text(const Account& account, const ContractionShape& shape,
                         const MachineConfig& config) {
  return AccountTable(account, shape, config).text();
}

Json account_json(const Account& account, const ContractionShape& shape) {
  Json entries = Json::array();
  for (const AccountEntry& entry : account.entries) {
    entries.push_back({{"first_fold", entry.first_fold + 1},
                       {"folds", entry.folds},
                       {"begin", entry.begin},
                       {"end", entry.end},
                       {"cycles", ledger_json(entry.ledger)},
                       {"step", entry.step ? step_json(*entry.step, shape) : Json(nullptr)}});
  }
  return {{"folds", account.folds},
          {"entries", std::move(entries)},
          {"tail",
           {{"begin", account.tail_begin},
            {"end", account.total},
            {"cycles", ledger_json(account.tail)}}}};
}

}  // namespace weft::cli
