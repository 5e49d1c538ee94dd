// What the page shows, as JSON (docs/page.md), each part from what a run knows.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/lowering/instruction_tiles.h"
#include "compiler/plan/tiling_plan.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/trace/array_recording.h"

namespace weft::cli {

using Json = nlohmann::ordered_json;

/// Instructions that a page lists, and spans of cycles; more are shown as shares of bins.
inline constexpr std::size_t kListedInstructions = 10'000;
/// Bytes of values that a page keeps of what enters the array.
inline constexpr std::uint64_t kRecordedBytes = 800'000;
/// Updates of PEs that recording may take: a second or so.
inline constexpr std::uint64_t kRecordedUpdates = std::uint64_t{1} << 33U;

/// One program and how it ran.
struct PageProgram {
  const Program& program;
  const Timeline& timeline;
  Cycle begin = 0;  // where its cycle 0 is in the run
  Cycle total = 0;
  std::vector<InstructionTile> tiles = {};   // one an instruction; empty: none is known
  std::vector<std::int32_t> tile_maps = {};  // of each instruction, -1 for none; empty: all 0
};

/// The programs of a run, one after the other.
struct PageRun {
  const MachineConfig& machine;
  std::vector<PageProgram> programs = {};
  Cycle total = 0;
};

/// The data's `tiles` entry of a product; `operands` are the names of A, B and the result.
Json tile_map_json(const std::string& name, const TilingPlan& plan, const MachineConfig& machine,
                   const std::vector<std::string>& operands);
/// `formula`; `span` is the simulated one, `excess` what it has more, class by class.
Json formula_page_json(const FormulaTerms& formula, Cycle span, const CycleLedger& excess);

/// `timeline`. Adds a sentence to `notes` if it leaves instructions out.
Json timeline_json(const PageRun& run, Json& notes);

/// How many cycles from the first on a page can animate of the program.
Cycle animated_cycles(const MachineConfig& machine, const Program& program, const Result& result);
/// `array`, from cycle 0 on. Adds a sentence to `notes` if it ends before the run of `total`
/// cycles.
Json array_json(const ArrayRecording& recording, Cycle total, Json& notes);

/// What a workload, or a layer of one, is on the roofline.
struct RooflinePoint {
  std::string name;
  std::uint64_t macs = 0;
  Traffic traffic = {};
  Cycle cycles = 0;
};
Json roofline_json(const MachineConfig& machine, std::span<const RooflinePoint> points);

}  // namespace weft::cli
