// Lock-step checking must find each register or write that differs, with its place and cycle. The
// tested datapath equals the expected one except for a single fault in its visible state.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sim/array/stepped_datapath.h"
#include "sim/machine/datapaths/lockstep_datapath.h"

namespace weft {
namespace {

template <class Arithmetic>
struct Fault {
  using Psum = typename Arithmetic::Psum;
  Cycle cycle = -1;  // registers: in this cycle and later; a write: in this cycle
  std::uint32_t row = 0;
  std::uint32_t col = 0;
  std::function<void(PeRegisters<Arithmetic>&)> registers = [](auto&) {};
  std::function<void(std::optional<AccumulatorWrite<Arithmetic>>&, std::vector<Psum>&)> write =
      [](auto&, auto&) {};
  std::function<void(std::vector<Psum>&)> read = [](auto&) {};
};

template <class Arithmetic>
class FaultyDatapath final : public Datapath<Arithmetic> {
 public:
  using typename Datapath<Arithmetic>::Inputs;
  using typename Datapath<Arithmetic>::Write;
  using Psum = typename Arithmetic::Psum;

  FaultyDatapath(const MachineConfig& config, Fault<Arithmetic> fault)
      : inner_(config), fault_(std::move(fault)) {}

  std::uint32_t rows() const override { return inner_.rows(); }
  std::uint32_t cols() const override { return inner_.cols(); }

  std::optional<Write> step(const Inputs& inputs) override {
    std::optional<Write> write = inner_.step(inputs);
    now_ = inputs.cycle + 1;
    if (inputs.cycle != fault_.cycle) return write;
    sums_.assign(cols(), Psum{});
    if (write) sums_.assign(write->sums.begin(), write->sums.end());
    if (write) write->sums = sums_;
    fault_.write(write, sums_);
    return write;
  }

  PeRegisters<Arithmetic> registers(std::uint32_t row, std::uint32_t col) const override {
    PeRegisters<Arithmetic> registers = inner_.registers(row, col);
    if (now_ >= fault_.cycle && row == fault_.row && col == fault_.col) fault_.registers(registers);
    return registers;
  }

  std::span<const Psum> accumulator_row(std::uint32_t row) override {
    const auto sums = inner_.accumulator_row(row);
    read_.assign(sums.begin(), sums.end());
    fault_.read(read_);
    return read_;
  }

