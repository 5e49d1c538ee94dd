#include "report/csv/csv.h"

namespace weft::report {

std::string csv_field(std::string_view text) {
  // A line that begins with # may be read as a comment, and blanks at the ends may be dropped.
  const bool is_plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                        !text.starts_with('#') && !text.starts_with(' ') && !text.ends_with(' ');
  if (is_plain) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + '"';
}

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    line += csv_field(field);
  }
  return line + '\n';
}

}  // namespace weft::report
