// Reads a --json report of Weft from an untrusted file.
#pragma once

#include <string>

#include "report/json.h"

namespace weft::report {

/// The report in `file`: an object with this schema and the name of its command. Throws InputError,
/// without the file's name, for anything else: no file, more than 64 MiB, no JSON, no report of
/// Weft, another schema.
Json read_report_file(const std::string& file);

}  // namespace weft::report
