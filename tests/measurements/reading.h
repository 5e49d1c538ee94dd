// Reads a file of measurements from text, and the message with which it is refused.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "models/measurements/read_file.h"
#include "tests/cli/temporary_folder.h"

namespace weft::measurements {

inline MeasurementFile read_text(std::string_view text) {
  const test::TemporaryFolder folder;
  return read_measurements(folder.write("file", text));
}

/// Without the file's name; empty if the text is read.
inline std::string refusal(std::string_view text) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("file", text);
  try {
    read_measurements(file);
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.starts_with(file + ": ") && std::count(what.begin(), what.end(), '\n') == 0
               ? what.substr(file.size() + 2)
               : "not one line with the file's name: " + what;
  }
  return "";
}

/// The measurement of this name; a measurement without runs if there is none.
inline Measurement named(const MeasurementFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.measurements, name, &Measurement::name);
  return found == file.measurements.end() ? Measurement() : *found;
}

}  // namespace weft::measurements
