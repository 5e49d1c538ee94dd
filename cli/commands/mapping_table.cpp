#include "cli/commands/mapping_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "base/figures.h"
#include "base/printable.h"
#include "compiler/layers/line_bands.h"
#include "report/text.h"
#include "runtime/network_run.h"

namespace weft::cli {
namespace {

using compiler::PartedSegment;
using compiler::Schedule;
using compiler::ScheduledSegment;
using compiler::Segment;

/// The names of all layers as `weft run` has them, those of the host too.
std::vector<std::string> layer_names(const compiler::ScheduledNetwork& network) {
  std::vector<std::string> names;
  for (const auto& step : network.steps) {
    if (const auto* host = std::get_if<compiler::HostStep>(&step)) {
      names.push_back(network.graph.nodes[host->node].name);
      continue;
    }
    for (const compiler::Layer& layer : std::get<ScheduledSegment>(step).segment.layers) {
      names.push_back(layer.name);
    }
  }
  return runtime::told_apart(std::move(names));
}

/// What a contraction is beyond the note of its form.
std::vector<std::string> kinds_of(const compiler::ContractionLayer& layer, const Segment& segment) {
  std::vector<std::string> kinds;
  if (segment.sheets[layer.a.sheet].patches) kinds.emplace_back("patches cut by loads");
  const compiler::JoinedLines& lines = layer.join.lines;
  if (lines.any() && !lines.in.any()) kinds.emplace_back("reads single lines");
  if (lines.any() && !lines.out.any()) kinds.emplace_back("writes single lines");
  return kinds;
}

/// How the layer runs, in words; `part` is the last one of its form.
std::string layer_text(const PartedSegment& parts, std::size_t part, const Schedule& schedule) {
  const compiler::Layer& layer = parts.segment.layers[part];
  std::vector<std::string> words = {layer.op};
  if (!layer.note.empty()) words.push_back(layer.note);
  if (const auto* product = std::get_if<compiler::ContractionLayer>(&layer.body)) {
    for (std::string& kind : kinds_of(*product, parts.segment)) words.push_back(std::move(kind));
  }
  std::string images = compiler::images_text(schedule, parts.layers[part].layer);
  if (!images.empty()) words.push_back(std::move(images));
  return fmt::format("{}", fmt::join(words, "; "));
}

/// Lines of text. Equal lines that follow each other become one.
class FoldedLines {
 public:
  void add(std::string line) {
    if (!lines_.empty() && lines_.back().first == line) {
      ++lines_.back().second;
    } else {
      lines_.emplace_back(std::move(line), 1);
    }
  }

  void add_to(report::Table& table) const {
    for (const auto& [line, count] : lines_) {
      table.add({"", count == 1 ? line : fmt::format("{} alike: {}", count, line)});
    }
  }

 private:
  std::vector<std::pair<std::string, int>> lines_;
};

void add_layer(report::Table& table, const std::string& name, const PartedSegment& parts,
               const std::vector<std::size_t>& of_layer, const Schedule& schedule) {
  table.add({printable(name), layer_text(parts, of_layer.back(), schedule)});
  FoldedLines mappings;
  std::vector<std::string> stays;
  for (const std::size_t part : of_layer) {
    for (const Mapping& mapping : schedule.layers[part].mappings) mappings.add(to_text(mapping));
    std::string text = compiler::stays_text(schedule, part);
    if (!text.empty()) stays.push_back(std::move(text));
  }
  mappings.add_to(table);
  if (!stays.empty()) table.add({"", fmt::format("{}", fmt::join(stays, "; "))});
}

void add_program(report::Table& table, const ScheduledSegment& scheduled,
                 const std::string* names) {
  const Schedule& schedule = scheduled.schedule;
  // The rings of a product say themselves what they take.
  if (schedule.buffer.end > 0) {
    table.add({"unified buffer", to_text(schedule.buffer)});
    table.add({"instructions", fmt::format("in order {}", to_string(schedule.order))});
    const compiler::ImageGroups& groups = schedule.groups;
    if (groups.rounds_at_once > 1) {
      table.add({"rounds", fmt::format("of {}, {} at once, each in a part of the machine",
                                       counted(static_cast<std::uint64_t>(groups.round), "image"),
                                       groups.rounds_at_once)});
    }
  }
  const PartedSegment parts = compiler::in_parts(scheduled.segment, schedule);
  std::vector<std::vector<std::size_t>> of_layers(scheduled.segment.layers.size());
  for (std::size_t i = 0; i < parts.layers.size(); ++i) {
    if (!parts.layers[i].repeats()) of_layers[parts.layers[i].layer].push_back(i);
  }
  for (std::size_t i = 0; i < of_layers.size(); ++i) {
    add_layer(table, names[i], parts, of_layers[i], schedule);
  }
}

}  // namespace

std::string mapping_table(const compiler::ScheduledNetwork& network) {
  const std::vector<std::string> names = layer_names(network);
  report::Table table("ll");
  std::size_t first = 0;
  for (const auto& step : network.steps) {
    const auto* scheduled = std::get_if<ScheduledSegment>(&step);
    if (scheduled != nullptr) add_program(table, *scheduled, names.data() + first);
    first += scheduled == nullptr ? 1 : scheduled->segment.layers.size();
  }
  return table.text(0);
}

}  // namespace weft::cli
