#include "report/explain/conv_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "report/explain/measured_advice.h"
#include "report/text.h"
#include "runtime/job/analytic_run.h"

namespace weft::report {
namespace {

struct Alternative {
  std::int64_t size = 1;
  runtime::ConvSpec spec;
};

struct ConvSuggestion {
  std::string statement;  // a statement about the convolution itself
  double waste = 0;
  std::vector<Alternative> alternatives;  // the preferred one first
};

/// Alternatives with whole tiles of filters or channels, the smaller number first.
template <class Set>
std::optional<ConvSuggestion> whole_tiles(const runtime::ConvSpec& spec, std::int64_t size,
                                          std::int64_t tile, std::string_view thing, Set set) {
  const std::int64_t padded = (size + tile - 1) / tile * tile;
  if (padded == size) return std::nullopt;
  ConvSuggestion suggestion;
  suggestion.waste = static_cast<double>(padded - size) / static_cast<double>(padded);
  suggestion.statement =
      fmt::format("{} {} {} of the array", counted(static_cast<std::uint64_t>(size), thing),
                  size == 1 ? "wastes" : "waste", percent(suggestion.waste));
  for (const std::int64_t whole : {padded - tile, padded}) {
    if (whole == 0) continue;
    suggestion.alternatives.push_back({whole, spec});
    set(suggestion.alternatives.back().spec, whole);
  }
  return suggestion;
}

std::optional<std::string> gain(const runtime::ConvSpec& spec, const MachineConfig& config,
                                Cycle total, const ConvSuggestion& suggestion) {
  const auto work = [](const runtime::ConvSpec& of) {
    return static_cast<double>(of.filters) * static_cast<double>(of.input[1]);
  };
  for (const Alternative& alternative : suggestion.alternatives) {
    try {
      const runtime::AnalyticRun run = runtime::analytic_conv(alternative.spec, config);
      if (runtime::array_segment(run.network) == nullptr) continue;
      Comparison comparison;
      comparison.work = work(alternative.spec) / work(spec);
      comparison.cycles = static_cast<double>(run.run.total) / static_cast<double>(total);
      if (!comparison.gains()) continue;
      return comparison_text(static_cast<std::uint64_t>(alternative.size), "", comparison);
    } catch (const Error&) {
      continue;  // skip an alternative that cannot be compiled
    }
  }
  return std::nullopt;
}

/// The waste of rows that hold no element of the window. It suggests no other size, since none is
/// better for every convolution.
std::optional<ConvSuggestion> whole_windows(const runtime::ConvSpec& spec, std::int64_t tile) {
  const std::int64_t elements = spec.input[1] * spec.kernel[0] * spec.kernel[1];
  const std::int64_t padded = (elements + tile - 1) / tile * tile;
  if (padded == elements) return std::nullopt;
  ConvSuggestion suggestion;
  suggestion.waste = static_cast<double>(padded - elements) / static_cast<double>(padded);
  suggestion.statement =
      fmt::format("The {} elements of a window waste {} of the array",
                  grouped(static_cast<std::uint64_t>(elements)), percent(suggestion.waste));
  return suggestion;
}

std::vector<ConvSuggestion> suggestions(const runtime::ConvSpec& spec, const MachineConfig& config,
                                        bool is_packed) {
  std::vector<ConvSuggestion> found;
  const auto add = [&](std::optional<ConvSuggestion> suggestion) {
    if (suggestion) found.push_back(std::move(*suggestion));
  };
  add(whole_tiles(spec, spec.filters, config.array_cols, "filter",
                  [](runtime::ConvSpec& of, std::int64_t size) { of.filters = size; }));
  add(is_packed
          ? whole_windows(spec, config.array_rows)
          : whole_tiles(spec, spec.input[1], config.array_rows, "channel",
                        [](runtime::ConvSpec& of, std::int64_t size) { of.input[1] = size; }));
  std::ranges::stable_sort(found, std::greater{}, &ConvSuggestion::waste);
  return found;
}

}  // namespace

std::vector<std::string> conv_advice(const runtime::ConvSpec& spec, const MachineConfig& config,
                                     Cycle total, const runtime::ContractionShape& shape) {
  const bool is_packed = shape.is_packed;
  if (spec.groups > 1) {
    return {
        fmt::format("{} groups leave most of each tile empty: a group's filters see only its "
                    "own channels.",
                    spec.groups)};
  }
  if (shape.lines > 1) {
    return {fmt::format(
        "{} filters are too few for {} columns, so {} lines of the result share a row. Each pixel "
        "of a row then meets the weight 0 for the lines whose windows do not reach it.",
        spec.filters, config.array_cols, shape.lines)};
  }
  std::vector<std::string> sentences;
  for (const ConvSuggestion& suggestion : suggestions(spec, config, is_packed)) {
    const auto text = gain(spec, config, total, suggestion);
    sentences.push_back(suggestion.statement + (text ? "; " + *text + "." : "."));
  }
  if (sentences.empty()) {
    sentences.push_back(
        fmt::format("Nothing is padded: {} {} and {} filters are whole tiles of {} x {}.",
                    spec.input[1] * (is_packed ? spec.kernel[0] * spec.kernel[1] : 1),
                    is_packed ? "elements of a window" : "channels", spec.filters,
                    config.array_rows, config.array_cols));
  }
  return sentences;
}

}  // namespace weft::report
