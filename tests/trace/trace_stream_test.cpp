// The text of trace events, read back by a JSON parser.
#include "sim/trace/trace_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

namespace weft {
namespace {

using nlohmann::json;

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(TraceStreamTest, WritesOneObjectWithOneEventALine) {
  std::ostringstream out;
  TraceStream stream(out, TraceArguments().add("machine", "tiny"));
  stream.name_process("a run");
  stream.name_track(3, "load");
  stream.bar(3, "load", 4, 9, TraceArguments().add("index", 7).add("text", "load \"x\""));
  stream.mark(4, "Softmax", 9, {});
  stream.counter("FIFO", 5, TraceArguments().add("tiles", 2));
  stream.counter("memory", 6, TraceArguments().add("bytes per cycle", 0.25));
  EXPECT_EQ(stream.events(), 7U);
  stream.finish();
  EXPECT_EQ(json::parse(out.str()), json::parse(R"({"otherData": {"machine": "tiny"},
    "traceEvents": [
      {"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "a run"}},
      {"ph": "M", "pid": 1, "tid": 3, "name": "thread_name", "args": {"name": "load"}},
      {"ph": "M", "pid": 1, "tid": 3, "name": "thread_sort_index", "args": {"sort_index": 3}},
      {"ph": "X", "pid": 1, "tid": 3, "ts": 4, "dur": 5, "name": "load",
       "args": {"index": 7, "text": "load \"x\""}},
      {"ph": "i", "pid": 1, "tid": 4, "ts": 9, "s": "t", "name": "Softmax", "args": {}},
      {"ph": "C", "pid": 1, "ts": 5, "name": "FIFO", "args": {"tiles": 2}},
      {"ph": "C", "pid": 1, "ts": 6, "name": "memory", "args": {"bytes per cycle": 0.25}}]})"));
  EXPECT_EQ(std::ranges::count(out.str(), '\n'), 9);
}

TEST(TraceStreamTest, WithoutEventsTheListIsEmpty) {
  std::ostringstream out;
  TraceStream(out, {}).finish();
  EXPECT_EQ(json::parse(out.str()), json::parse(R"({"otherData": {}, "traceEvents": []})"));
}

TEST(TraceStreamTest, StringsCannotLeaveTheirQuotesNorAScript) {
  const std::string text = "</script>\"\n\\ \x01 \x7F <!-- caf\xC3\xA9 \xF0\x9F\x98\x80";
  const std::string out = json_string(text);
  EXPECT_EQ(json::parse(out), json(text));
  EXPECT_EQ(out.find('<'), std::string::npos);
  EXPECT_TRUE(std::ranges::all_of(out, [](char c) { return c >= 0x20 && c <= 0x7F; })) << out;
  EXPECT_EQ(json_string("conv1/relu"), "\"conv1/relu\"");
  EXPECT_EQ(json_string(""), "\"\"");
}

TEST(TraceStreamTest, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(json_string("a\xFFz"), "\"a\\ufffdz\"");
  EXPECT_EQ(json_string("\xC3"), "\"\\ufffd\"");                   // cut short
  EXPECT_TRUE(json::accept(json_string("\xED\xA0\x80\xC0\xAF")));  // a surrogate, an overlong slash
}

TEST(TraceStreamTest, WritesAlongTheWay) {
  std::ostringstream out;
  TraceStream stream(out, {});
  for (Cycle t = 0; t < 10'000; ++t) stream.bar(1, "bar", t, t + 1, {});
  EXPECT_GT(out.str().size(), 300'000U);
}

}  // namespace
}  // namespace weft
