// Writes events in the trace event format, the JSON that ui.perfetto.dev and chrome://tracing open:
// an object with the list "traceEvents", here one event a line. Source: "Trace Event Format", the
// format's own document, phases X, C, i and M.
//
//   {"otherData":{...},"traceEvents":[
//   {"ph":"X","pid":1,"tid":3,"ts":12,"dur":5,"name":"load","args":{"index":0}},   a bar on a track
//   {"ph":"C","pid":1,"ts":12,"name":"FIFO","args":{"tiles":2}},                   a counter's
//   value
//   ...
//
// Bars of one track must be nested or apart: readers drop what overlaps. Timestamps are in
// microseconds; a cycle is written as one, so that all are whole numbers and no reader rounds them.
// The text is ASCII throughout, and safe inside an HTML script element.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "sim/timing/timeline.h"

namespace weft {

/// Appends `text` as a JSON string. What is not UTF-8 becomes U+FFFD; '<' is escaped.
void append_json_string(std::string& out, std::string_view text);

/// Named values that a reader shows beside an event. Keys need no escaping.
class TraceArguments {
 public:
  TraceArguments& add(std::string_view key, std::string_view value);
  TraceArguments& add(std::string_view key, const char* value) {
    return add(key, std::string_view(value));
  }
  TraceArguments& add(std::string_view key, std::integral auto value) {
    return add_number(key, std::to_string(value));
  }
  /// Of a finite number.
  TraceArguments& add(std::string_view key, double value);

  void clear() { members_.clear(); }
  /// The members of a JSON object.
  const std::string& members() const { return members_; }

 private:
  void add_key(std::string_view key);
  TraceArguments& add_number(std::string_view key, std::string_view number);

  std::string members_;
};

class TraceStream {
 public:
  using Track = std::uint32_t;  // from 1 on; shown in this order

  /// Begins the file; `facts` are about the whole of it. `out` must outlive the stream.
  TraceStream(std::ostream& out, const TraceArguments& facts);

  /// What the reader calls the whole of the tracks.
  void name_process(std::string_view name);
  void name_track(Track track, std::string_view name);

  /// Cycles [begin, end); of none, a mark. Tracks are sorted: by begin, the longer first.
  void bar(Track track, std::string_view name, Cycle begin, Cycle end, const TraceArguments& args);
  /// A moment on a track.
  void mark(Track track, std::string_view name, Cycle at, const TraceArguments& args);
  /// From cycle `at` on the counter `name` has `value`, one series. Each counter is sorted.
  void counter(std::string_view name, Cycle at, const TraceArguments& value);

  /// Ends the file and flushes. Without it the file lacks its end.
  void finish();

  std::uint64_t events() const { return events_; }

  // Every function may write, and throws what the stream throws.

 private:
  void begin_event(char phase);
  void end_event(std::string_view name, const TraceArguments& args);
  void metadata(std::string_view what, Track track, const TraceArguments& args);
  void flush();

  std::ostream& out_;
  std::string buffer_;
  std::uint64_t events_ = 0;
};

}  // namespace weft
