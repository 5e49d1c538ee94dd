#include "models/measurements/csv_reader.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/parse_number.h"

namespace weft::measurements {
namespace {

constexpr std::size_t kMostFields = 4096;

}  // namespace

/// The current byte; goes to the next.
char CsvReader::take() {
  const char byte = source_.current();
  const auto code = static_cast<unsigned char>(byte);
  if ((code < 0x20 && byte != '\t' && byte != '\r' && byte != '\n') || code == 0x7F) {
    throw InputError(fmt::format("line {}: has bytes that are no text", next_line_));
  }
  if (byte == '\n') ++next_line_;
  source_.advance();
  return byte;
}

void CsvReader::read_plain(std::string& field) {
  while (!source_.ended() && source_.current() != ',' && source_.current() != '\n') {
    field += take();
  }
  field = trimmed(field);
}

void CsvReader::read_line(std::string& field) {
  while (!source_.ended() && source_.current() != '\n') field += take();
  field = trimmed(field);
}

void CsvReader::read_quoted(std::string& field) {
  take();  // the quote
  while (true) {
    if (source_.ended()) {
      throw InputError(
          fmt::format("line {}: a quote is never closed; is the file cut off?", line_));
    }
    const char byte = take();
    if (byte != '"') {
      field += byte;
      continue;
    }
    if (source_.ended() || source_.current() != '"') break;
    field += take();  // a doubled quote stands for one
  }
  std::string rest;
  read_plain(rest);
  field += rest;
}

bool CsvReader::next(std::vector<std::string>& fields) {
  fields.clear();
  source_.mark();
  if (source_.ended()) return false;
  line_ = next_line_;
  is_comment_ = source_.current() == '#';
  while (true) {
    if (fields.size() == kMostFields) {
      throw InputError(fmt::format("line {}: has more than {} fields", line_, kMostFields));
    }
    std::string& field = fields.emplace_back();
    while (!source_.ended() && source_.current() == ' ') take();
    if (is_comment_) {
      read_line(field);
    } else if (!source_.ended() && source_.current() == '"') {
      read_quoted(field);
    } else {
      read_plain(field);
    }
    if (source_.ended() || take() == '\n') return true;
  }
}

}  // namespace weft::measurements
