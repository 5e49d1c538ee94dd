// Rows that `weft compare` wrote, by --csv or --json, as rows of another comparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/measurements/measurement.h"
#include "runtime/compare/imported/imports.h"

namespace weft::runtime {

/// A row of the file. Its device, type and figures are those of the file. A simulated or a modelled
/// row keeps its kind; a measured one is imported, and its basis begins with the kind it had.
struct TableRow {
  CompareRow row = {};
  std::optional<ComparedNetwork> network = {};  // else it is of the product row.shape
};

/// Reads the rows of a CSV or a JSON report. Throws InputError, beginning with the file's name, for
/// a file that is damaged, has other columns or keys, or impossible figures.
std::vector<TableRow> read_table_csv(const std::string& file);
std::vector<TableRow> read_table_json(const std::string& file);

class CompareTable : public ImportSource {
 public:
  CompareTable(std::string file, measurements::FileFormat format);

  const std::vector<TableRow>& rows() const { return rows_; }
  std::vector<std::vector<CompareRow>> products(
      const std::vector<devices::GemmShape>& shapes) override;
  std::vector<CompareRow> network(const ComparedNetwork& network, const graph::Graph& graph,
                                  double flop) override;
  ImportedFile summary() const override;
  std::vector<std::string> known_products() const override;

 private:
  std::string file_;
  measurements::FileFormat format_;
  std::vector<TableRow> rows_;
  std::vector<bool> matched_;
};

}  // namespace weft::runtime
