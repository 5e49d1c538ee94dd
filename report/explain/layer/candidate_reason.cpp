#include "report/explain/layer/candidate_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "report/layer_table.h"
#include "report/text.h"
#include "sim/analysis/result.h"

namespace weft::report {
namespace {

using runtime::CandidateRun;

/// In what the cycles of each class of the ledger pass, in the order of kLedgerClasses.
constexpr std::array<std::string_view, kLedgerClasses.size()> kPassing = {
    "in which rows enter the array",
    "in which weights shift in",
    "waiting for weights",
    "waiting for activations",
    "waiting for results of the vector unit",
    "filling and draining the array",
    "in which only the vector unit works",
    "in which only stores are under way",
    "with nothing under way"};

struct Difference {
  Cycle cycles = 0;
  std::string where;
};

std::map<std::string, Cycle> cycles_of_layers(const CandidateRun& run) {
  std::map<std::string, Cycle> cycles;
  for (const runtime::LayerRun& layer : run.layers) cycles[layer.info.name] += layer.cycles;
  return cycles;
}

/// By class in the layer itself, and as a whole in each other layer. They sum to the difference of
/// the runs.
std::vector<Difference> differences(const CandidateRun& from, const CandidateRun& to) {
  std::vector<Difference> all;
  const CycleLedger ledger = to.asked().ledger - from.asked().ledger;
  for (std::size_t i = 0; i < kLedgerClasses.size(); ++i) {
    all.push_back({ledger.*kLedgerClasses[i].cycles, std::string(kPassing[i])});
  }
  std::map<std::string, Cycle> others = cycles_of_layers(to);
  for (const auto& [name, cycles] : cycles_of_layers(from)) others[name] -= cycles;
  others.erase(from.asked().info.name);
  for (const auto& [name, cycles] : others) {
    all.push_back({cycles, fmt::format("in layer {}", name)});
  }
  return all;
}

/// "3.1 % more bytes"; empty for the same number.
std::string bytes_change(const runtime::LayerRun& from, const runtime::LayerRun& to) {
  const std::uint64_t before = moved_bytes(from.info);
  const std::uint64_t after = moved_bytes(to.info);
  if (before == after) return "";
  if (before == 0) return fmt::format("moves {}", si(static_cast<double>(after), "B"));
  const double ratio = static_cast<double>(after) / static_cast<double>(before);
  if (ratio >= 2) return fmt::format("{:.1f} times the bytes", ratio);
  return fmt::format("{} {} bytes", percent(std::abs(ratio - 1)), ratio > 1 ? "more" : "fewer");
}

}  // namespace

std::string candidate_reason(const CandidateRun& chosen, const CandidateRun& candidate) {
  const Cycle change = candidate.total - chosen.total;
  const std::vector<Difference> all = differences(chosen, candidate);
  const auto along = [&](const Difference& each) {
    return change < 0 ? -each.cycles : each.cycles;
  };
  const auto largest = std::ranges::max_element(all, {}, along);
  std::string text = "the same cycles";
  if (change != 0) {
    text = fmt::format("{} {}: {} {} {}", signed_text(change),
                       std::abs(change) == 1 ? "cycle" : "cycles",
                       grouped(static_cast<std::uint64_t>(along(*largest))),
                       change > 0 ? "more" : "fewer", largest->where);
  }
  const std::string bytes = bytes_change(chosen.asked(), candidate.asked());
  return bytes.empty() ? text : text + "; " + bytes;
}

}  // namespace weft::report
