#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/printable.h"
#include "models/measurements/csv_tables.h"

namespace weft::measurements {
namespace {

constexpr std::size_t kMostNcuKernels = std::size_t{1} << 22U;
constexpr std::string_view kDuration = "gpu__time_duration";
constexpr std::string_view kDeviceName = "device__attribute_display_name";

bool is_duration(std::string_view metric) {
  return metric.starts_with(kDuration) || metric == "Duration";
}

}  // namespace

std::optional<std::size_t> column_of(const CsvFields& header,
                                     std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (header[i].starts_with(name)) return i;
    }
  }
  return std::nullopt;
}

namespace {

/// True if each row has one metric of a kernel. Otherwise it has all of them.
bool has_metrics(const CsvFields& header) {
  return column_of(header, {"Metric Name"}) && column_of(header, {"Metric Value"});
}

}  // namespace

bool NcuTable::is_header(const CsvFields& fields) {
  if (!column_of(fields, {"Kernel Name"})) return false;
  return has_metrics(fields) || column_of(fields, {kDuration});
}

void NcuTable::begin(const CsvFields& header) {
  width_ = header.size();
  id_ = column_of(header, {"ID"});
  process_ = column_of(header, {"Process ID"});
  kernel_ = column_of(header, {"Kernel Name"});
  device_ = column_of(header, {"Device"});
  capability_ = column_of(header, {"CC"});
  metric_ = has_metrics(header) ? column_of(header, {"Metric Name"}) : std::nullopt;
  unit_ = column_of(header, {"Metric Unit"});
  value_ = column_of(header, {"Metric Value"});
  duration_ = column_of(header, {kDuration});
  device_name_ = column_of(header, {kDeviceName});
  rule_ = column_of(header, {"Rule Name"});
  duration_unit_.reset();
}

std::string NcuTable::field(const CsvFields& fields,
                            const std::optional<std::size_t>& place) const {
  return place ? fields[*place] : std::string();
}

void NcuTable::add(const CsvFields& fields, std::uint64_t line) {
  if (fields.size() == 1) return;  // "==PROF== Disconnected from process 1", an empty line
  // ncu leaves the columns of rules out of a metric's row, but for an empty first one.
  if (rule_ && fields.size() == *rule_ + 1 && fields.size() < width_ && fields.back().empty()) {
    CsvFields whole = fields;
    whole.resize(width_);
    return add(whole, line);
  }
  if (fields.size() != width_) {
    throw InputError(fmt::format("line {}: has {} fields, but the header {}; is the file damaged?",
                                 line, fields.size(), width_));
  }
  if (metric_) {
    add_metric(fields, line);
  } else if (fields[*kernel_].empty() && seconds_of_unit(fields[*duration_])) {
    duration_unit_ = fields[*duration_];
  } else {
    add_kernel(fields, line);
  }
}

void NcuTable::add_metric(const CsvFields& fields, std::uint64_t line) {
  style_.see(read_number(fields[*value_]));
  const std::string& metric = fields[*metric_];
  if (metric == kDeviceName) device_names_[device_of(fields)] = fields[*value_];
  if (!is_duration(metric)) return;
  // The section of the duration and --metrics may both give it for one kernel.
  const std::string which = field(fields, process_) + ' ' + field(fields, id_);
  if (id_ && which == last_) return;
  last_ = which;
  add_duration(fields, fields[*value_], unit_ ? fields[*unit_] : "ns", line);
}

void NcuTable::add_kernel(const CsvFields& fields, std::uint64_t line) {
  for (std::size_t i = *kernel_ + 1; i < fields.size(); ++i) style_.see(read_number(fields[i]));
  if (device_name_) device_names_[device_of(fields)] = fields[*device_name_];
  if (!duration_unit_) {
    throw InputError(
        fmt::format("line {}: no row of units after the header; export with --page raw", line));
  }
  add_duration(fields, fields[*duration_], *duration_unit_, line);
}

void NcuTable::add_duration(const CsvFields& fields, std::string_view text, std::string_view unit,
                            std::uint64_t line) {
  const auto seconds = seconds_of_unit(unit);
  const NumberReadings duration = read_number(text);
  if (!seconds || !duration.is_number()) {
    throw InputError(fmt::format("line {}: the duration {} with the unit {} is no time", line,
                                 printable(text), printable(unit)));
  }
  if (kernels_.size() == kMostNcuKernels) {
    throw InputError(fmt::format("has more than {} kernels; profile fewer", kMostNcuKernels));
  }
  const double in_ns = *seconds * 1e9 * duration.point.value_or(0);
  has_fraction_of_ns_ |= *seconds == 1e-9 && in_ns != std::floor(in_ns);
  // Of "7,123" us nobody knows; a comma in whole ns stands between groups.
  const bool is_open =
      *seconds > 1e-9 && duration.point && duration.comma && *duration.point > *duration.comma;
  if (is_open && open_comma_.empty()) open_comma_ = fmt::format("{} {}", printable(text), unit);
  kernels_.push_back({names_.number_of(fields[*kernel_]), device_of(fields), duration, *seconds});
}

/// "0" and its compute capability, which tell devices apart until one has a name.
std::uint32_t NcuTable::device_of(const CsvFields& fields) {
  const std::string device = field(fields, device_);
  const std::string capability = field(fields, capability_);
  std::string name = "GPU";
  if (!device.empty()) name += ' ' + device;
  if (!capability.empty()) name += ", compute capability " + capability;
  return devices_.number_of(name);
}

MeasurementFile NcuTable::take() {
  const bool comma = style_.is_comma();
  // A GPU counts whole ns, so "117.344" ns may well be 117,344 ns in a German export.
  if (style_.is_open() && has_fraction_of_ns_) {
    throw InputError(
        "has numbers that mean one thing with a decimal point and another with a decimal comma; "
        "export it again with LC_ALL=C");
  }
  if (style_.is_open() && !open_comma_.empty()) {
    throw InputError(fmt::format(
        "has times such as {}, and nothing in the file says whether the comma is a decimal one; "
        "export it again with LC_ALL=C, without separators",
        open_comma_));
  }
  MeasurementFile file;
  file.format = FileFormat::kNcuCsv;
  file.time_of = "duration of the kernel, alone and with the clocks that ncu sets";
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    const auto named = device_names_.find(i);
    file.devices.push_back(named == device_names_.end() ? devices_.name(i) : named->second);
  }
  MeasurementGroups groups;
  std::int64_t order = 0;
  for (const Kernel& kernel : kernels_) {
    const auto& value = comma ? kernel.duration.comma : kernel.duration.point;
    const std::string& name = names_.name(kernel.name);
    const double seconds = checked_seconds(*value * kernel.unit, "the kernel " + printable(name));
    groups.add(kernel.device, {0, kernel.name, false}, {order++, seconds}, [&] {
      Measurement made;
      made.name = name;
      made.is_product = names_product(name);
      return made;
    });
  }
  file.measurements = groups.take();
  if (file.measurements.empty()) {
    throw InputError("has no duration of a kernel; run ncu with --metrics gpu__time_duration.sum");
  }
  file.notes.emplace_back("its kernels have no shapes");
  return file;
}

}  // namespace weft::measurements
