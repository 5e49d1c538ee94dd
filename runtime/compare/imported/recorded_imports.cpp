// What a report of `weft compare` says of the files that its rows were imported from.
#include <fmt/format.h>

#include <cstdint>

#include "base/error.h"
#include "base/printable.h"
#include "models/measurements/measurement.h"
#include "runtime/compare/imported/compare_table.h"

namespace weft::runtime {
namespace {

using Json = nlohmann::ordered_json;
using measurements::FileFormat;

/// Sums of many runs may be longer than one run.
constexpr double kMostSeconds = 1e15;

/// Reads one entry. Messages begin with its place.
class ImportReader {
 public:
  explicit ImportReader(std::string place) : place_(std::move(place)) {}

  ImportedFile read(const Json& entry) const {
    ImportedFile file;
    file.file = text(entry, "file");
    file.format = text(entry, "format");
    file.time_of = text(entry, "time_of");
    for (const Json& device : list(entry, "devices")) {
      file.devices.push_back({text(device, "device"), number(device, "seconds", kMostSeconds),
                              number(device, "matched_seconds", kMostSeconds)});
    }
    for (const Json& time : list(entry, "unmatched")) {
      file.unmatched.push_back({text(time, "device"), text(time, "name"), text(time, "operands"),
                                static_cast<std::uint64_t>(number(time, "count", 0x1p53)),
                                number(time, "seconds", kMostSeconds)});
    }
    for (const Json& note : list(entry, "notes")) {
      if (!note.is_string()) fail("notes");
      file.notes.push_back(visible_text(note.get<std::string>()));
    }
    return file;
  }

 private:
  [[noreturn]] void fail(const char* key) const {
    throw InputError(fmt::format("{}: {} is missing or none that weft writes", place_, key));
  }

  const Json& at(const Json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) fail(key);
    return object[key];
  }

  std::string text(const Json& object, const char* key) const {
    const Json& value = at(object, key);
    if (!value.is_string()) fail(key);
    return visible_text(value.get<std::string>());
  }

  double number(const Json& object, const char* key, double most) const {
    const Json& value = at(object, key);
    if (!value.is_number()) fail(key);
    const auto number = value.get<double>();
    if (!(number >= 0 && number <= most)) fail(key);
    return number;
  }

  const Json& list(const Json& object, const char* key) const {
    const Json& value = at(object, key);
    if (!value.is_array()) fail(key);
    return value;
  }

  std::string place_;
};

/// The rows of such a file are rows of the report, so its time is already counted.
bool is_comparison(const ImportedFile& file) {
  return file.format == measurements::title_of(FileFormat::kCompareCsv) ||
         file.format == measurements::title_of(FileFormat::kCompareJson);
}

}  // namespace

std::vector<ImportedFile> recorded_imports(const Json& report, const std::string& file) {
  std::vector<ImportedFile> imports;
  const auto entries = report.find("imports");
  if (entries == report.end()) return imports;  // an older weft wrote it
  if (!entries->is_array()) throw InputError("imports is no list");
  for (std::size_t i = 0; i < entries->size(); ++i) {
    ImportedFile import = ImportReader(fmt::format("imports[{}]", i)).read((*entries)[i]);
    if (is_comparison(import)) continue;
    import.recorded_in = file;
    imports.push_back(std::move(import));
  }
  return imports;
}

}  // namespace weft::runtime
