// The machine's keys: one table defines the INI parser, the command-line options, the range checks
// and the printed description. A key is an option of the same name: `--array.rows 128` is
//
//     [array]
//     rows = 128
//
// in a file. `clock_mhz` has no section; in a file it stands above the first section or in
// [machine]. Keys that a file leaves out keep the defaults of MachineConfig. Numbers are plain
// decimal digits in any locale, and parse exactly into integers.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/machine_config.h"

namespace weft {

/// How a key's value could be better; nullopt in ConfigKey if that is no question of more or less.
enum class Improvement : std::uint8_t {
  kFaster,   // a rate: more of it
  kShorter,  // a latency: less of it
  kLarger,   // a size: more of it, with another program
};

/// Where a preset has a value from (docs/machines.md).
enum class ValueMark : std::uint8_t { kPublished, kDerived, kAssumed };

struct ConfigKey {
  std::string name;
  std::string help;   // one line, with the unit
  std::string range;  // as shown in errors: "1..4096", "on|off"
  /// Sets the field from the text. Returns false if the text is not a value in the range.
  std::function<bool(MachineConfig&, std::string_view)> parse;
  /// The field as text that parse() reads.
  std::function<std::string(const MachineConfig&)> print;
  std::optional<Improvement> improvement = {};
  /// Makes the field better by a tenth, or by one unit if that is more. Returns false if the range
  /// does not allow it, or without an improvement.
  std::function<bool(MachineConfig&)> improve = [](MachineConfig&) { return false; };
  std::optional<unsigned> decimals = {};  // that a number may have; nullopt: a name or a switch
};

/// All keys in the order in which they are documented and written.
std::span<const ConfigKey> config_keys();

/// "unknown key 'array.row'; did you mean array.rows?". If no key is similar, the text names the
/// help of `command`, such as "matmul".
std::string unknown_key(std::string_view name, std::string_view command);

/// Sets one key; validate() checks combinations of keys. Throws ConfigError for an unknown key
/// (suggesting a similar one) and for a value outside the key's range.
void set_key(MachineConfig& config, std::string_view key, std::string_view value);

/// What the key's value must be, for an error about `value`: "must be 1..4096", and that it must be
/// whole if that is what is wrong with it.
std::string must_be(const ConfigKey& key, std::string_view value);

/// The configuration in the INI text `in`; `origin` is its name in errors. Throws ConfigError for
/// a malformed line, an unknown or repeated key, and a value or combination out of range.
MachineConfig parse_ini(std::istream& in, std::string_view origin);

/// INI text with every key; parse_ini() gives back an equal configuration.
std::string to_ini(const MachineConfig& config);

/// The keys as command-line options, each with its range and help.
boost::program_options::options_description machine_options();

/// Sets every machine option that `values` holds, then validates. Throws ConfigError.
void apply_options(MachineConfig& config, const boost::program_options::variables_map& values);

/// Names of the embedded presets, simplest first.
std::vector<std::string> preset_names();

/// The INI text of a preset, with the source of each value in its comments. If there is no preset
/// of this name, throws ConfigError that lists the presets.
std::string_view preset_text(std::string_view name);

/// The mark that the preset's text gives to a key: the comment after its value. Nullopt for an
/// unknown key, or a text without marks.
std::optional<ValueMark> value_mark(std::string_view ini_text, std::string_view key);

/// True if the machine's value of the key is that of the preset of the machine's name, and the
/// preset only assumes it.
bool is_assumed(const MachineConfig& config, const ConfigKey& key);

/// The configuration of a preset. Throws ConfigError like preset_text().
MachineConfig load_preset(std::string_view name);

/// A key whose value differs from the preset's.
struct ConfigChange {
  std::string key;
  std::string preset;  // as ConfigKey::print() gives it
  std::string value;
};

/// The keys in which a machine with the name of a preset differs from that preset, in the order of
/// the table; empty for a machine with another name.
std::vector<ConfigChange> changes_from_preset(const MachineConfig& config);

/// The machine's name for people: "tpu-v2", or "tpu-v2, modified" if it differs from that preset.
std::string machine_title(const MachineConfig& config);

/// Loads a preset by its name, otherwise an INI file by its path (`./tiny` names a file). Throws
/// ConfigError if there is neither, or if the file is wrong.
MachineConfig load_machine(const std::string& preset_or_file);

}  // namespace weft
