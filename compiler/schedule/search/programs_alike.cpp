#include "compiler/schedule/search/programs_alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/schedule/product/product_segment.h"
#include "compiler/schedule/segment/schedule_segment.h"

namespace weft::compiler {
namespace {

/// Longer programs are not kept for comparison.
constexpr std::size_t kMostKept = 200'000;

class Instructions final : public InstructionSink {
 public:
  void add(const Instruction& instruction, std::uint32_t, const TileNumbers&) override {
    all.push_back(instruction);
  }
  std::vector<Instruction> all;
};

std::vector<std::string> layers_of(const Segment& segment) {
  std::vector<std::string> layers;
  for (const Layer& layer : segment.layers) {
    layers.push_back(fmt::format("{} {} {} {} {}", layer.op, to_string(layer.result), layer.macs,
                                 layer.body.index(), layer.others.size()));
  }
  return layers;
}

}  // namespace

CostedSchedule ProgramsAlike::schedule(const Segment& segment, const MappingOptions& options,
                                       const FoundChoices* like) {
  const auto search = [&] { return schedule_segment(segment, config_, options, like); };
  if (options.programs == 1 || options.effort == SearchEffort::kNone) return search();
  auto program = unsearched_program(segment, options);
  if (!program) return search();
  std::vector<std::string> layers = layers_of(segment);
  if (const Known* same = known(layers, *program)) {
    auto scheduled = schedule_layers(segment, config_, *same->found.choices);
    if (auto* schedule = std::get_if<Schedule>(&scheduled)) {
      return {std::move(*schedule), same->found.choices, same->found.cycles, 0};
    }
  }
  CostedSchedule found = search();
  if (found.choices && !options.to_beat)
    all_.push_back({std::move(layers), std::move(*program), found});
  return found;
}

/// nullopt for a product in rings, and for a long program.
std::optional<std::vector<Instruction>> ProgramsAlike::unsearched_program(
    const Segment& segment, MappingOptions options) const {
  if (least_instructions(segment, config_, kMostKept) > kMostKept) return std::nullopt;
  options.effort = SearchEffort::kNone;
  options.progress = {};
  const Schedule schedule = schedule_segment(segment, config_, options).schedule;
  if (is_product(schedule)) return std::nullopt;
  try {
    Instructions program;
    emit_segment(segment, schedule, config_, kMostKept, program);
    return std::move(program.all);
  } catch (const InputError&) {  // too many instructions
    return std::nullopt;
  }
}

const ProgramsAlike::Known* ProgramsAlike::known(const std::vector<std::string>& layers,
                                                 const std::vector<Instruction>& program) const {
  const auto same = std::ranges::find_if(
      all_, [&](const Known& each) { return each.layers == layers && each.program == program; });
  return same == all_.end() ? nullptr : &*same;
}

}  // namespace weft::compiler
