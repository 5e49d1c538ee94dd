// The machine, its cycles and its traffic as JSON; docs/json.md explains each key.
#pragma once

#include "report/json.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"

namespace weft::report {

/// The machine's keys with their values as numbers and strings.
Json machine_json(const MachineConfig& config);
/// The same with `title`, the machine's name for people, and `modified`: each key in which the
/// machine differs from the preset of its name, with the preset's value.
Json described_machine_json(const MachineConfig& config);
/// Reads back what machine_json() wrote. Throws InputError for a missing key, ConfigError for a
/// value out of range.
MachineConfig machine_of(const Json& json);

/// The cycles of each class.
Json ledger_json(const CycleLedger& ledger);
/// The same after `total`.
Json cycles_json(Cycle total, const CycleLedger& ledger);
/// The bytes of each kind of transfer.
Json traffic_json(const Traffic& traffic);

}  // namespace weft::report
