// Writes events in the trace event format, the JSON that ui.perfetto.dev and chrome://tracing open:
// an object with the list "traceEvents", here with one event per line. Source: "Trace Event
// Format", the document of the format, phases X, C, i and M.
//
//   {"otherData":{...},"traceEvents":[
//   {"ph":"X","pid":1,"tid":3,"ts":12,"dur":5,"name":"load","args":{"index":0}},   a bar on a track
//   {"ph":"C","pid":1,"ts":12,"name":"FIFO","args":{"tiles":2}},                   a counter value
//   ...
//
// Bars of one track must be nested or disjoint: readers drop bars that overlap. Timestamps are in
// microseconds. A cycle is written as one microsecond, so that no reader rounds the whole numbers.
// The text is pure ASCII and safe inside an HTML script element.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "sim/timing/timeline.h"

namespace weft {

/// Appends `text` as a JSON string. Invalid UTF-8 becomes U+FFFD; '<' is escaped.
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
  /// `value` must be finite.
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

  /// Begins the file; `facts` describe the whole file. `out` must outlive the stream.
  TraceStream(std::ostream& out, const TraceArguments& facts);

  /// Names the group of all tracks.
  void name_process(std::string_view name);
  void name_track(Track track, std::string_view name);

  /// Adds a bar over cycles [begin, end); readers show an empty one as a mark. Call it in order of
  /// begin for each track, with the longer bar first.
  void bar(Track track, std::string_view name, Cycle begin, Cycle end, const TraceArguments& args);
  /// Marks a moment on a track.
  void mark(Track track, std::string_view name, Cycle at, const TraceArguments& args);
  /// From cycle `at` on, the counter `name` has `value`, one series. Call it in order of cycle for
  /// each counter.
  void counter(std::string_view name, Cycle at, const TraceArguments& value);

  /// Ends the file and flushes. Without this call the file is incomplete.
  void finish();

  std::uint64_t events() const { return events_; }

  // Every function may write to the stream and throws what the stream throws.

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
