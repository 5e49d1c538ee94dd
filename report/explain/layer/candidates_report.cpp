#include "report/explain/layer/candidates_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "report/explain/layer/candidate_reason.h"
#include "report/layer_table.h"
#include "report/report_json.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

using runtime::CandidateRun;
using runtime::DoubledSize;

constexpr std::size_t kShown = 8;  // candidates, with the chosen one

/// A network with more instructions is not compiled again for advice: that takes a second each.
constexpr std::uint64_t kMostCompiledAgain = 1'000'000;

/// Candidates of equal cycles. The table shows the first of them, which moves the fewest bytes.
struct Ties {
  std::size_t first = 0;
  std::size_t count = 1;
};

constexpr const char* kNotThere = "-";

/// What a row says of the layer's tiles. A run on the vector unit has none.
void add_tile_cells(const compiler::LayerInfo& info, std::vector<std::string>& row) {
  if (info.issued_macs == 0) {
    row.insert(row.end(), 3, kNotThere);
    return;
  }
  row.insert(row.end(), {tiles_cell(info), grouped(info.fetches), padding_cell(info)});
}

/// Which columns a table of candidates has.
struct CandidateColumns {
  LedgerColumns classes;
  bool tiles = false;  // some candidate runs on the array

  std::vector<std::string> headings() const {
    std::vector<std::string> row = {"cycles", "layer"};
    classes.add_headings(row);
    if (tiles) row.insert(row.end(), {"tiles", "fetches", "pad"});
    row.emplace_back("moved");
    return row;
  }
  std::string alignment() const {
    return "rr" + std::string(classes.count(), 'r') + (tiles ? "lrrr" : "r");
  }
  std::vector<std::string> cells(const CandidateRun& run) const {
    const runtime::LayerRun& layer = run.asked();
    std::vector<std::string> row = {grouped(static_cast<std::uint64_t>(run.total)),
                                    grouped(static_cast<std::uint64_t>(layer.cycles))};
    classes.add_cells(layer, row);
    if (tiles) add_tile_cells(layer.info, row);
    const std::uint64_t bytes = moved_bytes(layer.info);
    row.push_back(bytes == 0 ? kNotThere : si(static_cast<double>(bytes), "B"));
    return row;
  }
  std::string legend() const {
    return fmt::format(
        "cycles: of the network; layer: of this layer, and all columns after it; {}moved: weights, "
        "inputs and outputs",
        tiles ? "tiles: along K x along N x chunks of rows; fetches: of tiles; pad: % of the "
                "issued MACs that are padding; "
              : "");
  }
};

CandidateColumns columns_of(const std::vector<CandidateRun>& runs, const std::vector<Ties>& shown) {
  CandidateColumns columns;
  for (const Ties& ties : shown) {
    columns.classes.add(runs[ties.first].asked());
    columns.tiles = columns.tiles || runs[ties.first].asked().info.issued_macs > 0;
  }
  return columns;
}

/// The line above a candidate's figures.
std::string above(const CandidateRun& chosen, const CandidateRun& run) {
  if (run.decisions.empty()) return "as chosen";
  std::string text = run.decisions.front() + ": " + candidate_reason(chosen, run);
  if (run.decisions.size() == 1) return text;
  const std::vector<std::string> others(run.decisions.begin() + 1, run.decisions.end());
  return text + fmt::format("; the same program as {}", listed(others));
}

/// The chosen run, then the others by their cycles; at most kShown.
std::vector<Ties> shown_ties(const std::vector<CandidateRun>& runs) {
  std::vector<Ties> ties = {{0, 1}};
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (i > 1 && runs[i].total == runs[i - 1].total) {
      ++ties.back().count;
    } else if (ties.size() == kShown) {
      break;
    } else {
      ties.push_back({i, 1});
    }
  }
  return ties;
}

