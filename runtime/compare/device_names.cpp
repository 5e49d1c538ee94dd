#include "runtime/compare/device_names.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace weft::runtime {
namespace {

std::string file_of(const CompareRow& row) {
  return row.details.value("file", std::string());
}

bool same_device(const CompareRow& a, const CompareRow& b) {
  return a.device == b.device && a.format == b.format;
}

/// What is added to the name of row `at`; empty if the name is unique or the row is of no file.
std::string mark_of(const std::vector<CompareRow>& rows, std::size_t at, std::size_t devices) {
  const std::string file = file_of(rows[at]);
  if (file.empty()) return "";
  std::size_t sharing = 0;
  std::size_t of_file = 0;
  std::size_t number = 0;
  for (std::size_t i = 0; i < devices; ++i) {
    if (!same_device(rows[i], rows[at])) continue;
    ++sharing;
    if (file_of(rows[i]) != file) continue;
    ++of_file;
    if (i <= at) ++number;
  }
  if (sharing == 1) return "";
  return of_file == 1 ? fmt::format(" ({})", file) : fmt::format(" ({}, {})", file, number);
}

}  // namespace

void tell_apart(CompareReport& report) {
  // A sweep has the same devices for each size.
  const std::size_t sizes = report.sweep ? report.sweep->sizes.size() : 1;
  const std::size_t devices = report.rows.size() / sizes;
  std::vector<std::string> marks;
  for (std::size_t i = 0; i < devices; ++i) marks.push_back(mark_of(report.rows, i, devices));
  for (std::size_t i = 0; i < report.rows.size(); ++i) report.rows[i].device += marks[i % devices];
}

}  // namespace weft::runtime
