// Collects runs: those of the same thing on the same device make one measurement.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "models/measurements/measurement.h"

namespace weft::measurements {

class MeasurementGroups {
 public:
  /// Tells things apart: the list that a number comes from, the number, and a variant.
  struct Key {
    std::uint8_t list = 0;
    std::uint64_t number = 0;
    bool variant = false;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.list, a.number, a.variant) < std::tie(b.list, b.number, b.variant);
    }
  };

  /// Adds a run. `make` gives the measurement, without its device and its runs, when the first one
  /// comes. Times of single runs are kept for products only.
  template <class Make>
  void add(std::size_t device, const Key& key, Occurrence run, Make&& make) {
    const auto [place, is_new] = places_.try_emplace({device, key}, groups_.size());
    if (is_new) {
      groups_.push_back(make());
      groups_.back().device = device;
    }
    Measurement& group = groups_[place->second];
    if (group.is_product) {
      group.occurrences.push_back(run);
    } else {
      ++group.count;
      group.total += run.seconds;
    }
  }

  /// All measurements, in the order of their first run that was added. Throws InputError for a
  /// product that takes no time.
  std::deque<Measurement> take() {
    for (Measurement& group : groups_) {
      if (!group.is_product) continue;
      summarize(group);
      check_product_time(group);
    }
    return std::move(groups_);
  }

 private:
  std::map<std::pair<std::size_t, Key>, std::size_t> places_;
  std::deque<Measurement> groups_;
};

}  // namespace weft::measurements
