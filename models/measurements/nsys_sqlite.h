// nsys's export to SQLite (nsys export --type sqlite): the table of kernels, row by row.
#pragma once

#include <string>

#include "models/measurements/measurement.h"

namespace weft::measurements {

/// Reads CUPTI_ACTIVITY_KIND_KERNEL, with the names in StringIds and the devices in
/// TARGET_INFO_GPU. Throws InputError, without the file's name, if there is no such table, and for
/// a damaged database and impossible times.
MeasurementFile read_nsys_sqlite(const std::string& file);

}  // namespace weft::measurements
