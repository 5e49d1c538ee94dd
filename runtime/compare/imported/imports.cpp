#include "runtime/compare/imported/imports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.h"
#include "models/measurements/read_file.h"
#include "runtime/compare/imported/compare_table.h"
#include "runtime/compare/imported/measured_file.h"

namespace weft::runtime {
namespace {

using measurements::FileFormat;

std::unique_ptr<ImportSource> open_source(const std::string& file, bool in_order) {
  measurements::MeasurementFile read = measurements::read_measurements(file);
  const bool is_table =
      read.format == FileFormat::kCompareCsv || read.format == FileFormat::kCompareJson;
  if (!is_table) return std::make_unique<MeasuredFile>(std::move(read), in_order);
  if (in_order) {
    throw InputError(
        fmt::format("{}: --in-order: has no effect on rows of weft compare; drop it", file));
  }
  return std::make_unique<CompareTable>(file, read.format);
}

/// "64x64x64, 128x64x10 and 7 more".
std::string some_of(const std::vector<std::string>& all) {
  constexpr std::size_t kShown = 4;
  const std::size_t shown = std::min(kShown, all.size());
  std::string text = fmt::format("{}", fmt::join(std::span(all).first(shown), ", "));
  if (all.size() > shown) text += fmt::format(" and {} more", all.size() - shown);
  return text;
}

[[noreturn]] void fail_without_match(const std::string& file, const ImportSource& source,
                                     const std::string& what) {
  const std::vector<std::string> known = source.known_products();
  if (!known.empty()) {
    throw InputError(fmt::format("{}: has nothing of {}; it has {}", file, what, some_of(known)));
  }
  const ImportedFile summary = source.summaries().front();
  const std::string why = summary.notes.empty() ? "" : fmt::format(" ({})", summary.notes.back());
  throw InputError(fmt::format(
      "{}: has nothing of {}{}; --in-order takes product kernels without shapes for its products",
      file, what, why));
}

}  // namespace

Imports::Imports(const std::vector<std::string>& files, bool in_order) : files_(files) {
  for (const std::string& file : files) sources_.push_back(open_source(file, in_order));
}

std::vector<std::vector<CompareRow>> Imports::products(
    const std::vector<devices::GemmShape>& shapes) {
  std::vector<std::vector<CompareRow>> rows(shapes.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    std::vector<std::vector<CompareRow>> more = sources_[i]->products(shapes);
    if (more.front().empty()) {
      const std::string first = measurements::shape_text(shapes.front());
      fail_without_match(files_[i], *sources_[i],
                         shapes.size() == 1 ? first : "the sizes from " + first + " on");
    }
    for (std::size_t at = 0; at < shapes.size(); ++at) {
      rows[at].insert(rows[at].end(), more[at].begin(), more[at].end());
    }
  }
  return rows;
}

std::vector<CompareRow> Imports::network(const ComparedNetwork& network, const graph::Graph& graph,
                                         double flop) {
  std::vector<CompareRow> rows;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    std::vector<CompareRow> more = sources_[i]->network(network, graph, flop);
    if (more.empty()) fail_without_match(files_[i], *sources_[i], "this network");
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

std::vector<ImportedFile> Imports::summaries() const {
  std::vector<ImportedFile> summaries;
  for (const auto& source : sources_) add_summaries(*source, summaries);
  return summaries;
}

void add_summaries(const ImportSource& source, std::vector<ImportedFile>& summaries) {
  for (ImportedFile& summary : source.summaries()) {
    if (!summary.devices.empty()) summaries.push_back(std::move(summary));
  }
}

}  // namespace weft::runtime
