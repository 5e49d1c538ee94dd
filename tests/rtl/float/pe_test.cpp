// rtl/pe_int8.sv and rtl/pe_float.sv compared with clock_edge() of pe/pe.h. Every register is
// compared after every edge as bits, so NaN payloads and signs of zero count.
#include "pe/pe.h"

#include <gtest/gtest.h>

#include <random>

#include "Vpe_bf16.h"
#include "Vpe_bf16___024root.h"
#include "Vpe_fp16.h"
#include "Vpe_fp16___024root.h"
#include "Vpe_int8.h"
#include "Vpe_int8___024root.h"

namespace weft {
namespace {

/// The registers of a PE as bits; elements are widened as in the C++ model.
struct PeBits {
  std::uint32_t act = 0, active = 0, shadow = 0, weight_out = 0, psum = 0;
  bool push = false, swap = false;
  friend bool operator==(const PeBits&, const PeBits&) = default;
};

std::ostream& operator<<(std::ostream& out, const PeBits& b) {
  return out << std::hex << "act " << b.act << " active " << b.active << " shadow " << b.shadow
             << " weight_out " << b.weight_out << " psum " << b.psum << " push " << b.push
             << " swap " << b.swap;
}

template <class T>
std::uint32_t bits(T value) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint32_t>(value);
}

template <class Arithmetic>
PeBits bits(const PeRegisters<Arithmetic>& q) {
  return {.act = bits(q.act),
          .active = bits(q.weight_active),
          .shadow = bits(q.weight_shadow),
          .weight_out = bits(q.weight_out),
          .psum = bits(q.psum),
          .push = q.push,
          .swap = q.swap};
}

/// The input wires in one cycle.
struct Wires {
  std::uint16_t act = 0, weight = 0;
  std::uint32_t psum = 0;
  bool push = false, swap = false;
};

// The top module's name prefixes the names of its contents.
auto& active_of(Vpe_int8& m) {
  return m.rootp->pe_int8__DOT__u_registers__DOT__weight_active_q;
}
auto& shadow_of(Vpe_int8& m) {
  return m.rootp->pe_int8__DOT__u_registers__DOT__weight_shadow_q;
}
template <class Model>
auto& active_of(Model& m) {
  return m.rootp->pe_float__DOT__u_registers__DOT__weight_active_q;
}
template <class Model>
auto& shadow_of(Model& m) {
  return m.rootp->pe_float__DOT__u_registers__DOT__weight_shadow_q;
}

/// Runs a SystemVerilog PE and a C++ PE side by side.
template <class Arithmetic, class Model>
class LockStep {
 public:
  LockStep() { reset(); }

  void reset() {
    model_.clk_i = 0;
    for (const bool released : {true, false, true}) {  // a reset is a falling edge
      model_.rst_ni = released;
      model_.eval();
    }
    expected_ = {};
  }

  void clock(const Wires& w) {
    model_.act_i = narrow(w.act);
    model_.weight_i = narrow(w.weight);
    model_.psum_i = w.psum;
    model_.push_i = w.push;
    model_.swap_i = w.swap;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
    expected_ = clock_edge<Arithmetic>(
        expected_, {widen(w.act), widen(w.weight), std::bit_cast<Psum>(w.psum), w.push, w.swap});
  }

  PeBits actual() {
    return {.act = bits(widen(model_.act_o)),
            .active = bits(widen(active_of(model_))),
            .shadow = bits(widen(shadow_of(model_))),
            .weight_out = bits(widen(model_.weight_out_o)),
            .psum = model_.psum_o,
            .push = model_.push_o != 0,
            .swap = model_.swap_o != 0};
  }
  PeBits expected() const { return bits(expected_); }

 private:
  using Psum = typename Arithmetic::Psum;
  using Element = typename Arithmetic::Element;

  static auto widen(std::uint16_t pattern) {
    return Arithmetic::widen(Arithmetic::from_bits(pattern));
  }
  /// Narrows a pattern to the element's wires.
  static auto narrow(std::uint16_t pattern) {
    if constexpr (sizeof(Element) == 1) return static_cast<std::uint8_t>(pattern);
    if constexpr (sizeof(Element) == 2) return pattern;
  }

