// One case of body_checks.cpp: a body with random operands, run on two devices.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "models/reference/cuda/checks/random_values.h"
#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

/// A device and its memory for one case.
class Bench {
 public:
  Bench(Device& device, std::uint64_t seed) : device_(device), generator_(seed) {}

  /// `count` random elements: floats of all kinds, bools, bytes, or integers below `below`.
  template <class T>
  std::vector<T> random_values(std::int64_t count, std::int64_t below = 100) {
    std::vector<T> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(draw<T>(below));
    return values;
  }
  template <class T>
  void fill(T* memory, const std::vector<T>& values) {
    device_.upload(memory, values.data(), bytes_of<T>(static_cast<std::int64_t>(values.size())));
  }
  template <class T>
  const T* given(const std::vector<T>& values) {
    T* memory = made<T>(static_cast<std::int64_t>(values.size()));
    fill(memory, values);
    return memory;
  }
  template <class T>
  const T* random(std::int64_t count, std::int64_t below = 100) {
    return given(random_values<T>(count, below));
  }
  /// Draws bytes, because std::vector<bool> does not store its elements contiguously.
  const bool* random_bools(std::int64_t count) {
    return reinterpret_cast<const bool*>(random<std::uint8_t>(count, 2));
  }
  const double* random_doubles(std::int64_t count) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(0.5 + unit() * 0.25);
    return given(values);
  }
  template <class T>
  T* made(std::int64_t count) {
    memory_.push_back(device_.allocate(bytes_of<T>(count)));
    return static_cast<T*>(memory_.back().get());
  }
  /// Runs body(i) for `runs` indices, and returns the `count` elements of the result.
  template <class T>
  std::vector<T> run(const Body& body, std::int64_t runs, const T* result, std::int64_t count) {
    device_.run(body, runs);
    std::vector<T> values(static_cast<std::size_t>(count));
    device_.download(values.data(), result, bytes_of<T>(count));
    index_ = body.index();
    return values;
  }
  /// The index of the Body alternative that ran last.
  std::size_t index() const { return index_; }

 private:
  template <class T>
  static std::int64_t bytes_of(std::int64_t count) {
    return count * static_cast<std::int64_t>(sizeof(T));
  }
  double unit() { return static_cast<double>(reals(generator_, 1)[0]); }
  template <class T>
  T draw(std::int64_t below) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr float kSpecials[] = {0.0F, -0.0F, HUGE_VALF, -HUGE_VALF, 1e-40F, NAN, 70000.0F};
      const std::int64_t choice = between(generator_, 0, 29);
      return choice < 7 ? kSpecials[choice] : reals(generator_, 1)[0] * 4.0F;
    } else {
      return static_cast<T>(between(generator_, 0, below - 1));
    }
  }

  Device& device_;
  Generator generator_;
  std::vector<Memory> memory_;
  std::size_t index_ = std::variant_npos;
};

template <class T>
bool same_or_next(T a, T b, bool next_is_fine) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return std::signbit(a) == std::signbit(b);
    // Sums of exponentials accumulate the last-place errors of their terms.
    if constexpr (std::is_same_v<T, double>) {
      return next_is_fine && std::abs(a - b) <= 1e-14 * std::abs(b);
    }
    return next_is_fine && std::nextafter(a, b) == b;
  } else {
    return a == b;
  }
}

/// One case: runs a body on two benches and compares the results.
struct BodyCase {
  std::string name;
  std::function<std::string(Bench& here, Bench& there)> differ;  // empty if they agree
};

/// `make(bench, y)` returns the body that fills the `count` elements of y, with `runs` indices (one
/// for each element if 0).
template <class Result, class Make>
BodyCase body_case(const std::string& name, std::int64_t count, Make make, bool next_is_fine,
                   std::int64_t runs = 0) {
  return {name, [=](Bench& here, Bench& there) -> std::string {
            std::vector<Result> results[2];
            for (Bench* bench : {&here, &there}) {
              Result* y = bench->template made<Result>(count);
              const Body body = make(*bench, y);
              results[bench == &here ? 0 : 1] =
                  bench->template run<Result>(body, runs == 0 ? count : runs, y, count);
            }
            for (std::size_t i = 0; i < results[0].size(); ++i) {
              if (same_or_next(results[0][i], results[1][i], next_is_fine)) continue;
              std::ostringstream text;
              text << "element " << i << " is " << +results[1][i] << ", not " << +results[0][i];
              return text.str();
            }
            return "";
          }};
}
/// A case whose results must have the same bits.
template <class Result, class Make>
BodyCase exact(const std::string& name, std::int64_t count, Make make) {
  return body_case<Result>(name, count, make, false);
}
/// A case whose results may differ in the last place.
template <class Result, class Make>
BodyCase close(const std::string& name, std::int64_t count, Make make) {
  return body_case<Result>(name, count, make, true);
}

}  // namespace weft::cuda
