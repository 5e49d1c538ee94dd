// The tables that profilers write as CSV. A table knows its own header, takes rows one at a time,
// and gives the measurements in the end. All errors are InputErrors without the file's name.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/measurements/measurement.h"
#include "models/measurements/measurement_groups.h"
#include "models/measurements/name_table.h"
#include "models/measurements/number_text.h"

namespace weft::measurements {

using CsvFields = std::vector<std::string>;

/// The place of the first field that begins with one of the names; nullopt if none does.
std::optional<std::size_t> column_of(const CsvFields& header,
                                     std::initializer_list<std::string_view> names);

/// `ncu --csv`: a row for each metric of a kernel, or with --page raw one for each kernel, with a
/// row of units after the header.
class NcuTable {
 public:
  static bool is_header(const CsvFields& fields);
  void begin(const CsvFields& header);
  void add(const CsvFields& fields, std::uint64_t line);
  MeasurementFile take();

 private:
  struct Kernel {
    std::uint32_t name = 0;
    std::uint32_t device = 0;
    NumberReadings duration = {};  // in units
    double unit = 0;               // seconds
  };

  void add_metric(const CsvFields& fields, std::uint64_t line);
  void add_kernel(const CsvFields& fields, std::uint64_t line);
  void add_duration(const CsvFields& fields, std::string_view text, std::string_view unit,
                    std::uint64_t line);
  std::uint32_t device_of(const CsvFields& fields);
  std::string field(const CsvFields& fields, const std::optional<std::size_t>& place) const;

  std::size_t width_ = 0;
  std::optional<std::size_t> id_, process_, kernel_, device_, capability_;
  std::optional<std::size_t> metric_, unit_, value_;   // of rows for each metric
  std::optional<std::size_t> rule_;                    // the first column of ncu's advice
  std::optional<std::size_t> duration_, device_name_;  // of rows for each kernel
  std::optional<std::string> duration_unit_;           // from the row of units
  std::string last_;                                   // process and id of the last kernel
  std::vector<Kernel> kernels_;
  NameTable names_, devices_;
  std::map<std::uint32_t, std::string> device_names_;
  NumberStyle style_;
  bool has_fraction_of_ns_ = false;
  std::string open_comma_;  // the first duration whose comma may be either; "" if there is none
};

/// `nsys stats --format csv`: cuda_gpu_trace has a row for each kernel, cuda_gpu_kern_sum one for
/// all kernels of a name.
class NsysTable {
 public:
  static bool is_header(const CsvFields& fields);
  void begin(const CsvFields& header);
  void add(const CsvFields& fields, std::uint64_t line);
  MeasurementFile take();

 private:
  void add_run(const CsvFields& fields, std::uint64_t line);
  void add_sum(const CsvFields& fields, std::uint64_t line);
  double number(const CsvFields& fields, std::size_t place, std::uint64_t line) const;

  std::size_t width_ = 0;
  std::optional<std::size_t> start_, duration_, device_, name_;
  std::optional<std::size_t> total_, instances_, median_, mean_;
  double unit_ = 0;  // seconds
  std::size_t runs_ = 0;
  NameTable names_, devices_;
  MeasurementGroups groups_;
  std::deque<Measurement> sums_;
};

/// The products' CSV (docs/compare.md).
class ProductsTable {
 public:
  static bool is_header(const CsvFields& fields);
  void begin(const CsvFields& header);
  /// A comment "# device: NAME" or "# dtype: TYPE" holds for the rows after it.
  void comment(std::string_view text, std::uint64_t line);
  void add(const CsvFields& fields, std::uint64_t line);
  MeasurementFile take();

 private:
  std::size_t width_ = 0;
  std::optional<std::size_t> name_, shape_, time_, dtype_, device_, count_;
  double unit_ = 0;  // seconds of a time without a unit; 0: it needs one
  std::string usual_device_;
  std::optional<devices::NumberFormat> usual_format_;
  NameTable keys_, devices_;
  std::deque<Measurement> rows_;
};

/// Reads a shape as shape_text() writes it. Throws InputError.
devices::GemmShape parse_shape(std::string_view text);

}  // namespace weft::measurements
