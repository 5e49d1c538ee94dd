#include "sim/trace/vcd_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/trace/vcd_reader.h"

namespace weft {
namespace {

using Kind = VcdWriter::Kind;
using Scope = VcdWriter::Scope;

TEST(VcdWriterTest, WritesTheBytesOfTheStandard) {
  std::ostringstream out;
  VcdWriter vcd(out, "two lines\nof comment");
  vcd.open_scope(Scope::kModule, "top");
  const auto wire = vcd.add_signal(Kind::kWire, "clk_i", 1);
  vcd.open_scope(Scope::kGenerate, "gen_row[12]");
  const auto reg = vcd.add_signal(Kind::kReg, "psum_q", 32);
  vcd.close_scope();
  const auto integer = vcd.add_signal(Kind::kInteger, "cycle", 64);
  vcd.close_scope();
  vcd.set_time(7);
  vcd.set(wire, 1);
  vcd.set(reg, 10);
  vcd.set_time(8);
  vcd.set(wire, 1);
  vcd.set(reg, 0);
  vcd.set(integer, ~std::uint64_t{0});
  vcd.set_time(20);
  vcd.set(wire, 0);
  vcd.set_unknown(reg);
  vcd.set_unknown(reg);
  vcd.set_time(21);
  vcd.set_unknown(wire);
  vcd.finish(30);
  EXPECT_EQ(out.str(),
            "$comment\ntwo lines\nof comment\n$end\n"
            "$timescale 1 ns $end\n"
            "$scope module top $end\n"
            "$var wire 1 ! clk_i $end\n"
            "$scope begin gen_row[12] $end\n"
            "$var reg 32 \" psum_q [31:0] $end\n"
            "$upscope $end\n"
            "$var integer 64 # cycle $end\n"
            "$upscope $end\n"
            "$enddefinitions $end\n"
            "#7\n$dumpvars\n1!\nb1010 \"\nbx #\n$end\n"
            "#8\nb0 \"\n"
            "b1111111111111111111111111111111111111111111111111111111111111111 #\n"
            "#20\n0!\nbx \"\n"
            "#21\nx!\n"
            "#30\n");
}

TEST(VcdWriterTest, ADumpWithoutValuesIsWhole) {
  std::ostringstream out;
  VcdWriter vcd(out, "");
  vcd.open_scope(Scope::kModule, "top");
  vcd.add_signal(Kind::kReg, "q", 2);
  vcd.close_scope();
  vcd.finish(0);
  EXPECT_TRUE(out.str().ends_with("$enddefinitions $end\n#0\n$dumpvars\nbx !\n$end\n"));
}

TEST(VcdWriterTest, KeepsTheBitsThatASignalHas) {
  std::ostringstream out;
  VcdWriter vcd(out, "");
  vcd.open_scope(Scope::kModule, "top");
  const auto q = vcd.add_signal(Kind::kReg, "q", 3);
  vcd.close_scope();
  vcd.set_time(0);
  vcd.set(q, 0xFE);
  vcd.set_time(1);
  vcd.set(q, 0x06);  // the lower three bits are the same
  vcd.finish(2);
  EXPECT_TRUE(out.str().ends_with("#0\n$dumpvars\nb110 !\n$end\n#1\n#2\n"));
}

/// The codes of `count` signals, in order of declaration.
std::vector<std::string> codes(std::size_t count) {
  std::stringstream dump;
  VcdWriter vcd(dump, "");
  vcd.open_scope(Scope::kModule, "top");
  for (std::size_t i = 0; i < count; ++i) vcd.add_signal(Kind::kWire, fmt::format("s{}", i), 1);
  vcd.close_scope();
  vcd.finish(0);
  const test::VcdReader reader(dump);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < count; ++i) {
    found.push_back(reader.variables().at(fmt::format("top.s{}", i)).code);
  }
  return found;
}

TEST(VcdWriterTest, CodesStayDistinctAndShortBeyond94AndItsSquare) {
  constexpr std::size_t kOne = 94;
  constexpr std::size_t kTwo = 94 * 94;
  const auto found = codes(kOne + kTwo + 3);
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), found.size());
  EXPECT_EQ(found[0], "!");
  EXPECT_EQ(found[kOne - 1], "~");
  EXPECT_EQ(found[kOne], "!!");
  EXPECT_EQ(found[kOne + 1], "\"!");
  EXPECT_EQ(found[kOne + kTwo - 1], "~~");
  EXPECT_EQ(found[kOne + kTwo], "!!!");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t length = i < kOne ? 1 : i < kOne + kTwo ? 2 : 3;
    ASSERT_EQ(found[i].size(), length) << i;
    for (const char c : found[i]) ASSERT_TRUE(c >= '!' && c <= '~') << i;
  }
}

TEST(VcdWriterTest, RefusesANameThatCouldEndItsDeclaration) {
  std::ostringstream out;
  VcdWriter vcd(out, "");
  vcd.open_scope(Scope::kModule, "top");
  for (const char* name :
       {"",    " ",  "a b",  "a\n",   "$end", "a$",      "a.b",   "0a",       "a[",  "a[]",
        "a[1", "a]", "a[x]", "a[1]b", "[1]",  "a[1][2]", "a[-1]", "\xC3\xA4", "a/b", "\\a"}) {
    EXPECT_THROW(vcd.open_scope(Scope::kModule, name), InputError) << name;
    EXPECT_THROW(vcd.add_signal(Kind::kWire, name, 1), InputError) << name;
  }
  EXPECT_THROW(vcd.open_scope(Scope::kModule, std::string_view("a\0b", 3)), InputError);
  EXPECT_NO_THROW(vcd.add_signal(Kind::kWire, "a_0Z[10]", 1));
}

