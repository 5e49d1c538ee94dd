// The table of a network's layers: where each runs, its tiles, its cycles by class.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/program/network_program.h"
#include "report/report.h"
#include "report/text.h"

namespace weft::report {

/// The columns that divide the cycles of layers into classes of the ledger, in percent. A class has
/// a column only if its share of some layer's cycles is at least 0.5 %.
class LedgerColumns {
 public:
  /// The table has a row with this layer.
  void add(const runtime::LayerRun& layer);

  std::size_t count() const;
  void add_headings(std::vector<std::string>& row) const;
  void add_cells(const runtime::LayerRun& layer, std::vector<std::string>& row) const;
  /// "% of cycles: act array_active, wght weight_stall"; empty if no column needs an explanation.
  std::string legend() const;

 private:
  std::array<bool, kLedgerClasses.size()> shown_ = {};
};

/// Tiles along K, along N and chunks of rows, "4x2x3", and the percentage of the issued MACs that
/// is padding. Both are empty for a layer that the array does not run.
std::string tiles_cell(const compiler::LayerInfo& info);
std::string padding_cell(const compiler::LayerInfo& info);

/// Between the unified buffer or weight FIFO and memory or host: weights, inputs and outputs.
std::uint64_t moved_bytes(const compiler::LayerInfo& info);

/// The name of a layer as the table has it: a long one without its middle.
std::string short_layer_name(const std::string& name);

/// One row per layer, then what the columns mean and the notes on layers. At most about 140
/// columns.
std::string layer_table(const RunReport& report, const Style& style);

}  // namespace weft::report
