// rtl/synth/mxu_serial.sv: the design placed on the FPGA must multiply matrices, so that every part
// of it is in use.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

#include "Vmxu_serial.h"

namespace {

constexpr int kRows = 2;
constexpr int kCols = 3;
using ActRow = std::array<std::int8_t, kRows>;
using WeightRow = std::array<std::int8_t, kCols>;
using ResultRow = std::array<std::int32_t, kCols>;

class MxuSerial {
 public:
  MxuSerial() {
    for (const bool released : {true, false, true}) {  // a reset is a falling edge
      model_.rst_ni = released;
      model_.eval();
    }
  }

  void push(const WeightRow& weights) { send(false, true, {}, weights); }

  /// Sends a row that swaps the pushed weights in, and receives the results.
  ResultRow multiply(const ActRow& acts) {
    send(true, false, acts, {});
    int waited = 0;
    while (model_.valid_o == 0) {
      if (++waited > kRows + kCols) throw std::runtime_error("no result");
      clock(false);
    }
    clock(false);
    return receive();
  }

 private:
  void clock(bool bit) {
    model_.bit_i = bit;
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
  }

  template <std::size_t N>
  void shift_in(const std::array<std::int8_t, N>& row) {
    for (std::size_t i = N; i-- > 0;) {
      for (int bit = 7; bit >= 0; --bit) clock((row[i] >> bit & 1) != 0);
    }
  }

  void send(bool valid_and_swap, bool push, const ActRow& acts, const WeightRow& weights) {
    clock(valid_and_swap);
    clock(valid_and_swap);
    clock(push);
    shift_in(weights);
    shift_in(acts);
    model_.strobe_i = 1;
    clock(false);
    model_.strobe_i = 0;
    model_.eval();
  }

  ResultRow receive() {
    ResultRow row{};
    for (std::size_t c = row.size(); c-- > 0;) {
      std::uint32_t word = 0;
      for (int bit = 0; bit < 32; ++bit) {
        word = word << 1U | model_.bit_o;
        clock(false);
      }
      row[c] = static_cast<std::int32_t>(word);
    }
    return row;
  }

  VerilatedContext context_;
  Vmxu_serial model_{&context_};
};

TEST(MxuSerialTest, MultipliesByTheWeightsThatWerePushed) {
  std::mt19937_64 random(31);
  const auto element = [&] { return static_cast<std::int8_t>(random()); };
  MxuSerial mxu;
  for (int product = 0; product < 200; ++product) {
    SCOPED_TRACE("seed 31, product " + std::to_string(product));
    std::array<WeightRow, kRows> weights;
    for (WeightRow& row : weights) row = {element(), element(), element()};
    const ActRow acts = {element(), element()};
    for (int r = kRows; r-- > 0;) mxu.push(weights[static_cast<std::size_t>(r)]);
    ResultRow expected{};
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kCols; ++c) expected[c] += acts[r] * weights[r][c];
    }
    ASSERT_EQ(mxu.multiply(acts), expected);
  }
}

}  // namespace