 private:
  SteppedDatapath<Arithmetic> inner_;
  Fault<Arithmetic> fault_;
  Cycle now_ = 0;
  std::vector<Psum> sums_;
  std::vector<Psum> read_;
};

MachineConfig config_3x2(ElementType type) {
  MachineConfig config;
  config.array_rows = 3;
  config.array_cols = 2;
  config.dtype = type;
  config.accumulator_rows = 8;
  return config;
}

/// Pushes a tile of ones in cycles 0 to 2, swaps it in with the first row in cycle 3, and streams a
/// row of ones per cycle until cycle `cycles` - 1. PE(r,c) works on row m in cycle 3+m+r+c.
template <class Arithmetic>
void drive(Datapath<Arithmetic>& datapath, Cycle cycles) {
  const auto one = [] {
    if constexpr (Arithmetic::kType == ElementType::kInt8) return std::int8_t{1};
    if constexpr (Arithmetic::kType == ElementType::kBf16) return to_bf16(1.0F);
  }();
  const std::vector<typename Arithmetic::Element> ones(3, one);
  for (Cycle cycle = 0; cycle < cycles; ++cycle) {
    DatapathInputs<Arithmetic> inputs;
    inputs.cycle = cycle;
    if (cycle < 3) inputs.weight_row = ones.data();
    if (cycle >= 3) inputs.act_row = ones.data();
    inputs.swap = cycle == 3;
    inputs.acc_row = static_cast<std::uint32_t>(cycle % 8);
    datapath.step(inputs);
  }
}

/// Returns the message of the LockstepError of a pair with this fault; empty if there is none.
template <class Arithmetic>
std::string message_of(Fault<Arithmetic> fault, Cycle cycles = 100,
                       std::string* waveform = nullptr) {
  const MachineConfig config = config_3x2(Arithmetic::kType);
  SteppedDatapath<Arithmetic> stepped(config);
  FaultyDatapath<Arithmetic> faulty(config, std::move(fault));
  LockstepDatapath<Arithmetic> pair(stepped, faulty, config.clock_hz);
  try {
    drive(pair, cycles);
    pair.finish();
  } catch (const LockstepError& error) {
    if (waveform != nullptr) *waveform = error.waveform();
    return error.what();
  }
  return "";
}

using Int8 = Int8Arithmetic;
using Pe8 = PeRegisters<Int8>;

TEST(LockstepTest, PassesTwins) {
  EXPECT_EQ(message_of<Int8>({}), "");
  EXPECT_EQ(message_of<Bf16Arithmetic>({}), "");
}

// By cycle 20 each PE has long multiplied ones by ones: act 1, weights 1, psum r + 1.
TEST(LockstepTest, NamesCyclePlaceSignalAndBothValues) {
  const auto fault = [](std::uint32_t row, std::uint32_t col, auto registers) {
    Fault<Int8> made;
    made.cycle = 20;
    made.row = row;
    made.col = col;
    made.registers = registers;
    return made;
  };
  EXPECT_EQ(message_of<Int8>(fault(0, 0, [](Pe8& pe) { pe.act = -1; })),
            "lock-step: cycle 20, PE row 0, column 0, act_q: expected 1 (0x01), got -1 (0xff)");
  EXPECT_EQ(message_of<Int8>(fault(1, 0, [](Pe8& pe) { pe.swap = true; })),
            "lock-step: cycle 20, PE row 1, column 0, swap_q: expected 0, got 1");
  EXPECT_EQ(message_of<Int8>(fault(2, 1, [](Pe8& pe) { pe.push = true; })),
            "lock-step: cycle 20, PE row 2, column 1, push_q: expected 0, got 1");
  EXPECT_EQ(message_of<Int8>(fault(0, 1, [](Pe8& pe) { pe.weight_shadow = 3; })),
            "lock-step: cycle 20, PE row 0, column 1, weight_shadow_q: expected 1 (0x01), got 3 "
            "(0x03)");
  EXPECT_EQ(message_of<Int8>(fault(2, 0, [](Pe8& pe) { pe.weight_active = 3; })),
            "lock-step: cycle 20, PE row 2, column 0, weight_active_q: expected 1 (0x01), got 3 "
            "(0x03)");
  EXPECT_EQ(message_of<Int8>(fault(1, 1, [](Pe8& pe) { pe.psum ^= 0x40000000; })),
            "lock-step: cycle 20, PE row 1, column 1, psum_q: expected 2 (0x00000002), got "
            "1073741826 (0x40000002)");
  // Row 0 has seen three pushes of ones, so it last passed on a one.
  EXPECT_EQ(message_of<Int8>(fault(0, 0, [](Pe8& pe) { pe.weight_out = 0; })),
            "lock-step: cycle 20, PE row 0, column 0, weight_out_q: expected 1 (0x01), got 0 "
            "(0x00)");
}

// The row of cycle 20 entered in cycle 20 - (3+2-1) = 16, for accumulator row 0.
TEST(LockstepTest, ComparesEveryAccumulatorWrite) {
  const auto fault = [](auto write) {
    Fault<Int8> made;
    made.cycle = 20;
    made.write = write;
    return made;
  };
  EXPECT_EQ(message_of<Int8>(fault([](auto& write, auto&) { write.reset(); })),
            "lock-step: cycle 20, accumulator write, write_o: expected 1, got 0");
  EXPECT_EQ(message_of<Int8>(fault([](auto& write, auto&) { write->row = 7; })),
            "lock-step: cycle 20, accumulator write, write_row_o: expected 0, got 7");
  EXPECT_EQ(message_of<Int8>(fault([](auto&, auto& sums) { sums[1] = 9; })),
            "lock-step: cycle 20, accumulator row 0, column 1, write_data_o: expected 3 "
            "(0x00000003), got 9 (0x00000009)");
  Fault<Int8> early;
  early.cycle = 2;  // the first row is written in cycle 3 + 3+2-1 = 7
  early.write = [](auto& write, auto& sums) { write = AccumulatorWrite<Int8>{5, sums}; };
  EXPECT_EQ(message_of<Int8>(early),
            "lock-step: cycle 2, accumulator write, write_o: expected 0, got 1");
}

TEST(LockstepTest, ComparesWhatTheVectorUnitReads) {
  const MachineConfig config = config_3x2(ElementType::kInt8);
  SteppedDatapath<Int8> stepped(config);
  Fault<Int8> fault;
  fault.read = [](auto& sums) { sums[0] += 1; };
  FaultyDatapath<Int8> faulty(config, fault);
  LockstepDatapath<Int8> pair(stepped, faulty, config.clock_hz);
  drive(pair, 12);
  EXPECT_EQ(pair.accumulator_row(3)[0], 3);  // the machine continues with the correct value
  try {
    pair.finish();
    FAIL();
  } catch (const LockstepError& error) {
    EXPECT_STREQ(error.what(),
                 "lock-step: cycle 12, accumulator row 3, column 0, read_data_o: expected 3 "
                 "(0x00000003), got 4 (0x00000004)");
  }
}

TEST(LockstepTest, ComparesWhatTheResetLeft) {
  Fault<Int8> fault;
  fault.cycle = 0;
  fault.row = 2;
  fault.registers = [](Pe8& pe) { pe.psum = -1; };
  EXPECT_EQ(message_of<Int8>(fault),
            "lock-step: cycle 0, PE row 2, column 0, psum_q: expected 0 (0x00000000), got -1 "
            "(0xffffffff)");
}

TEST(LockstepTest, ComparesBitsNotValues) {
  Fault<Bf16Arithmetic> fault;
  fault.cycle = 1;  // before any row enters, every psum is +0
  fault.registers = [](PeRegisters<Bf16Arithmetic>& pe) { pe.psum = -0.0F; };
  EXPECT_EQ(message_of<Bf16Arithmetic>(fault),
            "lock-step: cycle 1, PE row 0, column 0, psum_q: expected 0 (0x00000000), got -0 "
            "(0x80000000)");
}

// The waveform has 64 cycles, the last 16 from the difference on: it ends with cycle 50 + 16 - 1.
TEST(LockstepTest, RecordsTheCyclesAroundTheDifference) {
  Fault<Int8> fault;
  fault.cycle = 50;
  fault.registers = [](Pe8& pe) { pe.act = 2; };
  std::string waveform;
  EXPECT_NE(message_of<Int8>(fault, 1000, &waveform), "");
  EXPECT_NE(waveform.find("$scope module stepped $end"), std::string::npos);
  EXPECT_NE(waveform.find("$scope module rtl $end"), std::string::npos);
  EXPECT_NE(waveform.find("\n#20\n"), std::string::npos);  // cycle 2, the first
  EXPECT_EQ(waveform.find("\n#10\n"), std::string::npos);
  EXPECT_NE(waveform.find("\n#650\n"), std::string::npos);  // cycle 65, the last
  EXPECT_EQ(waveform.find("\n#665\n"), std::string::npos);
}

TEST(LockstepTest, AnEarlyEndStillReportsTheDifference) {
  Fault<Int8> fault;
  fault.cycle = 8;
  fault.registers = [](Pe8& pe) { pe.act = 2; };
  EXPECT_NE(message_of<Int8>(fault, 10), "");
}

}  // namespace
}  // namespace weft
