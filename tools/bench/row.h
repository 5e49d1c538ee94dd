// The rows of weft_bench's table. A row has one or two sides: Weft and its baseline. Each side is a
// separate benchmark. Google Benchmark runs the repetitions of all of them in random order, so that
// both sides see the same clock rate and the same load from other processes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace weft::bench {

/// The quantity that a row's target limits.
enum class Figure : std::uint8_t {
  kRatio,  // Weft's time / the baseline's, at most
  kRate,   // work / Weft's time, at least
  kTime,   // Weft's time in seconds, at most
};

struct Row {
  std::string name = {};
  std::function<void()> weft = {};
  std::function<void()> baseline = {};  // empty: there is none, or its library is missing
  Figure figure = Figure::kRatio;
  std::optional<double> target = {};  // nullopt: the row only informs
  double work = 0;                    // of one call of `weft`, for kRate
  std::string work_unit = {};
};

/// The tile products and the stepped array alone, without the machine around them.
std::vector<Row> kernel_rows();

/// Whole simulations.
std::vector<Row> simulation_rows();

/// Whole networks against the CPU reference's float32 run.
std::vector<Row> network_rows();

/// Training of the digits on the simulated machine against the CPU backend.
std::vector<Row> training_rows();

/// Points of `weft sweep`.
std::vector<Row> sweep_rows();

/// A topology of SCALE-Sim.
std::vector<Row> scalesim_rows();

/// ResNet-50 from its builder to its cycles on tpu-v2, without values.
void run_network_analytically();

/// Peak memory of some work in bytes, and its limit.
struct Peak {
  std::string name = {};
  double bytes = 0;
  double target = 0;
};

}  // namespace weft::bench
