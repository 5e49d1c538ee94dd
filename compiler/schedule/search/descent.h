// A descent: from one place on it changes one choice after the other as long as that saves cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/program/capacities.h"
#include "compiler/schedule/search/capacity_ladder.h"
#include "compiler/schedule/search/division_search.h"

namespace weft::compiler {

class Descent : protected DivisionSearch {
 public:
  /// As CandidateSearch.
  Descent(const Segment& segment, const MachineConfig& config, const MappingOptions& options,
          std::uint64_t most)
      : DivisionSearch(segment, config, options, most),
        form_(options.form),
        ladders_(capacity_ladders(segment, config)) {}

  /// The best of a descent that is planned for less of one capacity from its start on: of those
  /// that begin with about as few cycles as the machine's own plan, or fewer, the one that begins
  /// best. All choices follow from the capacities, so it takes another way and may end in a better
  /// place. nullopt if there is none, or if the program is short.
  std::optional<CostedSchedule> from_less();

 protected:
  void descend(const ScheduleChoices& start);
  /// The second half of a descent: everything but staging.
  void improve();
  /// Tries chunks of few rows in the best of all descents. In a descent they would lead to other
  /// choices that are seldom better.
  void shorten_chunks();
  /// The choices with chunks by estimate where shorten_chunks() has chosen them.
  ScheduleChoices with_long_chunks(ScheduleChoices choices) const;

  std::optional<std::size_t> form_;         // of all layers that have it; nullopt: to be chosen
  std::int64_t parts_ = 1;                  // of the batch
  std::optional<ScheduleChoices> smaller_;  // the best for a part of the batch, repeated
  std::optional<ScheduleChoices> as_part_;  // the same with its short chunks
  std::optional<ScheduleChoices> like_;     // for a segment of the same layers
  std::optional<Cycle> likes_cycles_;
  std::optional<CostedSchedule> found_;  // the best of all descents

 private:
  /// What seldom saves much is tried only if there is time for it. A batch begins with what was
  /// found for a part of it, and needs its time for groups of images.
  bool has_time() const;
  std::optional<CostedSchedule> by_estimate(const ScheduleChoices& start) const;
  bool is_hopeless() const;
  /// The choices for a part of the batch: its instructions part by part, or of all parts together,
  /// or with as many groups of more images.
  void consider_repeated();
  /// The same with less staging, so that what rounds leave for a layer that takes the whole batch
  /// drives out nothing that stays in a round.
  void consider_room_beside_rounds();
  /// The choices for a part of the batch with other groups of images.
  void consider_groups_of(const ScheduleChoices& other_groups);
  /// Changes the choices of single layers, and the division of the buffer, until nothing saves
  /// cycles.
  void refine();
  void refine_layer(std::size_t layer);
  void choose_form_of_layers_like(std::size_t first);
  void choose_chunks_of_layers_like(std::size_t first);
  /// Chunks of the same size for all layers.
  void choose_chunks_of_all();
  /// The sizes of staging that are no shares of this buffer.
  void choose_staging(ScheduleChoices choices);
  /// With other chunks and forms, other sizes of staging may be the best.
  void choose_staging_again();
  /// Goes down the ladder of one capacity until a machine is much slower: still smaller ones are
  /// slower yet. With a smaller buffer fewer sheets stay, and more pass through while others are
  /// computed.
  void choose_less_of(std::uint32_t Capacities::*which, const std::vector<std::uint32_t>& ladder);
  void choose_smaller_buffers();
  void choose_less();
  /// The capacities with which from_less() begins.
  std::optional<Capacities> best_start_with_less();

  const CapacityLadders ladders_;
};

}  // namespace weft::compiler
