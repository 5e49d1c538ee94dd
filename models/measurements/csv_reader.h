// Comma-separated values (RFC 4180), record by record, from a file of any size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/measurements/byte_source.h"

namespace weft::measurements {

class CsvReader {
 public:
  explicit CsvReader(ByteSource& source) : source_(source) {}

  /// Reads the next record; false at the end of the file. An empty line is a record with one empty
  /// field. Blanks around a field that has no quotes do not count. Throws InputError, with the
  /// line, for bytes that are no text, for a quote that is never closed, and for more than 4096
  /// fields.
  bool next(std::vector<std::string>& fields);

  /// True if the record is a line that begins with # without quotes; it is one field.
  bool is_comment() const { return is_comment_; }

  /// The line on which the record began, from 1 on.
  std::uint64_t line() const { return line_; }

 private:
  void read_plain(std::string& field);
  void read_line(std::string& field);
  void read_quoted(std::string& field);
  char take();

  ByteSource& source_;
  bool is_comment_ = false;
  std::uint64_t line_ = 0;
  std::uint64_t next_line_ = 1;
};

}  // namespace weft::measurements
