// A file of measurements as a source of rows.
#pragma once

#include <optional>
#include <vector>

#include "models/measurements/measurement.h"
#include "runtime/compare/imported/imports.h"

namespace weft::runtime {

class MeasuredFile : public ImportSource {
 public:
  MeasuredFile(measurements::MeasurementFile file, bool in_order);

  std::vector<std::vector<CompareRow>> products(
      const std::vector<devices::GemmShape>& shapes) override;
  std::vector<CompareRow> network(const ComparedNetwork& network, const graph::Graph& graph,
                                  double flop) override;
  std::vector<ImportedFile> summaries() const override;
  std::vector<std::string> known_products() const override;

 private:
  /// Rows of a file differ in device or type.
  struct Column {
    std::size_t device = 0;
    std::optional<devices::NumberFormat> format = {};
    friend bool operator==(const Column&, const Column&) = default;
  };

  bool is_product_of(const measurements::Measurement& measured,
                     const devices::GemmShape& shape) const;
  std::vector<Column> columns_of(const std::vector<devices::GemmShape>& shapes) const;
  CompareRow product_row(const Column& column, const devices::GemmShape& shape);
  CompareRow empty_row(const Column& column) const;

  measurements::MeasurementFile file_;
  bool in_order_;
  std::vector<bool> matched_;
};

}  // namespace weft::runtime
