// Rows that `weft compare` wrote, by --csv or --json, as rows of another comparison.
#pragma once

#include <nlohmann/json.hpp>
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

/// A file of rows. Only a JSON report says which files its rows were imported from.
struct TableFile {
  std::vector<TableRow> rows = {};
  std::vector<ImportedFile> imports = {};
};

/// Reads a CSV or a JSON report. Throws InputError, beginning with the file's name, for a file that
/// is damaged, has other columns or keys, or impossible figures.
TableFile read_table_csv(const std::string& file);
TableFile read_table_json(const std::string& file);

/// The files that the report in `file` imported, without those that are comparisons themselves.
/// Throws InputError, without the file's name.
std::vector<ImportedFile> recorded_imports(const nlohmann::ordered_json& report,
                                           const std::string& file);

class CompareTable : public ImportSource {
 public:
  CompareTable(std::string file, measurements::FileFormat format);

  const std::vector<TableRow>& rows() const { return table_.rows; }
  std::vector<std::vector<CompareRow>> products(
      const std::vector<devices::GemmShape>& shapes) override;
  std::vector<CompareRow> network(const ComparedNetwork& network, const graph::Graph& graph,
                                  double flop) override;
  std::vector<ImportedFile> summaries() const override;
  std::vector<std::string> known_products() const override;

 private:
  /// The rows of one column have the same device, kind and type, and differ in their products. If
  /// the file has several such rows of one product, they are `nth` 0, 1, ... in its order.
  struct Column {
    std::string device = {};
    RowKind kind = RowKind::kModelled;
    std::optional<devices::NumberFormat> format = {};
    std::size_t nth = 0;
    friend bool operator==(const Column&, const Column&) = default;
  };

  std::vector<Column> columns() const;
  CompareRow product_row(std::size_t like, const devices::GemmShape& shape);
  ImportedFile summary() const;

  std::string file_;
  measurements::FileFormat format_;
  TableFile table_;
  std::vector<Column> columns_;  // of each row
  std::vector<bool> matched_;    // each row
};

}  // namespace weft::runtime
