#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/page/page_data.h"
#include "cli/text.h"
#include "sim/isa/instruction_table.h"
#include "sim/isa/text.h"
#include "sim/stats/ledger.h"

namespace weft::cli {
namespace {

constexpr Cycle kBins = 1000;

/// Shares of the cycles of bins of equal width that something covers.
class Bins {
 public:
  Bins(Cycle total) : width_((total + kBins - 1) / kBins), shares_(count(total)) {}

  Cycle width() const { return width_; }

  void add(Cycle begin, Cycle end) {
    for (Cycle at = begin; at < end;) {
      const Cycle next = std::min(end, (at / width_ + 1) * width_);
      const auto bin = static_cast<std::size_t>(at / width_);
      if (bin < shares_.size()) shares_[bin] += static_cast<double>(next - at);
      at = next;
    }
  }

  /// In thousandths, which is more than a screen can show.
  Json json() const {
    Json list = Json::array();
    for (const double cycles : shares_) {
      const double share = std::min(1.0, cycles / static_cast<double>(width_));
      list.push_back(static_cast<double>(static_cast<int>(share * 1000 + 0.5)) / 1000);
    }
    return list;
  }

 private:
  std::size_t count(Cycle total) const {
    return static_cast<std::size_t>((total + width_ - 1) / width_);
  }

  Cycle width_;
  std::vector<double> shares_;
};

/// Units that start one instruction while another is under way are busy once.
Json busy_json(const PageRun& run, std::size_t unit) {
  Bins bins(run.result.total);
  Cycle counted = 0;
  for (std::size_t i = 0; i < run.program.code.size(); ++i) {
    if (static_cast<std::size_t>(run.program.code[i].unit()) != unit) continue;
    const InstructionTiming& timing = run.result.timeline.instructions[i];
    bins.add(std::max(counted, timing.started), timing.retired + 1);
    counted = std::max(counted, timing.retired + 1);
  }
  return bins.json();
}

Json bins_json(const PageRun& run, std::span<const LedgerSpan> spans) {
  Json busy = Json::array();
  for (std::size_t unit = 0; unit < kUnitCount; ++unit) busy.push_back(busy_json(run, unit));
  std::vector<Bins> classes(kLedgerClasses.size(), Bins(run.result.total));
  for (const LedgerSpan& span : spans) classes[span.ledger_class].add(span.begin, span.end);
  Json shares = Json::array();
  for (const Bins& bins : classes) shares.push_back(bins.json());
  return {{"cycles", Bins(run.result.total).width()}, {"busy", busy}, {"classes", shares}};
}

/// The first cycle whose instructions are not all listed: the dispatch order is the program's, so
/// that a prefix of the program is what the first cycles hold.
Cycle listed_until(const PageRun& run, std::size_t listed, std::span<const LedgerSpan> spans) {
  Cycle end = run.result.total;
  const auto& timings = run.result.timeline.instructions;
  for (std::size_t i = listed; i < timings.size(); ++i) end = std::min(end, timings[i].started);
  if (spans.size() > kListedInstructions) end = std::min(end, spans[kListedInstructions].begin);
  return std::max<Cycle>(end, 1);
}

template <class Value>
Json column(std::size_t size, Value value) {
  Json list = Json::array();
  for (std::size_t i = 0; i < size; ++i) list.push_back(value(i));
  return list;
}

Json instructions_json(const PageRun& run, std::size_t listed) {
  const auto& timings = run.result.timeline.instructions;
  const auto tile = [&](auto member) {
    return column(listed, [&run, member](std::size_t i) {
      return run.tiles.empty() ? std::int64_t{-1} : run.tiles[i].*member;
    });
  };
  const auto cycle = [&](auto member) {
    return column(listed, [&timings, member](std::size_t i) { return timings[i].*member; });
  };
  const auto& code = run.program.code;
  return {{"unit", column(listed, [&](auto i) { return static_cast<int>(code[i].unit()); })},
          {"dispatched", cycle(&InstructionTiming::dispatched)},
          {"started", cycle(&InstructionTiming::started)},
          {"retired", cycle(&InstructionTiming::retired)},
          {"text", column(listed, [&](auto i) { return format(code[i]); })},
          {"map", column(listed,
                         [&](auto i) {
                           if (run.tiles.empty()) return -1;
                           return run.tile_maps.empty() ? 0 : run.tile_maps[i];
                         })},
          {"chunk", tile(&InstructionTile::chunk)},
          {"k_tile", tile(&InstructionTile::k_tile)},
          {"n_tile", tile(&InstructionTile::n_tile)}};
}

Json pushes_json(const PageRun& run, Cycle end) {
  const auto& pushes = run.result.timeline.pushes;
  const auto shown =
      static_cast<std::size_t>(std::ranges::lower_bound(pushes, end) - pushes.begin());
  return {{"started", column(shown, [&](auto i) { return pushes[i]; })},
          {"cycles", column(shown, [&](auto) { return run.machine.array_rows; })}};
}

Json spans_json(std::span<const LedgerSpan> spans, Cycle until) {
  const auto after = std::ranges::partition_point(
      spans, [&](const LedgerSpan& span) { return span.begin < until; });
  const auto shown = static_cast<std::size_t>(after - spans.begin());
  return {{"class", column(shown, [&](auto i) { return spans[i].ledger_class; })},
          {"begin", column(shown, [&](auto i) { return spans[i].begin; })},
          {"end", column(shown, [&](auto i) { return std::min(spans[i].end, until); })}};
}

Json names(auto values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(std::string(value));
  return list;
}

Json unit_names() {
  std::vector<std::string_view> units;
  for (std::size_t i = 0; i < kUnitCount; ++i) units.push_back(unit_name(static_cast<Unit>(i)));
  return names(units);
}

Json class_names() {
  std::vector<std::string_view> classes;
  for (const LedgerClass& entry : kLedgerClasses) classes.push_back(entry.name);
  return names(classes);
}

}  // namespace

Json timeline_json(const PageRun& run, Json& notes) {
  const Cycle total = run.result.total;
  const std::size_t count = run.program.code.size();
  const std::size_t listed = std::min(count, kListedInstructions);
  const std::vector<LedgerSpan> spans =
      ledger_spans(run.machine, run.program, run.result.timeline, total);
  const Cycle until = listed_until(run, listed, spans);
  Json timeline = {{"total", total},
                   {"units", unit_names()},
                   {"instructions", instructions_json(run, listed)},
                   {"window", {0, until}},
                   {"left_out", count - listed},
                   {"pushes", pushes_json(run, until)},
                   {"classes", class_names()},
                   {"spans", spans_json(spans, until)}};
  if (until == total && count == listed) return timeline;
  timeline["bins"] = bins_json(run, spans);
  notes.push_back(fmt::format(
      "The timeline shows each instruction up to cycle {} of {}, and beyond it the shares of {} "
      "cycles "
      "at a time: the run has {} instructions, the page lists {}.",
      grouped(static_cast<std::uint64_t>(until)), grouped(static_cast<std::uint64_t>(total)),
      grouped(static_cast<std::uint64_t>(Bins(total).width())), grouped(count), grouped(listed)));
  return timeline;
}

}  // namespace weft::cli
