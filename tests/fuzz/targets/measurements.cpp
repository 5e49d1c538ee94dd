// Files of measurements, whatever their format, as `weft compare --measured` reads them: what is
// accepted has times that can be summed, and can be matched with a product.
#include <cmath>

#include "models/measurements/read_file.h"
#include "runtime/compare/imported/compare_table.h"
#include "runtime/compare/imported/measured_file.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

using measurements::FileFormat;
using measurements::MeasurementFile;

void check_times(const MeasurementFile& file) {
  require(!file.measurements.empty(), "measurements");
  for (const measurements::Measurement& each : file.measurements) {
    require(each.device < file.devices.size(), "a device that is named");
    require(each.total >= 0 && std::isfinite(each.total), "a time that can be summed");
    require(each.count > 0, "a run");
  }
}

void match(runtime::ImportSource& source) {
  const std::vector<devices::GemmShape> shapes = {{64, 96, 32}, {8, 8, 8}};
  const auto rows = source.products(shapes);
  require(rows.front().size() == rows.back().size(), "the same devices for each product");
  for (const runtime::ImportedFile& summary : source.summaries()) {
    require(summary.matched_seconds() <= summary.seconds() * 1.0000001, "a share of the time");
  }
}

}  // namespace

bool measurements(std::string_view bytes) {
  const NamedFile file(bytes, ".dat");
  return accepts([&] {
    MeasurementFile read = measurements::read_measurements(file.path());
    if (read.format == FileFormat::kCompareCsv || read.format == FileFormat::kCompareJson) {
      runtime::CompareTable table(file.path(), read.format);
      match(table);
      return;
    }
    check_times(read);
    runtime::MeasuredFile source(std::move(read), false);
    match(source);
  });
}

}  // namespace weft::fuzz