TEST(VcdWriterTest, RefusesANameTwiceInAScopeButNotInTwo) {
  std::ostringstream out;
  VcdWriter vcd(out, "");
  vcd.open_scope(Scope::kModule, "top");
  vcd.add_signal(Kind::kWire, "a", 1);
  EXPECT_THROW(vcd.add_signal(Kind::kReg, "a", 1), InputError);
  EXPECT_THROW(vcd.open_scope(Scope::kModule, "a"), InputError);
  vcd.open_scope(Scope::kModule, "inner");
  EXPECT_NO_THROW(vcd.add_signal(Kind::kWire, "a", 1));
}

TEST(VcdWriterTest, RefusesACommentThatCouldEndItself) {
  std::ostringstream out;
  for (const char* comment : {"$end", "a $end b", "bell\a", "tab\t", "\xC3\xA4"}) {
    EXPECT_THROW(VcdWriter(out, comment), InputError) << comment;
  }
}

TEST(VcdWriterTest, RefusesTimeThatDoesNotMoveForward) {
  std::ostringstream out;
  VcdWriter vcd(out, "");
  vcd.set_time(5);
  EXPECT_THROW(vcd.set_time(5), SimulationError);
  EXPECT_THROW(vcd.set_time(4), SimulationError);
  EXPECT_THROW(vcd.finish(5), SimulationError);
  EXPECT_NO_THROW(vcd.finish(6));
}

TEST(VcdWriterTest, RefusesCallsOutOfTurn) {
  std::ostringstream out;
  VcdWriter vcd(out, "");
  EXPECT_THROW(vcd.close_scope(), SimulationError);
  EXPECT_THROW(vcd.add_signal(Kind::kWire, "a", 1), SimulationError);  // outside every scope
  vcd.open_scope(Scope::kModule, "top");
  EXPECT_THROW(vcd.add_signal(Kind::kWire, "a", 0), SimulationError);
  EXPECT_THROW(vcd.add_signal(Kind::kWire, "a", 65), SimulationError);
  const auto a = vcd.add_signal(Kind::kWire, "a", 64);
  EXPECT_THROW(vcd.set(a, 1), SimulationError);
  EXPECT_THROW(vcd.set_unknown(a), SimulationError);
  EXPECT_THROW(vcd.set_time(0), SimulationError);  // the scope is open
  vcd.close_scope();
  vcd.set_time(0);
  EXPECT_THROW(vcd.open_scope(Scope::kModule, "late"), SimulationError);
}

/// A device that accepts `room` bytes and no more.
class FullDisk : public std::streambuf {
 public:
  explicit FullDisk(std::size_t room) : room_(room) {}

 protected:
  int overflow(int byte) override { return room_ == 0 ? traits_type::eof() : (--room_, byte); }

 private:
  std::size_t room_;
};

/// Writes signals that all change `times` times.
void write_much(std::ostream& out, std::uint64_t times) {
  VcdWriter vcd(out, "");
  vcd.open_scope(Scope::kModule, "top");
  std::vector<VcdWriter::Signal> signals;
  for (int i = 0; i < 100; ++i) {
    signals.push_back(vcd.add_signal(Kind::kReg, fmt::format("s{}", i), 32));
  }
  vcd.close_scope();
  for (std::uint64_t t = 0; t < times; ++t) {
    vcd.set_time(t);
    for (const auto signal : signals) vcd.set(signal, t);
  }
  vcd.finish(times);
}

TEST(VcdWriterTest, ReportsAFullDiskWhereverItStops) {
  std::ostringstream whole;
  write_much(whole, 200);
  const std::size_t size = whole.str().size();
  ASSERT_GT(size, std::size_t{100'000}) << "the dump must need several writes";
  for (const std::size_t room : {std::size_t{0}, std::size_t{100}, size / 2, size - 1}) {
    FullDisk disk(room);
    std::ostream out(&disk);
    EXPECT_THROW(write_much(out, 200), InputError) << room << " of " << size;
  }
  FullDisk disk(size);
  std::ostream out(&disk);
  EXPECT_NO_THROW(write_much(out, 200));
}

TEST(VcdWriterTest, ReportsAFullDiskLongBeforeTheEnd) {
  FullDisk disk(0);
  std::ostream out(&disk);
  VcdWriter vcd(out, "");
  vcd.open_scope(Scope::kModule, "top");
  const auto signal = vcd.add_signal(Kind::kReg, "q", 64);
  vcd.close_scope();
  const auto run = [&] {
    for (std::uint64_t t = 0; t < 100'000; ++t) {
      vcd.set_time(t);
      vcd.set(signal, t);
    }
  };
  EXPECT_THROW(run(), InputError);
}

/// A device that accepts everything but fails when it is flushed.
class UnreliableDisk : public FullDisk {
 public:
  UnreliableDisk() : FullDisk(1'000'000) {}

 protected:
  int sync() override { return -1; }
};

TEST(VcdWriterTest, ReportsADiskThatFailsAtTheVeryEnd) {
  UnreliableDisk disk;
  std::ostream out(&disk);
  EXPECT_THROW(write_much(out, 2), InputError);
}

}  // namespace
}  // namespace weft
