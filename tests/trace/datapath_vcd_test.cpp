// Compares small dumps with bytes written by hand, and dumps of random runs with the naive array's
// registers, cycle by cycle.
#include "sim/trace/datapath_vcd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tests/trace/vcd_reader.h"

namespace weft {
namespace {

using test::pe_path;
using test::VcdReader;

constexpr std::uint64_t kMHz = 1'000'000;

template <class Arithmetic>
void add(DatapathVcd<Arithmetic>& vcd, const DatapathSnapshot<Arithmetic>& snapshot) {
  const std::array<const DatapathSnapshot<Arithmetic>*, 1> one{&snapshot};
  vcd.add(one);
}

// --- Bytes by hand -------------------------------------------------------------------------------

DatapathSnapshot<Int8Arithmetic> idle_cycle(Cycle cycle) {
  DatapathSnapshot<Int8Arithmetic> snapshot;
  snapshot.cycle = cycle;
  snapshot.registers.resize(1);
  return snapshot;
}

/// A 1 x 1 array: a row with swap and push; the result and another push; ninety idle cycles; one
/// more cycle.
std::string small_dump() {
  std::ostringstream out;
  DatapathVcd<Int8Arithmetic> vcd(out, 1, 1, 12'500'000, {"matmul_datapath"});
  auto first = idle_cycle(3);
  first.valid = first.swap = first.accumulate = first.push = true;
  first.acc_row = 2;
  first.act_row = {-1};
  first.weight_row = {5};
  first.registers[0] = {.weight_shadow = -128};
  add(vcd, first);
  auto second = idle_cycle(4);
  second.registers[0] = {.act = -1,
                         .weight_active = -128,
                         .weight_shadow = 5,
                         .weight_out = -128,
                         .psum = 128,
                         .push = true,
                         .swap = true};
  second.push = true;
  second.weight_row = {7};
  second.write = true;
  second.write_row = 2;
  second.write_data = {-3};
  add(vcd, second);
  auto third = idle_cycle(94);
  third.registers[0] = {.weight_active = -128, .weight_shadow = 5, .weight_out = -128};
  add(vcd, third);
  vcd.finish();
  return out.str();
}

constexpr std::string_view kSmallHeader =
    "$comment\n"
    "Matrix multiplication datapath, 1 x 1 PEs, int8.\n"
    "10 ns here are one cycle of the 12.5 MHz clock. x: nothing uses the value in this cycle.\n"
    "$end\n"
    "$timescale 1 ns $end\n"
    "$scope module matmul_datapath $end\n"
    "$var integer 64 ! cycle $end\n"
    "$var wire 1 \" clk_i $end\n"
    "$var wire 1 # valid_i $end\n"
    "$var wire 8 $ act_i_0 [7:0] $end\n"
    "$var wire 1 % swap_i $end\n"
    "$var wire 32 & row_i [31:0] $end\n"
    "$var wire 1 ' accumulate_i $end\n"
    "$var wire 1 ( push_i $end\n"
    "$var wire 8 ) weight_i_0 [7:0] $end\n"
    "$var wire 1 * write_o $end\n"
    "$var wire 32 + write_row_o [31:0] $end\n"
    "$var wire 32 , write_data_o_0 [31:0] $end\n"
    "$scope module u_mxu $end\n"
    "$scope begin gen_row[0] $end\n"
    "$scope begin gen_col[0] $end\n"
    "$scope begin gen_pe $end\n"
    "$scope module u_pe $end\n"
    "$scope module u_registers $end\n"
    "$var reg 8 - act_q [7:0] $end\n"
    "$var reg 1 . swap_q $end\n"
    "$var reg 1 / push_q $end\n"
    "$var reg 8 0 weight_active_q [7:0] $end\n"
    "$var reg 8 1 weight_shadow_q [7:0] $end\n"
    "$var reg 8 2 weight_out_q [7:0] $end\n"
    "$var reg 32 3 psum_q [31:0] $end\n"
    "$upscope $end\n"
    "$upscope $end\n"
    "$upscope $end\n"
    "$upscope $end\n"
    "$upscope $end\n"
    "$upscope $end\n"
    "$upscope $end\n"
    "$enddefinitions $end\n";

constexpr std::string_view kSmallValues =
    "#30\n$dumpvars\n"
    "1\"\nb11 !\n1#\n1%\n1(\nb11111111 $\nb101 )\nb10 &\n1'\n0*\nbx +\nbx ,\n"
    "b0 -\n0.\n0/\nb0 0\nb10000000 1\nb0 2\nb0 3\n$end\n"
    "#35\n0\"\n"
    "#40\n1\"\nb100 !\n0#\n0%\nb0 $\nb111 )\nbx &\nx'\n"
    "1*\nb10 +\nb11111111111111111111111111111101 ,\n"
    "b11111111 -\n1.\n1/\nb10000000 0\nb101 1\nb10000000 2\nb10000000 3\n"
    "#45\n0\"\n"
    "#50\nbx !\n0(\nbx )\n0*\nbx +\nbx ,\n"
    "#940\n1\"\nb1011110 !\nb0 -\n0.\n0/\nb0 3\n"
    "#945\n0\"\n"
    "#950\n";

TEST(DatapathVcdTest, ASmallDumpHasTheBytesWrittenByHand) {
  EXPECT_EQ(small_dump(), std::string(kSmallHeader) + std::string(kSmallValues));
}

TEST(DatapathVcdTest, ADumpWithoutCyclesIsWhole) {
  std::stringstream out;
  DatapathVcd<Bf16Arithmetic> vcd(out, 2, 3, kMHz, {std::string(kDatapathScope)});
  vcd.finish();
  const VcdReader reader(out);
  EXPECT_EQ(reader.times(), std::vector<std::uint64_t>{0});
  EXPECT_EQ(reader.at("matmul_datapath.cycle", 0), "x");
}

// --- Names ---------------------------------------------------------------------------------------

TEST(DatapathVcdTest, ScopesAreModulesAndGenerateBlocksAsInTheRtl) {
  std::stringstream out;
  DatapathVcd<Fp16Arithmetic> vcd(out, 2, 3, kMHz, {"matmul_datapath"});
  vcd.finish();
  const VcdReader reader(out);
  const std::string pe = "matmul_datapath.u_mxu.gen_row[1].gen_col[2]";
  EXPECT_EQ(reader.scopes().at("matmul_datapath"), "module");
  EXPECT_EQ(reader.scopes().at("matmul_datapath.u_mxu"), "module");
  EXPECT_EQ(reader.scopes().at("matmul_datapath.u_mxu.gen_row[1]"), "begin");
  EXPECT_EQ(reader.scopes().at(pe), "begin");
  EXPECT_EQ(reader.scopes().at(pe + ".gen_pe"), "begin");
  EXPECT_EQ(reader.scopes().at(pe + ".gen_pe.u_pe"), "module");
  EXPECT_EQ(reader.scopes().at(pe + ".gen_pe.u_pe.u_registers"), "module");
  EXPECT_EQ(reader.variables().size(), 9U + 2 + 3 + 3 + 2 * 3 * 7);
  EXPECT_EQ(reader.variables().at("matmul_datapath.act_i_1").width, 16U);
  EXPECT_EQ(reader.variables().at("matmul_datapath.weight_i_2").width, 16U);
  EXPECT_EQ(reader.variables().at("matmul_datapath.write_data_o_2").width, 32U);
  EXPECT_EQ(reader.variables().at("matmul_datapath.cycle").kind, "integer");
  EXPECT_EQ(reader.variables().at(pe_path("matmul_datapath", 1, 2) + "weight_out_q").kind, "reg");
}

TEST(DatapathVcdTest, RefusesBadAndEqualTopScopes) {
  std::ostringstream out;
  const auto make = [&out](const std::vector<std::string>& tops) {
    DatapathVcd<Int8Arithmetic>(out, 1, 1, kMHz, tops);
  };
  EXPECT_THROW(make({"a b"}), InputError);
  EXPECT_THROW(make({"$end"}), InputError);
  EXPECT_THROW(make({"stepped", "stepped"}), InputError);
  EXPECT_NO_THROW(make({"stepped", "rtl"}));
}

TEST(DatapathVcdTest, RefusesAnArrayOfTooManySignalsBeforeWriting) {
  std::ostringstream out;
  for (const auto& [rows, cols] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {4096, 4096}, {0xFFFFFFFF, 0xFFFFFFFF}, {1 << 20, 2}}) {
    EXPECT_THROW(DatapathVcd<Int8Arithmetic>(out, rows, cols, kMHz, {"top"}), InputError);
  }
  EXPECT_TRUE(out.str().empty());
}

// --- Misuse --------------------------------------------------------------------------------------

TEST(DatapathVcdTest, RefusesSnapshotsThatDoNotFit) {
  std::ostringstream out;
  DatapathVcd<Int8Arithmetic> vcd(out, 1, 1, kMHz, {"top"});
  const auto refuses = [&vcd](const DatapathSnapshot<Int8Arithmetic>& snapshot) {
    EXPECT_THROW(add(vcd, snapshot), SimulationError);
  };
  add(vcd, idle_cycle(5));
  refuses(idle_cycle(5));
  refuses(idle_cycle(4));
  refuses(idle_cycle(-1));
  refuses(idle_cycle(std::numeric_limits<Cycle>::max() / 10));
  auto snapshot = idle_cycle(6);
  snapshot.registers.resize(2);
  refuses(snapshot);
  snapshot = idle_cycle(6);
  snapshot.valid = true;
  refuses(snapshot);
  snapshot = idle_cycle(6);
  snapshot.push = true;
  refuses(snapshot);
  snapshot = idle_cycle(6);
  snapshot.write = true;
  refuses(snapshot);
  EXPECT_THROW(vcd.add({}), SimulationError);
  add(vcd, idle_cycle(std::numeric_limits<Cycle>::max() / 10 - 1));
}

TEST(DatapathVcdTest, RefusesDifferentCyclesSideBySide) {
  std::ostringstream out;
  DatapathVcd<Int8Arithmetic> vcd(out, 1, 1, kMHz, {"stepped", "rtl"});
  const auto first = idle_cycle(0);
  const auto second = idle_cycle(1);
  const std::array<const DatapathSnapshot<Int8Arithmetic>*, 2> both{&first, &second};
  EXPECT_THROW(vcd.add(both), SimulationError);
}

// --- The example ---------------------------------------------------------------------------------

/// The lines of a GTKWave save file that name signals.
std::vector<std::string> signals_of_save_file(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && std::string_view("[*@-").find(line[0]) == std::string_view::npos) {
      names.push_back(line);
    }
  }
  return names;
}

TEST(WaveformExampleTest, NamesOnlySignalsOfTheMachineTiny) {
  std::stringstream out;
  DatapathVcd<Int8Arithmetic> vcd(out, 4, 4, kMHz, {std::string(kDatapathScope)});
  vcd.finish();
  const VcdReader reader(out);
  std::set<std::string> known;
  for (const auto& [path, variable] : reader.variables()) {
    const bool range = variable.kind != "integer" && variable.width > 1;
    known.insert(path + (range ? fmt::format("[{}:0]", variable.width - 1) : ""));
  }
  const auto names = signals_of_save_file(WEFT_EXAMPLES "/tiny.gtkw");
  EXPECT_GT(names.size(), 30U);
  for (const std::string& name : names) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace weft
