// A search for good machines in a space that is too large to run whole. First points spread over
// all axes (a Latin hypercube: McKay, Beckman, Conover 1979), then generations of the genetic
// algorithm NSGA-II (Deb, Pratap, Agarwal, Meyarivan 2002): the best points so far, by fronts and
// then by the space around them, are crossed and changed. A generation begins when the last one is
// known, so the points do not depend on the number of workers.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "runtime/sweep/source.h"
#include "runtime/sweep/space/expression.h"

namespace weft::sweep {

class Search final : public Source {
 public:
  /// Runs `points` different points, or all if there are no more. `goals` are to be small; their
  /// names are those of metrics(). Throws InputError for a space with several workloads, sizes or
  /// batches, whose figures say nothing about each other, and for bad goals: those that have no
  /// value, or weigh energies that no machine of the space has.
  Search(const Space& space, std::uint64_t points, const std::vector<std::string>& goals,
         std::uint64_t seed);

  std::optional<Point> next() override;
  void tell(const Point& point, std::span<const Cell> row) override;
  bool ended() const override;
  double share() const override;
  void for_each(const std::function<void(const Point&)>& visit) const override;

  const std::vector<Expression>& goals() const { return goals_; }
  /// The values of the goals in a row; infinite for a point that failed.
  std::vector<double> costs(std::span<const Cell> row) const;

 private:
  using Places = std::vector<std::size_t>;
  struct Individual {
    std::uint64_t number = 0;
    std::vector<double> costs;
    std::size_t front = 0;
    double room = 0;  // NSGA-II's crowding distance
  };

  void check_goals() const;
  std::uint64_t random(std::uint64_t below) { return engine_() % below; }
  void begin_spread();
  void begin_generation();
  bool add(const Places& places);
  Places child();
  const Individual& tournament();
  void select();

  const Space& space_;
  const std::uint64_t most_;
  std::vector<Expression> goals_;
  std::mt19937_64 engine_;
  std::vector<std::uint64_t> numbers_;                  // of all points, in order
  std::map<std::uint64_t, std::vector<double>> known_;  // costs; empty: not told yet
  std::vector<Individual> parents_;
  std::size_t given_ = 0;  // of numbers_
  std::size_t told_ = 0;
  bool exhausted_ = false;  // no further point was found
};

}  // namespace weft::sweep
