// Reads a file of measurements, whatever its format: the content tells, not the name.
#pragma once

#include <string>

#include "models/measurements/measurement.h"

namespace weft::measurements {

/// Reads the measurements. A file that `weft compare` wrote gives its format and nothing else: its
/// rows are those of a comparison (runtime/compare/imported). Throws InputError, beginning with
/// the file's name, for a file of no known format, and for what the readers refuse.
MeasurementFile read_measurements(const std::string& file);

}  // namespace weft::measurements