/// The line below the figures of the first: "and 2 more of the same cycles: first fit; 64 rows of
/// staging". Empty if there is no other.
std::string other_ties(const std::vector<CandidateRun>& runs, const Ties& ties) {
  if (ties.count == 1) return "";
  std::vector<std::string> decisions;
  for (std::size_t i = 1; i < ties.count; ++i) {
    decisions.push_back(runs[ties.first + i].decisions.front());
  }
  return wrapped(
      fmt::format("and {} more of the same cycles: {}", ties.count - 1, fmt::join(decisions, "; ")),
      4);
}

std::string candidate_table(const std::vector<CandidateRun>& runs, const Style& style) {
  const std::vector<Ties> shown = shown_ties(runs);
  const CandidateColumns columns = columns_of(runs, shown);
  Table table(columns.alignment());
  table.add(columns.headings());
  for (const Ties& ties : shown) table.add(columns.cells(runs[ties.first]));
  const std::vector<std::string> lines = table.lines(4);
  std::string text = lines[0];
  for (std::size_t i = 0; i < shown.size(); ++i) {
    text += wrapped(above(runs.front(), runs[shown[i].first])) + lines[i + 1];
    text += other_ties(runs, shown[i]);
  }
  for (const std::string& line : {columns.legend(), columns.classes.legend()}) {
    if (!line.empty()) text += style.dim(wrapped(line));
  }
  return text;
}

/// "unified_buffer.kib 512 in place of 256 saves 1,204 of 10,003 cycles (12.0 %)."
std::string doubled_sentence(const DoubledSize& size, const CandidateRun& chosen) {
  const Cycle before = (size.twice_the_work ? 2 : 1) * chosen.total;
  const Cycle saved = size.saved(chosen.total);
  std::string text = fmt::format("{} {} in place of {} saves {} of {} cycles ({})", size.name,
                                 size.to, size.from, grouped(static_cast<std::uint64_t>(saved)),
                                 grouped(static_cast<std::uint64_t>(before)),
                                 percent(static_cast<double>(saved) / static_cast<double>(before)));
  if (size.twice_the_work) text += ", two runs' work in one";
  if (size.twice_the_work || !size.layer) return text + ".";
  const Cycle layer = chosen.asked().cycles;
  if (*size.layer == layer) return text + ", none of them in this layer.";
  return text + fmt::format("; the layer takes {} in place of {}.",
                            grouped(static_cast<std::uint64_t>(*size.layer)),
                            grouped(static_cast<std::uint64_t>(layer)));
}

std::string sentences_text(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += wrapped(sentence);
  return text;
}

Json run_json(const CandidateRun& run, const CandidateRun& chosen, const MachineConfig& config) {
  const bool is_chosen = run.decisions.empty();
  return {{"decisions", run.decisions},
          {"cycles", run.total},
          {"change", run.total - chosen.total},
          {"reason", is_chosen ? Json(nullptr) : Json(candidate_reason(chosen, run))},
          {"layer", layer_json(run.asked(), config)}};
}

}  // namespace

LayerCandidates compare_candidates(const runtime::ChosenLayer& chosen,
                                   const runtime::LargerBatch& batch,
                                   const std::function<void(double)>& progress) {
  LayerCandidates found;
  double done = 0;  // a network may be searched again from the start
  const auto report = [&](double share) { progress(done = std::max(done, share)); };
  found.candidates = runtime::time_candidates(chosen, [&](double share) { report(share / 2); });
  found.can_search_longer =
      chosen.mapping && chosen.mapping->effort != compiler::SearchEffort::kThorough;
  if (!chosen.mapping) {
    found.without_doubled = "The network follows a plan, so nothing is compiled again.";
  } else if (chosen.run.instructions > kMostCompiledAgain) {
    found.without_doubled =
        fmt::format("With {} instructions the network is too long to be compiled again.",
                    grouped(chosen.run.instructions));
  } else {
    found.doubled =
        runtime::doubled_sizes(chosen, batch, [&](double share) { report(0.5 + share / 2); });
  }
  return found;
}

