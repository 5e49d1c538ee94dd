// The data of the page as JSON (docs/page.md): one function for each part.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/mapping/instruction_tiles.h"
#include "compiler/mapping/tiling_plan.h"
#include "report/json.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/trace/array_recording.h"

namespace weft::report {

/// The most instructions, and the most spans of cycles, that a page lists. It shows the rest as
/// shares of bins.
inline constexpr std::size_t kListedInstructions = 10'000;
/// The most chunks, k tiles and n tiles together that a tile map shows.
inline constexpr std::uint64_t kDrawnTiles = 100'000;
/// The most bytes of array inputs that a page records.
inline constexpr std::uint64_t kRecordedBytes = 800'000;
/// The most PE updates that recording may compute; they take about a second.
inline constexpr std::uint64_t kRecordedUpdates = std::uint64_t{1} << 33U;

/// One program and how it ran.
struct PageProgram {
  const Program& program;
  const Timeline& timeline;
  Cycle begin = 0;  // its cycle 0, in cycles of the run
  Cycle total = 0;
  std::vector<InstructionTile> tiles = {};   // of each instruction
  std::vector<std::int32_t> tile_maps = {};  // of each instruction; -1: no map
};

/// The programs of a run, one after the other.
struct PageRun {
  const MachineConfig& machine;
  std::vector<PageProgram> programs = {};
  Cycle total = 0;
};

/// The part `formula`; `span` is the simulated span, `excess` its excess over the formula by class.
Json formula_page_json(const FormulaTerms& formula, Cycle span, const CycleLedger& excess);

/// The part `timeline`. Adds a sentence to `notes` if it leaves out instructions.
Json timeline_json(const PageRun& run, Json& notes);

/// How many cycles, from the first on, a page can animate.
Cycle animated_cycles(const MachineConfig& machine, const Program& program,
                      const Timeline& timeline);
/// The part `array`, from cycle 0 on. Adds a sentence to `notes` if the recording ends before the
/// run's `total` cycles.
Json array_json(const ArrayRecording& recording, Cycle total, Json& notes);

/// The place of a workload or a layer on the roofline.
struct RooflinePoint {
  std::string name;
  std::uint64_t macs = 0;
  std::uint64_t memory_bytes = 0;  // EventCounts::memory_bytes
  std::uint64_t host_bytes = 0;    // EventCounts::host_bytes
  Cycle cycles = 0;
};
Json roofline_json(const MachineConfig& machine, std::span<const RooflinePoint> points);

}  // namespace weft::report
