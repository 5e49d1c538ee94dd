#include "report/trace/waveform.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "report/text.h"
#include "sim/analysis/summary.h"
#include "sim/timing/analytic.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/channel_clock.h"

namespace weft::report {
namespace {

namespace fs = std::filesystem;

// A line of a dump is "b", the bits, a space, a code of one to four characters, and the line end.
constexpr double kBeyondBits = 7;
constexpr double kPsumBits = 32;
constexpr double kFlagLine = 6;           // one bit: "1", the code, the line end
constexpr double kDeclarationBytes = 70;  // of a signal in the header, with its scopes
constexpr double kSignalsOfPe = 7;

/// How many of the cycles begin .. begin+count-1 lie in the range.
double within(CycleRange cycles, Cycle begin, Cycle count) {
  const Cycle first = std::max(begin, cycles.first);
  const Cycle last = std::min(begin + count - 1, cycles.last);
  return static_cast<double>(std::max<Cycle>(0, last - first + 1));
}

/// Bytes that are free for this file; nullopt if nobody can tell.
std::optional<double> free_bytes(const std::string& file) {
  std::error_code error;
  const fs::path path(file);
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return std::nullopt;  // device
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::space_info space = fs::space(folder, error);
  if (error) return std::nullopt;
  return static_cast<double>(space.available);
}

}  // namespace

CycleRange parse_vcd_cycles(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto limit = static_cast<std::uint64_t>(kMaxCycle);
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (dots == std::string_view::npos || !is_number(text.substr(0, dots)) ||
      !is_number(text.substr(dots + 2))) {
    throw InputError(fmt::format("--vcd-cycles {}: must look like 100..199", printable(text)));
  }
  const CycleRange cycles = {
      static_cast<Cycle>(parse_number(text.substr(0, dots), "--vcd-cycles", 0, limit)),
      static_cast<Cycle>(parse_number(text.substr(dots + 2), "--vcd-cycles", 0, limit))};
  if (cycles.first > cycles.last) {
    throw InputError(fmt::format("--vcd-cycles {}: ends before it begins", printable(text)));
  }
  return cycles;
}

double waveform_bytes(const MachineConfig& config, const Program& program, const Timeline& timeline,
                      CycleRange cycles) {
  const ArrayTiming array(config);
  const double element = 8.0 * element_bytes(config.dtype);
  const double pes = static_cast<double>(array.rows) * static_cast<double>(array.cols);
  // A row leaves the last PE front_to_last_pe() cycles after it entered.
  const CycleRange reaching = {cycles.first - array.front_to_last_pe(), cycles.last};
  double rows = 0;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const auto* matmul = std::get_if<Matmul>(&program.code[i].operation);
    if (matmul == nullptr) continue;
    rows += within(reaching, timeline.instructions[i].started, Cycle{matmul->rows});
  }
  double pushes = 0;
  for (const Cycle push : timeline.pushes) pushes += within(reaching, push, array.push());
  const double row_bytes = (element + kBeyondBits) + (kPsumBits + kBeyondBits) + kFlagLine;
  const double push_bytes = 2 * (element + kBeyondBits) + kFlagLine;
  return pes * (kSignalsOfPe * kDeclarationBytes + rows * row_bytes + pushes * push_bytes);
}

void open_waveform(const std::string& file, CycleRange cycles, const MachineConfig& config,
                   const Program& program, std::optional<OutputStream>& vcd) {
  const Timeline timeline = analytic_timeline(config, program);
  const Cycle total = total_cycles(timeline);
  if (cycles.first >= total) {
    throw InputError(fmt::format("--vcd-cycles: begins in cycle {}, but the run has cycles 0 to {}",
                                 cycles.first, total - 1));
  }
  const double bytes = waveform_bytes(config, program, timeline, cycles);
  const std::optional<double> free = free_bytes(file);
  if (free && bytes > *free) {
    throw InputError(fmt::format(
        "--vcd {}: the waveform may take {}, but {} are free; show fewer cycles with --vcd-cycles",
        printable(file), si(bytes, "B"), si(*free, "B")));
  }
  vcd.emplace(file, WhileWriting::kVisible);
}

}  // namespace weft::report
