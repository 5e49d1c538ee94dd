// The limit on what a file may make Weft remember: 64 MiB of names and of what is kept beside them.
#include "models/measurements/name_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/measurements/reading.h"

namespace weft::measurements {
namespace {

TEST(NameTableTest, EqualNamesHaveOneNumber) {
  NameTable names;
  EXPECT_EQ(names.number_of("a"), 0U);
  EXPECT_EQ(names.number_of("b"), 1U);
  EXPECT_EQ(names.number_of("a"), 0U);
  EXPECT_EQ(names.size(), 2U);
  EXPECT_EQ(names.name(1), "b");
}

TEST(NameTableTest, WhatIsKeptBesideANameCounts) {
  NameTable names(std::size_t{1} << 20U);
  for (int i = 0; i < 63; ++i) names.number_of(fmt::to_string(i));
  names.number_of("0");  // is known
  EXPECT_THROW(names.number_of("63"), InputError);
}

/// A trace of `count` products of different sizes.
std::string trace_of_shapes(int count) {
  std::string text = R"({"traceEvents": [)";
  for (int i = 1; i <= count; ++i) {
    text += fmt::format(R"({}{{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":{},"dur":1,)"
                        R"("args":{{"Input Dims":[[{},8],[8,8]]}}}})",
                        i == 1 ? "" : ",", i, i);
  }
  return text + "]}";
}

// A shape takes 328 bytes and the text of its sizes, 19 to 22 characters: 64 MiB are 191,000.
TEST(NameTableTest, ATraceHasRoomFor190000Shapes) {
  EXPECT_EQ(read_text(trace_of_shapes(190'000)).measurements.size(), 190'000U);
  EXPECT_THROW(read_text(trace_of_shapes(200'000)), InputError);
}

}  // namespace
}  // namespace weft::measurements
