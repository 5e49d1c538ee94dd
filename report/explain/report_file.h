// Reads a --json report of Weft from an untrusted file.
#pragma once

#include <string>
#include <string_view>

#include "report/json.h"

namespace weft::report {

/// The JSON in `file`. Throws InputError, without the file's name, for no file, more than 64 MiB,
/// no JSON, and a field that an object has twice; `no_such` begins the messages about size and
/// JSON, such as "is not a plan".
Json parse_json_file(const std::string& file, std::string_view no_such);

/// The report in `file`: an object with this schema and the name of its command. Throws InputError,
/// without the file's name, for anything else: no file, more than 64 MiB, no JSON, no report of
/// Weft, another schema.
Json read_report_file(const std::string& file);

/// Throws InputError that names the commands whose reports have the cycles of one run, unless this
/// is the report of one.
void check_is_run(const Json& report);

}  // namespace weft::report
