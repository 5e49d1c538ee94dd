// What each event costs, for one process. Four tables are built in as INI files, one for each node
// that power.node names; a user's file replaces one. One table of keys defines the parser, the
// range checks and the documentation (docs/energy.md says where the values come from).
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pe/element_type.h"
#include "sim/config/machine_config.h"

namespace weft {

/// Energies in picojoules.
struct EnergyTable {
  std::string name;
  double multiply_int8 = 0;  // a product
  double multiply_bf16 = 0;
  double multiply_fp16 = 0;
  double add_int32 = 0;  // a sum
  double add_fp32 = 0;
  double padding = 1;       // a MAC with padding, as a share of a useful one
  double register_bit = 0;  // a bit that a register takes
  double sram_8_kib = 0;    // 64 bits of a memory of this size
  double sram_32_kib = 0;
  double sram_1024_kib = 0;
  double vector_lane = 0;  // a lane of the vector unit
  double memory_ddr = 0;   // 64 bits
  double memory_hbm = 0;
  double memory_gddr = 0;
  double host_link = 0;
  // Square micrometers; nullopt if the table does not say.
  std::optional<double> gate_um2 = {};
  std::optional<double> flip_flop_um2 = {};

  /// One multiply-accumulate of the array.
  double mac(ElementType type) const;
  /// One sum of the accumulators.
  double add(ElementType type) const;
  /// 64 bits of a memory of `bytes`: a straight line between the sizes of the table in the
  /// logarithms of size and energy, which goes on below the smallest size. A memory of more than
  /// 1 MiB consists of banks of 1 MiB.
  double sram(double bytes) const;
  /// 64 bits across the memory channel.
  double memory(MemoryTechnology technology) const;
};

struct EnergyKey {
  std::string_view name;  // "multiply.int8"
  std::string_view help;  // one line, with the unit
  double low = 0;         // the range
  double high = 0;
  double EnergyTable::*value = nullptr;
  std::optional<double> EnergyTable::*area = nullptr;  // set instead of `value`; may be left out
};

/// All keys but table.name and table.unit, in the order in which they are documented.
std::span<const EnergyKey> energy_keys();

/// " key=value" for each key that the table has: equal for two tables with the same values.
std::string values_text(const EnergyTable& table);

/// The table in the INI text `in`; `origin` is its name in errors. Throws ConfigError for a
/// malformed line, an unknown, missing or repeated key, a unit other than pJ, and a value out of
/// range.
EnergyTable parse_energy_table(std::istream& in, std::string_view origin);

/// Names of the built-in tables: "45nm", "28nm", "16nm", "7nm".
std::vector<std::string> energy_table_names();
/// The INI text of a built-in table. Throws ConfigError that lists the tables.
std::string_view energy_table_text(std::string_view name);

/// A built-in table by its name, otherwise an INI file by its path (`./7nm` names a file). The name
/// of a file's table ends with eight digits of its values, "28nm 4918dd08": the file may have kept
/// the name of another table. Throws ConfigError.
EnergyTable load_energy_table(const std::string& name_or_file);
/// The built-in table of the machine's power.node; nullopt if it is none.
std::optional<EnergyTable> energy_table_of(const MachineConfig& config);
/// The same, but "own" is the table of the machine's power.node. Throws ConfigError also if that is
/// none.
EnergyTable load_energy_table(const std::string& name_or_file, const MachineConfig& config);

}  // namespace weft
