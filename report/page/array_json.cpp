#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/page/base64.h"
#include "report/page/page_data.h"
#include "report/text.h"
#include "sim/analysis/summary.h"

namespace weft::report {
namespace {

std::string base64_i32(std::span<const std::int32_t> values) {
  const std::vector<std::uint32_t> bits(values.begin(), values.end());
  return base64_words<std::uint32_t>(bits);
}

std::vector<std::int32_t> flags(const ArrayRecording::Activations& rows) {
  std::vector<std::int32_t> flags;
  for (std::size_t i = 0; i < rows.swap.size(); ++i) {
    flags.push_back(rows.swap[i] | rows.accumulate[i] << 1U);
  }
  return flags;
}

/// A row that enters the array, or a push: its cycle and its bytes in the page.
struct ArrayEntry {
  Cycle cycle = 0;
  std::uint64_t bytes = 0;
};

std::vector<ArrayEntry> entries(const MachineConfig& machine, const Program& program,
                                const Timeline& timeline) {
  constexpr std::uint64_t kColumns = 12;  // cycle, row, flags
  std::vector<ArrayEntry> list;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const auto* matmul = std::get_if<Matmul>(&program.code[i].operation);
    if (matmul == nullptr) continue;
    const Cycle started = timeline.instructions[i].started;
    for (std::uint32_t row = 0; row < matmul->rows; ++row) {
      list.push_back({started + row, machine.row_bytes() + kColumns});
    }
    if (list.size() * kColumns > 2 * kRecordedBytes) break;  // enough to find the end
  }
  const std::uint64_t push_bytes = machine.tile_bytes() / machine.array_rows + 4;
  for (std::size_t i = 0; i < std::min<std::size_t>(timeline.pushes.size(), 1U << 20U); ++i) {
    for (std::uint32_t row = 0; row < machine.array_rows; ++row) {
      list.push_back({timeline.pushes[i] + row, push_bytes});
    }
    if ((i + 1) * machine.array_rows * push_bytes > 2 * kRecordedBytes) break;
  }
  std::ranges::sort(list, {}, &ArrayEntry::cycle);
  return list;
}

}  // namespace

Cycle animated_cycles(const MachineConfig& machine, const Program& program,
                      const Timeline& timeline) {
  const std::uint64_t pes = std::uint64_t{machine.array_rows} * machine.array_cols;
  const auto affordable = static_cast<Cycle>(kRecordedUpdates / pes);
  Cycle end = std::min(total_cycles(timeline), affordable);
  std::uint64_t bytes = 0;
  for (const ArrayEntry& entry : entries(machine, program, timeline)) {
    bytes += entry.bytes;
    if (bytes > kRecordedBytes) return std::min(end, std::max<Cycle>(entry.cycle, 1));
  }
  return end;
}

Json array_json(const ArrayRecording& recording, Cycle total, Json& notes) {
  if (recording.end < total) {
    notes.push_back(
        fmt::format("The array is animated up to cycle {} of {}, so that the page stays small.",
                    grouped(static_cast<std::uint64_t>(recording.end)),
                    grouped(static_cast<std::uint64_t>(total))));
  }
  const ArrayRecording::Activations& rows = recording.activations;
  return {{"rows", recording.rows},
          {"cols", recording.cols},
          {"dtype", to_string(recording.dtype)},
          {"begin", 0},
          {"end", recording.end},
          {"complete", recording.end >= total},
          {"activations",
           {{"cycle", base64_i32(rows.cycle)},
            {"acc_row", base64_i32(rows.acc_row)},
            {"flags", base64_i32(flags(rows))},
            {"values", base64(rows.values)}}},
          {"weights",
           {{"cycle", base64_i32(recording.weights.cycle)},
            {"values", base64(recording.weights.values)}}}};
}

}  // namespace weft::report
