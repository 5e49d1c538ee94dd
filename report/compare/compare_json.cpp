#include <fmt/format.h>

#include <cmath>

#include "report/compare/compare_report.h"
#include "report/csv/csv.h"

namespace weft::report {
namespace {

Json shape_json(const runtime::CompareRow& row) {
  if (row.shape.m == 0) return nullptr;
  return {{"m", row.shape.m}, {"k", row.shape.k}, {"n", row.shape.n}};
}

Json tera_json(const std::optional<double>& flop_per_second) {
  return flop_per_second ? Json(*flop_per_second / 1e12) : Json(nullptr);
}

/// JSON has no NaN, so NaN becomes null, and so does an unknown error.
Json error_json(const runtime::CompareRow& row) {
  if (!row.max_abs_error || !std::isfinite(*row.max_abs_error)) return nullptr;
  return *row.max_abs_error;
}

Json row_json(const runtime::CompareRow& row, const runtime::CompareReport& report) {
  Json json = {{"device", row.device},
               {"title", row.title},
               {"kind", to_string(row.kind)},
               {"dtype", row.format ? Json(row.format_name()) : Json(nullptr)},
               {"shape", shape_json(row)},
               {"seconds", or_null(row.seconds)},
               {"clock_hz", or_null(row.clock_hz)},
               {"cycles", or_null(row.cycles())},
               {"flop", row.flop},
               {"tflops", tera_json(row.flop_per_second())},
               {"peak_tflops", tera_json(row.peak)},
               {"share_of_peak", or_null(row.share_of_peak())},
               {"waste", or_null(row.waste)},
               {"max_abs_error", error_json(row)},
               {"basis", row.basis},
               {"details", row.details}};
  if (report.energy) {
    json["joules"] = or_null(row.joules);
    json["watts"] = or_null(row.watts());
    json["array_mm2"] = or_null(row.area_mm2);
  }
  if (report.price) {
    json["price_per_hour"] = or_null(row.price_per_hour);
    json["price_per_million"] = or_null(row.price_of_million());
  }
  return json;
}

Json workload_json(const runtime::CompareReport& report) {
  if (report.network) {
    return {{"network", report.network->name},
            {"batch", report.network->batch},
            {"sequence", or_null(report.network->sequence)},
            {"kv_cache", or_null(report.network->kv_cache)},
            {"products", report.network->products}};
  }
  Json workload = {{"m", report.shape.m}, {"k", report.shape.k}, {"n", report.shape.n}};
  if (report.sweep) workload[std::string(1, report.sweep->dimension)] = nullptr;
  return workload;
}

Json import_json(const runtime::ImportedFile& file) {
  Json devices = Json::array();
  for (const runtime::ImportedDevice& device : file.devices) {
    devices.push_back({{"device", device.name},
                       {"seconds", device.seconds},
                       {"matched_seconds", device.matched_seconds}});
  }
  Json unmatched = Json::array();
  for (const runtime::UnmatchedTime& time : file.unmatched) {
    unmatched.push_back({{"device", time.device},
                         {"name", time.name},
                         {"operands", time.operands},
                         {"count", time.count},
                         {"seconds", time.seconds}});
  }
  return {{"file", file.file},
          {"format", file.format},
          {"time_of", file.time_of},
          {"seconds", file.seconds()},
          {"matched_seconds", file.matched_seconds()},
          {"devices", std::move(devices)},
          {"unmatched", std::move(unmatched)},
          {"notes", file.notes},
          {"of_rows", file.of_rows},
          {"recorded_in", file.recorded_in.empty() ? Json(nullptr) : Json(file.recorded_in)}};
}

Json imports_json(const runtime::CompareReport& report) {
  Json imports = Json::array();
  for (const runtime::ImportedFile& file : report.imports) imports.push_back(import_json(file));
  return imports;
}

Json sizes_json(const runtime::CompareReport& report) {
  if (!report.sweep) return nullptr;
  return {{"dimension", std::string(1, report.sweep->dimension)},
          {"step", report.sweep->step},
          {"sizes", report.sweep->sizes}};
}

template <class T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::to_string(*value) : std::string();
}

std::string tera_field(const std::optional<double>& flop_per_second) {
  return flop_per_second ? fmt::to_string(*flop_per_second / 1e12) : std::string();
}

std::string cost_fields(const runtime::CompareReport& report, const runtime::CompareRow& row) {
  std::string fields;
  if (report.energy) {
    fields += fmt::format(",{},{},{}", field(row.joules), field(row.watts()), field(row.area_mm2));
  }
  if (report.price) {
    fields += fmt::format(",{},{}", field(row.price_per_hour), field(row.price_of_million()));
  }
  return fields;
}

std::string network_fields(const runtime::CompareReport& report) {
  if (!report.network) return ",,,";
  const runtime::ComparedNetwork& network = *report.network;
  return fmt::format(",{},{},{}", network.batch, field(network.sequence), field(network.kv_cache));
}

std::string csv_line(const runtime::CompareReport& report, const runtime::CompareRow& row) {
  const bool product = row.shape.m > 0;
  const auto size = [&](std::uint64_t value) { return product ? fmt::to_string(value) : ""; };
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(row.device),
                     to_string(row.kind), row.format_name(),
                     product ? "matmul" : csv_field(report.network->name), size(row.shape.m),
                     size(row.shape.k), size(row.shape.n), field(row.seconds), field(row.cycles()),
                     field(row.clock_hz), tera_field(row.flop_per_second()), tera_field(row.peak),
                     field(row.share_of_peak()), field(row.waste), field(row.max_abs_error)) +
         cost_fields(report, row) + network_fields(report) + '\n';
}

}  // namespace

Json compare_json(const runtime::CompareReport& report) {
  Json rows = Json::array();
  for (const runtime::CompareRow& row : report.rows) rows.push_back(row_json(row, report));
  return {{"schema", 1},
          {"command", "compare"},
          {"workload", workload_json(report)},
          {"sweep", sizes_json(report)},
          {"rows", std::move(rows)},
          {"imports", imports_json(report)}};
}

std::string compare_csv(const runtime::CompareReport& report) {
  std::string text =
      "device,kind,dtype,workload,m,k,n,seconds,cycles,clock_hz,tflops,peak_tflops,share_of_peak,"
      "waste,max_abs_error";
  if (report.energy) text += ",joules,watts,array_mm2";
  if (report.price) text += ",price_per_hour,price_per_million";
  text += ",batch,sequence,kv_cache\n";
  for (const runtime::CompareRow& row : report.rows) text += csv_line(report, row);
  return text;
}

}  // namespace weft::report
