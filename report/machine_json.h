// The machine, its cycles and its traffic as JSON; docs/json.md explains each key.
#pragma once

#include "report/json.h"
#include "report/machine_text.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"

namespace weft::report {

/// The machine's keys with their values as numbers and strings.
Json machine_json(const MachineConfig& config);
/// The same with `title`, the machine's name for people, and `modified`: each key of
/// machine_changes() with the value that it had in the preset or the file.
Json described_machine_json(const MachineConfig& config, const MachineFile& file = {});
/// Reads back what machine_json() wrote. Throws InputError for a missing key, ConfigError for a
/// value out of range.
MachineConfig machine_of(const Json& json);

/// The cycles of each class.
Json ledger_json(const CycleLedger& ledger);
/// The same after `total`.
Json cycles_json(Cycle total, const CycleLedger& ledger);
/// The cycles of each part of a critical path, after their sum `total`.
Json critical_path_json(const CriticalPath& path);
/// The bytes of each kind of transfer.
Json traffic_json(const Traffic& traffic);

}  // namespace weft::report
