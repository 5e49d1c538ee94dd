#include "report/explain/account_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "report/json.h"
#include "report/machine_json.h"
#include "report/machine_text.h"
#include "report/text.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

/// What the array waits for in a class of cycles. The account names the classes in this order.
struct Wait {
  Cycle CycleLedger::*cycles;
  std::string_view reason;
};

constexpr std::array<Wait, 6> kWaits = {{
    {&CycleLedger::weight_stall, "for weights to be fetched"},
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

/// "5 cycles for activations and 4 while weights shift in"; empty if there are none.
std::string cycles_words(const CycleLedger& ledger, std::span<const Wait> reasons) {
  std::vector<std::string> parts;
  for (const Wait& wait : reasons) {
    const std::uint64_t cycles = runtime::unsigned_of(ledger.*wait.cycles);
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

std::string padding_words(const runtime::FoldStep& step, const MachineConfig& config) {
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

/// "4-7", "4".
std::string range(const runtime::Extent& extent) {
  if (extent.size() == 1) return grouped(extent.first);
  return fmt::format("{}-{}", grouped(extent.first), grouped(extent.last - 1));
}

/// "rows 4-7", "row 4".
std::string named(const runtime::Extent& extent, std::string_view thing) {
  return fmt::format("{}{} {}", thing, extent.size() == 1 ? "" : "s", range(extent));
}

std::string cycle_range(Cycle first, Cycle last) {
  return range({runtime::unsigned_of(first), runtime::unsigned_of(last)});
}

/// "pushed 2-5 (during fold 1)". Pushes during rows of the previous fold cost no cycles.
std::string push_words(const runtime::AccountEntry& entry, Cycle rows) {
  const runtime::FoldStep& step = *entry.step;
  const std::string text = fmt::format("pushed {}", cycle_range(step.pushed, step.pushed + rows));
  if (step.hidden_shift == 0) return text;
  const std::string before = grouped(entry.first_fold);
  if (step.hidden_shift == rows) return fmt::format("{} (during fold {})", text, before);
  return fmt::format("{} ({} of {} during fold {})", text,
                     grouped(runtime::unsigned_of(step.hidden_shift)),
                     grouped(runtime::unsigned_of(rows)), before);
}

std::string stream_words(const runtime::AccountEntry& entry) {
  const runtime::FoldStep& step = *entry.step;
  const std::string text =
      fmt::format("{} in {}", counted(step.m.size(), "row"), cycle_range(step.started, entry.end));
  if (step.chunks == 1) return text;
  return fmt::format("{} ({})", text, counted(step.chunks, "chunk"));
}

std::string sums_words(const runtime::FoldStep& step) {
  if (step.begins_sums) return step.completes_sums ? "makes its sums alone" : "begins the sums";
  return step.completes_sums ? "completes the sums" : "adds to the sums";
}

/// The waits of a fold in words; empty if it has none.
std::string wait_words(const runtime::AccountEntry& entry) {
  const std::string waits = cycles_words(entry.ledger, kWaits);
  return waits.empty() ? "" : "waits " + waits;
}

/// The lines of the account. A range that is the same for all folds is left out.
class AccountLines {
 public:
  AccountLines(const runtime::Account& account, const runtime::ContractionShape& shape,
               const MachineConfig& config)
      : account_(account), shape_(shape), config_(config) {
    for (const runtime::AccountEntry& entry : account.entries) {
      if (!entry.step) continue;
      rows_differ_ = rows_differ_ || entry.step->m != account.entries.front().step->m;
    }
  }

  std::string text() const {
    std::string text;
    for (const runtime::AccountEntry& entry : account_.entries) {
      text += entry.step ? step(entry) : wrapped(summary(entry));
    }
    const Cycle begin = account_.tail_begin;
    if (begin == account_.total) return text;
    return text + wrapped(fmt::format("end, cycles {}: {}", cycle_range(begin, account_.total),
                                      cycles_words(account_.tail, kTail)));
  }

 private:
  std::string step(const runtime::AccountEntry& entry) const {
    const runtime::FoldStep& step = *entry.step;
    std::string text =
        wrapped(fmt::format("{}: {}", heading(entry),
                            fmt::join(parts({place(step), padding(step), border(step)}), "; ")));
    text += wrapped(fmt::format("{}, {}, drained {}; {}", push_words(entry, config_.array_rows),
                                stream_words(entry), grouped(runtime::unsigned_of(drained(entry))),
                                sums_words(step)),
                    4);
    const std::string waits = wait_words(entry);
    return waits.empty() ? text : text + wrapped(waits, 4);
  }

  std::string heading(const runtime::AccountEntry& entry) const {
    return fmt::format("fold {} of {}", grouped(entry.first_fold + 1), grouped(account_.folds));
  }

  /// The cycle in which the fold's last product reaches the accumulators.
  Cycle drained(const runtime::AccountEntry& entry) const {
    return entry.end - 1 + config_.array_rows + config_.array_cols - 1;
  }

  std::string place(const runtime::FoldStep& step) const {
    std::string text;
    const char* const column = shape_.lines > 1 ? "column" : "filter";
    const char* const row = shape_.lines > 1 ? "row" : "pixel";
    if (shape_.is_packed) {
      text = fmt::format("{}, {}", named(step.k, "element"), named(step.n, column));
    } else if (shape_.is_convolution) {
      text = fmt::format("tap {},{}, {}, {}", step.tap / shape_.taps_x, step.tap % shape_.taps_x,
                         named(step.k, "channel"), named(step.n, column));
    } else {
      text = fmt::format("{} of K, {} of N", named(step.k, "row"), named(step.n, "column"));
    }
    if (!rows_differ_) return text;
    return text + (shape_.is_convolution ? fmt::format(", {}", named(step.m, row))
                                         : fmt::format(", {} of M", named(step.m, "row")));
  }

  std::string padding(const runtime::FoldStep& step) const {
    return step.padding_rows + step.padding_cols == 0 ? "" : padding_words(step, config_);
  }

  static std::string border(const runtime::FoldStep& step) {
    if (step.border_rows == 0) return "";
    return fmt::format("{} {} from the border", part_of(step.border_rows, step.m.size(), "pixel"),
                       step.border_rows == 1 ? "is" : "are");
  }

  static std::string summary(const runtime::AccountEntry& entry) {
    const std::string waits = wait_words(entry);
    return fmt::format("... {} like {}, cycles {}{}", counted(entry.folds, "more fold"),
                       entry.folds == 1 ? "this" : "these", cycle_range(entry.begin, entry.end),
                       waits.empty() ? ", no waits" : "; " + waits);
  }

  static std::vector<std::string> parts(std::vector<std::string> all) {
    std::erase(all, "");
    return all;
  }

  const runtime::Account& account_;
  const runtime::ContractionShape& shape_;
  const MachineConfig& config_;
  bool rows_differ_ = false;
};

Json extent_json(const runtime::Extent& extent) {
  return Json::array({extent.first, extent.last});
}

Json step_json(const runtime::FoldStep& step, const runtime::ContractionShape& shape) {
  return {
      {"k_block", step.k_block},
      {"n_tile", step.n_tile},
      {"tap",
       shape.is_packed ? Json() : Json::array({step.tap / shape.taps_x, step.tap % shape.taps_x})},
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

std::string account_text(const runtime::Account& account, const runtime::ContractionShape& shape,
                         const MachineConfig& config) {
  return AccountLines(account, shape, config).text();
}

Json account_json(const runtime::Account& account, const runtime::ContractionShape& shape) {
  Json entries = Json::array();
  for (const runtime::AccountEntry& entry : account.entries) {
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

}  // namespace weft::report