std::vector<std::string> other_sentences(const LayerCandidates& layer, std::size_t shown) {
  const runtime::CandidateRuns& found = layer.candidates;
  std::vector<std::string> sentences;
  const auto missed = [&](const CandidateRun& run) {
    return run.choices && run.total < found.runs.front().total;
  };
  if (layer.can_search_longer && std::ranges::any_of(found.runs, missed)) {
    sentences.emplace_back(
        "With --optimize 2, run, conv and compile search longer and may take a candidate with "
        "fewer cycles.");
  }
  if (found.runs.size() > shown) {
    sentences.push_back(fmt::format("{} more took up to {} cycles.", found.runs.size() - shown,
                                    grouped(static_cast<std::uint64_t>(found.runs.back().total))));
  }
  if (!found.same.empty()) {
    sentences.push_back(fmt::format("The same program: {}.", fmt::join(found.same, "; ")));
  }
  for (const runtime::Misfitting& misfit : found.misfits) {
    sentences.push_back(fmt::format("Does not fit: {}: {}.", misfit.decision, misfit.why));
  }
  if (found.not_timed > 0) {
    sentences.push_back(fmt::format("Not timed, because the programs are too long: {}.",
                                    counted(found.not_timed, "candidate")));
  }
  return sentences;
}

std::vector<std::string> doubled_sentences(const LayerCandidates& layer) {
  if (!layer.doubled) return {layer.without_doubled};
  const CandidateRun& chosen = layer.candidates.runs.front();
  std::vector<std::string> sentences;
  std::vector<std::string> nothing;
  std::vector<std::string> losses;
  for (const DoubledSize& size : *layer.doubled) {
    const auto saved = size.saved(chosen.total);
    if (saved > 0) {
      sentences.push_back(doubled_sentence(size, chosen));
    } else if (saved == 0) {
      nothing.push_back(fmt::format("{} {}", size.name, size.to));
    } else {
      losses.push_back(fmt::format("{} {} (+{})", size.name, size.to,
                                   grouped(static_cast<std::uint64_t>(-saved))));
    }
  }
  if (!nothing.empty()) {
    sentences.push_back(fmt::format("Saves nothing: {}.", fmt::join(nothing, ", ")));
  }
  if (!losses.empty()) {
    sentences.push_back(fmt::format("Costs cycles, because the search ends in another place: {}.",
                                    fmt::join(losses, ", ")));
  }
  sentences.emplace_back("Each alone, compiled again and simulated.");
  return sentences;
}

std::string candidates_text(const LayerCandidates& layer, const Style& style) {
  const Ties last = shown_ties(layer.candidates.runs).back();
  const std::string text =
      style.bold("candidates") + '\n' + wrapped("Chosen: " + layer.candidates.chosen + ".") +
      wrapped("Each other candidate makes one decision otherwise; all are simulated.") +
      candidate_table(layer.candidates.runs, style) +
      sentences_text(other_sentences(layer, last.first + last.count));
  const std::string heading =
      layer.doubled ? '\n' + style.bold("what the mapper cannot change") + '\n' : "";
  return text + heading + sentences_text(doubled_sentences(layer));
}

Json candidates_json(const LayerCandidates& layer, const MachineConfig& config) {
  const runtime::CandidateRuns& found = layer.candidates;
  const CandidateRun& chosen = found.runs.front();
  Json runs = Json::array();
  for (const CandidateRun& run : found.runs) runs.push_back(run_json(run, chosen, config));
  Json misfits = Json::array();
  for (const runtime::Misfitting& misfit : found.misfits) {
    misfits.push_back({{"decision", misfit.decision}, {"why", misfit.why}});
  }
  Json doubled = nullptr;
  if (layer.doubled) doubled = Json::array();
  for (const DoubledSize& size : layer.doubled.value_or(std::vector<DoubledSize>())) {
    doubled.push_back({{"name", size.name},
                       {"from", size.from},
                       {"to", size.to},
                       {"cycles", size.total},
                       {"saved", size.saved(chosen.total)},
                       {"layer_cycles", or_null(size.layer)}});
  }
  return {{"chosen", found.chosen},       {"runs", std::move(runs)},
          {"same", found.same},           {"misfits", std::move(misfits)},
          {"not_timed", found.not_timed}, {"doubled", std::move(doubled)}};
}

}  // namespace weft::report
