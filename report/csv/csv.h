// Lines of comma-separated values (RFC 4180). Lines end with LF alone, as files do on this system;
// readers take both ends.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::report {

/// The field; in quotes if it has a comma, a quote or the end of a line, with its quotes doubled.
std::string csv_field(std::string_view text);

/// The fields with commas between them, each as csv_field() gives it, and the end of the line.
std::string csv_line(std::span<const std::string> fields);

}  // namespace weft::report
