// Rows of `weft compare` that were measured elsewhere: files of measurements (models/measurements)
// and of other comparisons, matched with the product or the network that is compared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/compare/comparison.h"

namespace weft::runtime {

/// One file. What was matched is remembered, so that the rest can be listed.
class ImportSource {
 public:
  virtual ~ImportSource() = default;
  ImportSource() = default;
  ImportSource(const ImportSource&) = delete;
  ImportSource& operator=(const ImportSource&) = delete;

  /// The rows of each product. Every product has rows of the same devices in the same order; a row
  /// without a time says that the file does not have this product.
  virtual std::vector<std::vector<CompareRow>> products(
      const std::vector<devices::GemmShape>& shapes) = 0;
  virtual std::vector<CompareRow> network(const ComparedNetwork& network, const graph::Graph& graph,
                                          double flop) = 0;
  /// The file, then those that it records.
  virtual std::vector<ImportedFile> summaries() const = 0;
  /// The sizes of the products that it has, for a message; empty if it has none.
  virtual std::vector<std::string> known_products() const = 0;
};

class Imports {
 public:
  /// Reads the files. With `in_order`, product kernels without shapes are those of the workload, in
  /// its order. Throws InputError.
  Imports(const std::vector<std::string>& files, bool in_order);

  /// The rows of each product, as ImportSource::products(). Throws InputError if nothing in a file
  /// matches.
  std::vector<std::vector<CompareRow>> products(const std::vector<devices::GemmShape>& shapes);
  /// The rows of the network: its time is the sum of those of the layers that a file has. Throws
  /// InputError if nothing in a file matches.
  std::vector<CompareRow> network(const ComparedNetwork& network, const graph::Graph& graph,
                                  double flop);
  std::vector<ImportedFile> summaries() const;

 private:
  std::vector<std::string> files_;
  std::vector<std::unique_ptr<ImportSource>> sources_;
};

/// Appends the summaries that have measurements; rows of simulations and models are none.
void add_summaries(const ImportSource& source, std::vector<ImportedFile>& summaries);

/// Throws InputError if the file is a trace or a table that only --measured takes. For better
/// messages about files that are no reports.
void check_is_no_measurement(const std::string& file);

/// The rows that other comparisons wrote by --csv or --json, in one report. Nothing runs. Throws
/// InputError unless all rows are of one network, of one product, or of products that differ in
/// one size.
CompareReport compare_tables(const std::vector<std::string>& files);

}  // namespace weft::runtime
