#include "sim/trace/trace_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

namespace weft {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

/// True for a character that needs no escape.
bool is_plain(char character) {
  return character >= 0x20 && character < 0x7F && character != '"' && character != '\\' &&
         character != '<';
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) {
    out.append(1, '"').append(text).append(1, '"');
    return;
  }
  using Json = nlohmann::json;
  const std::string quoted = Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
  for (const char character : quoted) {
    if (character == '<') {
      out += "\\u003c";
    } else {
      out += character;
    }
  }
}

void TraceArguments::add_key(std::string_view key) {
  if (!members_.empty()) members_ += ',';
  members_.append(1, '"').append(key).append("\":");
}

TraceArguments& TraceArguments::add(std::string_view key, std::string_view value) {
  add_key(key);
  append_json_string(members_, value);
  return *this;
}

TraceArguments& TraceArguments::add(std::string_view key, double value) {
  return add_number(key, fmt::format("{:.9g}", value));
}

TraceArguments& TraceArguments::add_number(std::string_view key, std::string_view number) {
  add_key(key);
  members_ += number;
  return *this;
}

TraceStream::TraceStream(std::ostream& out, const TraceArguments& facts) : out_(out) {
  fmt::format_to(std::back_inserter(buffer_), "{{\"otherData\":{{{}}},\"traceEvents\":[\n",
                 facts.members());
}

void TraceStream::begin_event(char phase) {
  buffer_ += events_++ == 0 ? "" : ",\n";
  fmt::format_to(std::back_inserter(buffer_), "{{\"ph\":\"{}\",\"pid\":1", phase);
}

void TraceStream::end_event(std::string_view name, const TraceArguments& args) {
  buffer_ += ",\"name\":";
  append_json_string(buffer_, name);
  buffer_.append(",\"args\":{").append(args.members()).append("}}");
  if (buffer_.size() >= kFlushBytes) flush();
}

void TraceStream::metadata(std::string_view what, Track track, const TraceArguments& args) {
  begin_event('M');
  fmt::format_to(std::back_inserter(buffer_), ",\"tid\":{}", track);
  end_event(what, args);
}

void TraceStream::name_process(std::string_view name) {
  metadata("process_name", 1, TraceArguments().add("name", name));
}

void TraceStream::name_track(Track track, std::string_view name) {
  metadata("thread_name", track, TraceArguments().add("name", name));
  metadata("thread_sort_index", track, TraceArguments().add("sort_index", track));
}

void TraceStream::bar(Track track, std::string_view name, Cycle begin, Cycle end,
                      const TraceArguments& args) {
  begin_event('X');
  fmt::format_to(std::back_inserter(buffer_), ",\"tid\":{},\"ts\":{},\"dur\":{}", track, begin,
                 end - begin);
  end_event(name, args);
}

void TraceStream::mark(Track track, std::string_view name, Cycle at, const TraceArguments& args) {
  begin_event('i');
  fmt::format_to(std::back_inserter(buffer_), ",\"tid\":{},\"ts\":{},\"s\":\"t\"", track, at);
  end_event(name, args);
}

void TraceStream::counter(std::string_view name, Cycle at, const TraceArguments& value) {
  begin_event('C');
  fmt::format_to(std::back_inserter(buffer_), ",\"ts\":{}", at);
  end_event(name, value);
}

void TraceStream::finish() {
  buffer_ += "\n]}\n";
  flush();
  out_.flush();
}

void TraceStream::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

}  // namespace weft
