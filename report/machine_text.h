// The machine as text, and the lines about it and its cycles that all reports share. A machine is
// "modified" if it differs from the preset of its name, or from its INI file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/text.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"

namespace weft {
struct ConfigChange;  // sim/config/config_keys.h, which includes Boost
}

namespace weft::report {

/// A machine as its INI file describes it, before options changed it; nullopt if it has no file.
using MachineFile = std::optional<MachineConfig>;

/// The keys in which a machine with the name of a preset differs from the preset, or a machine with
/// the name of its file's machine from the file.
std::vector<ConfigChange> machine_changes(const MachineConfig& config, const MachineFile& file);
/// "tpu-v2", or "tpu-v2, modified" if there are changes.
std::string machine_title(const MachineConfig& config, const MachineFile& file);

/// A line of a summary: the label in bold, eleven columns wide, then the value.
std::string labeled_line(std::string_view label, const std::string& value, const Style& style);
/// "R x C int8, 700 MHz" and the like.
std::string machine_line(const MachineConfig& config, const MachineFile& file = {});
/// "array.rows 64 (tpu-v2: 128)" for each change, several to a line.
std::vector<std::string> modified_lines(const MachineConfig& config, const MachineFile& file);
/// The labeled lines of a report: the machine, and what was modified in it, if anything was.
std::string machine_text(const MachineConfig& config, const MachineFile& file, const Style& style);
/// The same as the heading of `explain`, without labels.
std::string machine_heading(const MachineConfig& config, const MachineFile& file,
                            const Style& style);

/// "67,285 = 96.1 us at 700 MHz".
std::string cycles_line(Cycle cycles, const MachineConfig& config);
/// One line for each class that is not zero, indented by eleven columns.
std::string ledger_text(const CycleLedger& ledger);
/// "array 61.2 %, vector unit 30.1 %, host link 8.7 %": the parts of a critical path, the largest
/// first; leaves out those below 0.05 %.
std::string critical_path_text(const CriticalPath& path);
/// The index of the largest part; the first of several.
std::size_t largest_part(const CriticalPath& path);

}  // namespace weft::report
