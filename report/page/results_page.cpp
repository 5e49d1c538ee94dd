#include "report/page/results_page.h"

#include <fmt/format.h>

#include <filesystem>

namespace weft::report {
namespace {

std::string stem(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

}  // namespace

Json results_page_data(const ResultPair& pair, const std::string& command_line) {
  Json notes = Json::array();
  if (const auto note = workload_note(pair)) notes.push_back(*note);
  return {{"title", pair_title(pair)},
          {"name", fmt::format("compare {} {}", stem(pair.a.file), stem(pair.b.file))},
          {"command", command_line},
          {"lines", {run_line("A", pair.a), run_line("B", pair.b)}},
          {"notes", std::move(notes)},
          {"results", pair_json(pair).at("results")}};
}

}  // namespace weft::report
