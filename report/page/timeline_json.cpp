#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "report/page/page_data.h"
#include "report/text.h"
#include "sim/analysis/ledger.h"
#include "sim/isa/text/instruction_table.h"
#include "sim/isa/text/text.h"

namespace weft::report {
namespace {

constexpr Cycle kBins = 1000;

/// For bins of equal width, the share of cycles that added spans cover.
class Bins {
 public:
  explicit Bins(Cycle total) : width_((total + kBins - 1) / kBins), shares_(count(total)) {}

  Cycle width() const { return width_; }

  void add(Cycle begin, Cycle end) {
    for (Cycle at = begin; at < end;) {
      const Cycle next = std::min(end, (at / width_ + 1) * width_);
      const auto bin = static_cast<std::size_t>(at / width_);
      if (bin < shares_.size()) shares_[bin] += static_cast<double>(next - at);
      at = next;
    }
  }

  /// In thousandths, which is finer than a screen can show.
  Json json() const {
    Json list = Json::array();
    for (const double cycles : shares_) {
      const double share = std::min(1.0, cycles / static_cast<double>(width_));
      list.push_back(std::round(share * 1000) / 1000);
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

/// One instruction, with its times as cycles of the run.
struct Listed {
  const Instruction* instruction = nullptr;
  InstructionTiming timing = {};
  InstructionTile tile = {};
  std::int32_t map = -1;
};

Listed listed_instruction(const PageProgram& part, std::size_t index) {
  const InstructionTiming& timing = part.timeline.instructions[index];
  Listed entry;
  entry.instruction = &part.program.code[index];
  entry.timing = {timing.dispatched + part.begin, timing.started + part.begin,
                  timing.retired + part.begin};
  entry.tile = part.tiles[index];
  entry.map = part.tile_maps[index];
  return entry;
}

std::size_t instruction_count(const PageRun& run) {
  std::size_t count = 0;
  for (const PageProgram& part : run.programs) count += part.program.code.size();
  return count;
}

/// The first kListedInstructions in program order.
std::vector<Listed> listed_instructions(const PageRun& run) {
  std::vector<Listed> list;
  for (const PageProgram& part : run.programs) {
    for (std::size_t i = 0; i < part.program.code.size(); ++i) {
      if (list.size() == kListedInstructions) return list;
      list.push_back(listed_instruction(part, i));
    }
  }
  return list;
}

std::vector<LedgerSpan> spans_of(const PageRun& run) {
  std::vector<LedgerSpan> all;
  for (const PageProgram& part : run.programs) {
    for (LedgerSpan span : ledger_spans(run.machine, part.program, part.timeline, part.total)) {
      span.begin += part.begin;
      span.end += part.begin;
      all.push_back(span);
    }
  }
  return all;
}

/// Cycles with two overlapping instructions of a unit count once.
Json busy_json(const PageRun& run, Unit unit) {
  Bins bins(run.total);
  for (const PageProgram& part : run.programs) {
    Cycle counted = 0;
    for (std::size_t i = 0; i < part.program.code.size(); ++i) {
      if (part.program.code[i].unit() != unit) continue;
      const InstructionTiming& timing = part.timeline.instructions[i];
      bins.add(part.begin + std::max(counted, timing.started), part.begin + timing.retired + 1);
      counted = std::max(counted, timing.retired + 1);
    }
  }
  return bins.json();
}

/// A push takes one cycle per row, and the next push begins after it.
Json pushing_json(const PageRun& run) {
  Bins bins(run.total);
  for (const PageProgram& part : run.programs) {
    for (const Cycle push : part.timeline.pushes) {
      bins.add(part.begin + push, part.begin + push + run.machine.array_rows);
    }
  }
  return bins.json();
}

Json bins_json(const PageRun& run, std::span<const LedgerSpan> spans) {
  Json busy = Json::array();
  for (const Unit unit : kUnits) busy.push_back(busy_json(run, unit));
  std::vector<Bins> classes(kLedgerClasses.size(), Bins(run.total));
  for (const LedgerSpan& span : spans) classes[span.ledger_class].add(span.begin, span.end);
  Json shares = Json::array();
  for (const Bins& bins : classes) shares.push_back(bins.json());
  return {{"cycles", Bins(run.total).width()},
          {"busy", busy},
          {"pushes", pushing_json(run)},
          {"classes", shares}};
}

/// The first cycle with an instruction or a span that the page does not list.
Cycle listed_until(const PageRun& run, std::span<const LedgerSpan> spans) {
  Cycle end = run.total;
  std::size_t left = kListedInstructions;
  for (const PageProgram& part : run.programs) {
    const auto& timings = part.timeline.instructions;
    for (std::size_t i = std::min(left, timings.size()); i < timings.size(); ++i) {
      end = std::min(end, part.begin + timings[i].started);
    }
    left -= std::min(left, timings.size());
  }
  if (spans.size() > kListedInstructions) end = std::min(end, spans[kListedInstructions].begin);
  return std::max<Cycle>(end, 1);
}

template <class Value>
Json column(std::size_t size, Value value) {
  Json list = Json::array();
  for (std::size_t i = 0; i < size; ++i) list.push_back(value(i));
  return list;
}

Json instructions_json(std::span<const Listed> list) {
  const auto each = [&](auto value) {
    return column(list.size(), [&](std::size_t i) { return value(list[i]); });
  };
  return {{"unit", each([](const Listed& i) { return static_cast<int>(i.instruction->unit()); })},
          {"dispatched", each([](const Listed& i) { return i.timing.dispatched; })},
          {"started", each([](const Listed& i) { return i.timing.started; })},
          {"retired", each([](const Listed& i) { return i.timing.retired; })},
          {"text", each([](const Listed& i) { return format(*i.instruction); })},
          {"map", each([](const Listed& i) { return i.map; })},
          {"chunk", each([](const Listed& i) { return i.tile.chunk; })},
          {"k_tile", each([](const Listed& i) { return i.tile.k_tile; })},
          {"n_tile", each([](const Listed& i) { return i.tile.n_tile; })}};
}

Json pushes_json(const PageRun& run, Cycle until) {
  Json started = Json::array();
  Json cycles = Json::array();
  for (const PageProgram& part : run.programs) {
    for (const Cycle push : part.timeline.pushes) {
      if (part.begin + push >= until) break;
      started.push_back(part.begin + push);
      cycles.push_back(run.machine.array_rows);
    }
  }
  return {{"started", started}, {"cycles", cycles}};
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
  for (const Unit unit : kUnits) units.push_back(unit_name(unit));
  return names(units);
}

Json class_names() {
  std::vector<std::string_view> classes;
  for (const LedgerClass& entry : kLedgerClasses) classes.push_back(entry.name);
  return names(classes);
}

}  // namespace

Json timeline_json(const PageRun& run, Json& notes) {
  const std::size_t count = instruction_count(run);
  const std::vector<Listed> list = listed_instructions(run);
  const std::vector<LedgerSpan> spans = spans_of(run);
  const Cycle until = listed_until(run, spans);
  Json timeline = {{"total", run.total},
                   {"units", unit_names()},
                   {"instructions", instructions_json(list)},
                   {"window", {0, until}},
                   {"left_out", count - list.size()},
                   {"pushes", pushes_json(run, until)},
                   {"classes", class_names()},
                   {"spans", spans_json(spans, until)}};
  if (until == run.total && count == list.size()) return timeline;
  timeline["bins"] = bins_json(run, spans);
  notes.push_back(fmt::format(
      "The timeline shows each instruction up to cycle {} of {}, and after it shares over bins "
      "of {} cycles: the run has {}, the page lists {}.",
      grouped(static_cast<std::uint64_t>(until)), grouped(static_cast<std::uint64_t>(run.total)),
      grouped(static_cast<std::uint64_t>(Bins(run.total).width())), counted(count, "instruction"),
      grouped(list.size())));
  return timeline;
}

}  // namespace weft::report
