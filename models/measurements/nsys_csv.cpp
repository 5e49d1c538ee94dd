#include <fmt/format.h>

#include "base/error.h"
#include "base/printable.h"
#include "models/measurements/csv_tables.h"

namespace weft::measurements {
namespace {

constexpr std::size_t kMostRuns = std::size_t{1} << 23U;

/// Seconds of the unit in "Duration (ns)" or "Total Time(us)".
double unit_in(std::string_view column) {
  const std::size_t open = column.find('(');
  const std::size_t close = column.find(')');
  if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
    if (const auto unit = seconds_of_unit(column.substr(open + 1, close - open - 1))) return *unit;
  }
  throw InputError(fmt::format("the column {} has no unit of time", printable(column)));
}

bool is_trace(const CsvFields& fields) {
  return column_of(fields, {"Start ("}) == std::optional<std::size_t>(0) &&
         column_of(fields, {"Duration"}) && column_of(fields, {"CorrId"}) &&
         column_of(fields, {"Name"});
}

bool is_summary(const CsvFields& fields) {
  return column_of(fields, {"Total Time"}) && column_of(fields, {"Instances"}) &&
         column_of(fields, {"Name"});
}

/// The header of another report of nsys, whose rows are skipped.
bool is_other_header(const CsvFields& fields) {
  return fields[0].starts_with("Time (%)") || fields[0].starts_with("Time(%)") ||
         fields[0].starts_with("Start (") || fields[0].starts_with("Total (MB)");
}

}  // namespace

bool NsysTable::is_header(const CsvFields& fields) {
  return is_trace(fields) || is_summary(fields);
}

void NsysTable::begin(const CsvFields& header) {
  width_ = header.size();
  name_ = column_of(header, {"Name"});
  start_ = is_trace(header) ? column_of(header, {"Start"}) : std::nullopt;
  if (start_) {
    duration_ = column_of(header, {"Duration"});
    device_ = column_of(header, {"Device"});
    unit_ = unit_in(header[*duration_]);
    return;
  }
  total_ = column_of(header, {"Total Time"});
  instances_ = column_of(header, {"Instances"});
  median_ = column_of(header, {"Med"});
  mean_ = column_of(header, {"Avg", "Average"});
  unit_ = unit_in(header[*total_]);
}

double NsysTable::number(const CsvFields& fields, std::size_t place, std::uint64_t line) const {
  // nsys writes plain numbers; anything else is another table or a damaged file.
  const auto value = time_of(fields[place], 1);
  if (value) return *value;
  throw InputError(fmt::format("line {}: {} is no number", line, printable(fields[place])));
}

void NsysTable::add(const CsvFields& fields, std::uint64_t line) {
  if (fields.size() == 1) return;  // "Processing [...] with [...]", an empty line
  if (is_other_header(fields)) width_ = 0;
  if (width_ == 0) return;
  if (fields.size() != width_) {
    throw InputError(fmt::format("line {}: has {} fields, but the header {}; is the file damaged?",
                                 line, fields.size(), width_));
  }
  if (start_) {
    add_run(fields, line);
  } else {
    add_sum(fields, line);
  }
}

void NsysTable::add_run(const CsvFields& fields, std::uint64_t line) {
  const double start = number(fields, *start_, line);
  const double duration = number(fields, *duration_, line);
  const std::string& name = fields[*name_];
  const double seconds =
      checked_seconds(duration * unit_, fmt::format("line {}: {}", line, printable(name)));
  if (!(start > -0x1p61 && start < 0x1p61)) {
    throw InputError(fmt::format("line {}: starts at an impossible time", line));
  }
  if (++runs_ > kMostRuns) {
    throw InputError(fmt::format("has more than {} rows; profile fewer steps", kMostRuns));
  }
  const std::string device = device_ && !fields[*device_].empty() ? fields[*device_] : "GPU";
  groups_.add(devices_.number_of(device), {0, names_.number_of(name), false},
              {static_cast<std::int64_t>(start), seconds}, [&] {
                Measurement made;
                made.name = name;
                made.is_product = names_product(name);
                return made;
              });
}

void NsysTable::add_sum(const CsvFields& fields, std::uint64_t line) {
  constexpr double kMostCount = 0x1p53;
  Measurement sum;
  sum.name = fields[*name_];
  sum.is_product = names_product(sum.name);
  const std::string what = fmt::format("line {}: {}", line, printable(sum.name));
  const double count = number(fields, *instances_, line);
  if (!(count >= 1 && count <= kMostCount)) {
    throw InputError(fmt::format("line {}: the number of instances is impossible", line));
  }
  sum.count = static_cast<std::uint64_t>(count);
  sum.total = checked_seconds(number(fields, *total_, line) * unit_, what);
  sum.is_mean = !median_;
  const auto& middle = median_ ? median_ : mean_;
  sum.median =
      middle ? checked_seconds(number(fields, *middle, line) * unit_, what) : sum.total / count;
  if (sum.is_product) check_product_time(sum);
  if (sums_.size() == kMostRuns) throw InputError("has too many rows");
  sums_.push_back(std::move(sum));
}

MeasurementFile NsysTable::take() {
  MeasurementFile file;
  file.time_of = "duration of the kernel";
  file.notes.emplace_back("its kernels have no shapes");
  if (runs_ > 0) {
    file.format = FileFormat::kNsysTrace;
    for (std::uint32_t i = 0; i < devices_.size(); ++i) file.devices.push_back(devices_.name(i));
    file.measurements = groups_.take();
    if (!sums_.empty())
      file.notes.emplace_back("its summary counts the same kernels; it is left out");
    return file;
  }
  file.format = FileFormat::kNsysSummary;
  file.devices = {"GPU"};
  file.measurements = std::move(sums_);
  if (file.measurements.empty()) throw InputError("has a header of nsys, but no kernels");
  return file;
}

}  // namespace weft::measurements