  VerilatedContext context_;
  Model model_{&context_};
  PeRegisters<Arithmetic> expected_;
};

/// Random bits; one in four comes from `specials`.
template <class T, std::size_t N>
T pick(std::mt19937_64& random, const std::array<T, N>& specials) {
  return random() % 4 == 0 ? specials[random() % N] : static_cast<T>(random());
}

/// Zeros, subnormals, ones, infinities, quiet and signaling NaNs of bf16 and fp16.
constexpr std::array<std::uint16_t, 16> kElements = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x007F,
                                                     0x3F80, 0x3C00, 0x7F80, 0xFF80, 0x7C00, 0xFC00,
                                                     0x7FC1, 0x7F81, 0x7E01, 0x7C01};
constexpr std::array<std::uint32_t, 10> kPsums = {0x00000000, 0x80000000, 0x00000001, 0x007FFFFF,
                                                  0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC12345,
                                                  0xFFA00001, 0x7FFFFFFF};

struct Hits {
  int pushes = 0, swaps = 0, both = 0, neither = 0, resets = 0, nan_psums = 0;
};

template <class Arithmetic, class Model>
void run_random_sequence(std::uint64_t seed, Hits& hits) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  LockStep<Arithmetic, Model> pe;
  std::uint64_t push_percent = 50;
  std::uint64_t swap_percent = 50;
  for (int cycle = 0; cycle < 200'000; ++cycle) {
    if (random() % 64 == 0) push_percent = random() % 5 * 25;
    if (random() % 64 == 0) swap_percent = random() % 5 * 25;
    if (random() % 5000 == 0) {
      pe.reset();
      ++hits.resets;
      ASSERT_EQ(pe.actual(), PeBits{});
    }
    const Wires wires{.act = pick(random, kElements),
                      .weight = pick(random, kElements),
                      .psum = pick(random, kPsums),
                      .push = random() % 100 < push_percent,
                      .swap = random() % 100 < swap_percent};
    pe.clock(wires);
    ASSERT_EQ(pe.actual(), pe.expected()) << "after cycle " << cycle;
    hits.pushes += wires.push && !wires.swap;
    hits.swaps += wires.swap && !wires.push;
    hits.both += wires.push && wires.swap;
    hits.neither += !wires.push && !wires.swap;
    hits.nan_psums += pe.actual().psum == kCanonicalNan;
  }
}

void expect_every_class_hit(const Hits& hits) {
  for (const int count : {hits.pushes, hits.swaps, hits.both, hits.neither}) {
    EXPECT_GT(count, 10'000);
  }
  EXPECT_GT(hits.resets, 10);
}

TEST(PeInt8RtlTest, EqualsModelInRandomCycles) {
  Hits hits;
  run_random_sequence<Int8Arithmetic, Vpe_int8>(11, hits);
  expect_every_class_hit(hits);
}

TEST(PeBf16RtlTest, EqualsModelInRandomCycles) {
  Hits hits;
  run_random_sequence<Bf16Arithmetic, Vpe_bf16>(12, hits);
  expect_every_class_hit(hits);
  EXPECT_GT(hits.nan_psums, 1000);
}

TEST(PeFp16RtlTest, EqualsModelInRandomCycles) {
  Hits hits;
  run_random_sequence<Fp16Arithmetic, Vpe_fp16>(13, hits);
  expect_every_class_hit(hits);
  EXPECT_GT(hits.nan_psums, 1000);
}

/// Every weight times every activation; the expected sum is computed here, not in pe/.
TEST(PeInt8RtlTest, MultipliesEveryPairOfOperands) {
  std::mt19937_64 random(14);
  LockStep<Int8Arithmetic, Vpe_int8> pe;
  for (int weight = -128; weight < 128; ++weight) {
    pe.clock({.weight = static_cast<std::uint16_t>(weight), .push = true});
    for (int act = -128; act < 128; ++act) {
      const auto psum = static_cast<std::uint32_t>(random());
      pe.clock({.act = static_cast<std::uint16_t>(act), .psum = psum, .push = false, .swap = true});
      const auto sum = static_cast<std::uint32_t>(std::int64_t{psum} + act * weight);
      ASSERT_EQ(pe.actual().psum, sum) << act << " * " << weight << " + " << psum;
      ASSERT_EQ(pe.actual(), pe.expected());
    }
  }
}

}  // namespace
}  // namespace weft
