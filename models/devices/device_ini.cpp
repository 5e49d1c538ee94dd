#include "models/devices/device_ini.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "base/similar.h"
#include "models/devices/calibration.h"
#include "sim/config/ini_file.h"

namespace weft::devices {
namespace {

// Numbers have at most this many decimals.
constexpr unsigned kDecimals = 6;
constexpr double kScale = 1e6;

/// One key: what it says, its range, and how to set and print it.
struct Key {
  std::string name;
  std::string help;  // with the unit
  std::string range;
  bool required = false;
  /// Returns false if the text is no value in the range.
  std::function<bool(DeviceModel&, std::string_view)> parse;
  /// nullopt: the device has no such figure, so the key is left out.
  std::function<std::optional<std::string>(const DeviceModel&)> print;
};

std::optional<double> number_in(std::string_view text, double low, double high) {
  const auto scaled = parse_decimal(text, kDecimals);
  if (!scaled) return std::nullopt;
  const double value = static_cast<double>(*scaled) / kScale;
  if (value < low || value > high) return std::nullopt;
  return value;
}

std::string number_text(double value) {
  return print_decimal(static_cast<std::uint64_t>(std::llround(value * kScale)), kDecimals);
}

/// A number held in a member of DeviceModel. A key that is not required is printed if it is not 0.
Key number(std::string name, std::string help, double DeviceModel::*member, double low, double high,
           bool required = true) {
  return {std::move(name),
          std::move(help),
          fmt::format("{} to {} with at most {} decimals", low, high, kDecimals),
          required,
          [=](DeviceModel& device, std::string_view text) {
            const auto value = number_in(text, low, high);
            if (value) device.*member = *value;
            return value.has_value();
          },
          [=](const DeviceModel& device) -> std::optional<std::string> {
            if (!required && device.*member == 0) return std::nullopt;
            return number_text(device.*member);
          }};
}

std::optional<std::uint32_t> whole(std::string_view text, std::uint64_t high) {
  const auto value = parse_decimal(text, 0);
  if (!value || *value < 1 || *value > high) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

constexpr std::uint64_t kMostUnits = 1'000'000;
constexpr std::uint64_t kMostFlop = 1U << 24U;

Key units() {
  return {"device.units",
          "SMs of a GPU, or cores of a CPU: each computes one tile at a time",
          fmt::format("1..{}", kMostUnits),
          true,
          [](DeviceModel& device, std::string_view text) {
            const auto value = whole(text, kMostUnits);
            if (value) device.units = *value;
            return value.has_value();
          },
          [](const DeviceModel& device) { return fmt::to_string(device.units); }};
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

Key name() {
  return {"device.name",
          "name of the device in reports",
          "1..64 letters, digits, '.', '_' or '-'",
          true,
          [](DeviceModel& device, std::string_view text) {
            if (!is_name(text)) return false;
            device.name = std::string(text);
            return true;
          },
          [](const DeviceModel& device) { return device.name; }};
}

Key title() {
  return {"device.title",
          "the device in full",
          "1..80 printable characters",
          false,
          [](DeviceModel& device, std::string_view text) {
            const bool fits =
                !text.empty() && text.size() <= 80 &&
                std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
            if (fits) device.title = std::string(text);
            return fits;
          },
          [](const DeviceModel& device) { return device.title; }};
}

Key kind() {
  return {"device.kind",
          "gpu, with tiles from 256x128 to 64x64, or cpu, with tiles of 6x16",
          "gpu|cpu",
          false,
          [](DeviceModel& device, std::string_view text) {
            device.kind = text == "cpu" ? DeviceKind::kCpu : DeviceKind::kGpu;
            return text == "cpu" || text == "gpu";
          },
          [](const DeviceModel& device) {
            return std::string(device.kind == DeviceKind::kGpu ? "gpu" : "cpu");
          }};
}

Key usual() {
  return {"device.usual",
          "the type without --dtype",
          fmt::format("{}", fmt::join(kNumberFormatNames, "|")),
          true,
          [](DeviceModel& device, std::string_view text) {
            const auto format = number_format_from_string(text);
            if (format) device.usual = *format;
            return format.has_value();
          },
          [](const DeviceModel& device) { return std::string(to_string(device.usual)); }};
}

/// A clock: of fp32 alone, or of all formats.
Key clock(std::string name, std::string help, bool fp32_only) {
  return {std::move(name),
          std::move(help),
          "1 to 100000 with at most 6 decimals",
          !fp32_only,
          [=](DeviceModel& device, std::string_view text) {
            const auto mhz = number_in(text, 1, 100'000);
            if (!mhz) return false;
            for (std::size_t i = 0; i < kNumberFormats; ++i) {
              if (!fp32_only || i == 0) device.rates[i].clock_mhz = *mhz;
            }
            return true;
          },
          [=](const DeviceModel& device) -> std::optional<std::string> {
            const double own = device.rates[0].clock_mhz;
            const double all = device.rates[1].clock_mhz;
            if (fp32_only && own == all) return std::nullopt;
            return number_text(fp32_only ? own : all);
          }};
}

Key rate(std::size_t format) {
  return {fmt::format("flop_per_clock.{}", kNumberFormatNames[format]),
          "of one unit, two for each multiply-add; left out if it does not multiply the type",
          fmt::format("1..{}", kMostFlop),
          false,
          [=](DeviceModel& device, std::string_view text) {
            const auto value = whole(text, kMostFlop);
            if (value) device.rates[format].flop_per_clock = *value;
            return value.has_value();
          },
          [=](const DeviceModel& device) -> std::optional<std::string> {
            const std::uint32_t value = device.rates[format].flop_per_clock;
            return value > 0 ? std::optional(fmt::to_string(value)) : std::nullopt;
          }};
}

std::vector<Key> make_keys() {
  using Model = DeviceModel;
  std::vector<Key> keys = {
      name(),
      title(),
      kind(),
      units(),
      usual(),
      number("device.launch_us", "microseconds from a kernel's call to its start",
             &Model::launch_us, 0, 100'000),
      number("device.sustained_share", "share of the peak that a long product reaches",
             &Model::sustained_share, 0.01, 1),
      clock("clock.mhz", "boost clock", false),
      clock("clock.fp32_mhz", "boost clock in fp32, if another", true)};
  for (std::size_t i = 0; i < kNumberFormats; ++i) keys.push_back(rate(i));
  keys.push_back(number("memory.gb_per_s", "10^9 bytes per second", &Model::memory_gb_per_s, 0.001,
                        1'000'000));
  keys.push_back(number("memory.share", "share of that rate which long reads reach",
                        &Model::memory_share, 0.01, 1, false));
  keys.push_back(number("memory.gb", "10^9 bytes; 0: as much as the computer has",
                        &Model::memory_gb, 0, 1'000'000));
  keys.push_back(number("l2.gb_per_s", "10^9 bytes per second to all units; no bound if left out",
                        &Model::l2_gb_per_s, 0.001, 1'000'000, false));
  keys.push_back(number("board.watts", "rated power", &Model::board_watts, 0.001, 1'000'000));
  return keys;
}

const std::vector<Key>& keys() {
  static const std::vector<Key> all = make_keys();
  return all;
}

constexpr std::string_view kTemplate = "weft machines --devices a100 prints all keys";

[[noreturn]] void unknown_key(std::string_view given) {
  std::vector<std::string> names;
  for (const Key& key : keys()) names.push_back(key.name);
  const std::string meant = most_similar(given, names);
  throw ConfigError(
      fmt::format("unknown key {} of a device; {}", printable(given),
                  meant.empty() ? std::string(kTemplate) : fmt::format("did you mean {}?", meant)));
}

void set(DeviceModel& device, const IniEntry& entry) {
  const auto key = std::ranges::find(keys(), entry.key, &Key::name);
  if (key == keys().end()) unknown_key(entry.key);
  if (key->parse(device, entry.value)) return;
  throw ConfigError(fmt::format("{} = {}: must be {} ({})", key->name, printable(entry.value),
                                key->range, key->help));
}

void check_complete(const DeviceModel& device, const std::set<std::string>& seen) {
  std::vector<std::string_view> missing;
  for (const Key& key : keys()) {
    if (key.required && !seen.contains(key.name)) missing.push_back(key.name);
  }
  if (!missing.empty()) {
    throw ConfigError(fmt::format("{} {} missing; {}", fmt::join(missing, ", "),
                                  missing.size() == 1 ? "is" : "are", kTemplate));
  }
  if (device.multiplies(device.usual)) return;
  throw ConfigError(
      fmt::format("device.usual = {0}: needs flop_per_clock.{0}", to_string(device.usual)));
}

/// The later of two keys that set the same clock must be the one for fp32.
void set_all(DeviceModel& device, const std::vector<IniEntry>& entries) {
  const auto is_fp32 = [](const IniEntry& entry) { return entry.key == "clock.fp32_mhz"; };
  for (const IniEntry& entry : entries) {
    if (!is_fp32(entry)) set(device, entry);
  }
  for (const IniEntry& entry : entries) {
    if (is_fp32(entry)) set(device, entry);
  }
}

DeviceModel device_of(const std::vector<IniEntry>& entries, std::string_view origin) {
  DeviceModel device;
  std::set<std::string> seen;
  try {
    for (const IniEntry& entry : entries) {
      if (seen.insert(entry.key).second) continue;
      throw ConfigError(fmt::format("{}: given twice", printable(entry.key)));
    }
    set_all(device, entries);
    check_complete(device, seen);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", origin, error.what()));
  }
  if (device.title.empty()) device.title = device.name;
  return device;
}

}  // namespace

DeviceModel parse_device(std::istream& in, std::string_view origin) {
  return device_of(read_ini(in, origin, "a device's file"), origin);
}

std::optional<DeviceModel> load_device(const std::string& path) {
  if (input_path_problem(path) != nullptr) return std::nullopt;
  std::ifstream file(path);
  if (!file) return std::nullopt;
  const std::vector<IniEntry> entries = read_ini(file, path, "an INI file");
  if (entries.empty()) {
    throw ConfigError(fmt::format("{}: has no keys, neither of a machine nor of a device", path));
  }
  if (!describes_device(entries)) return std::nullopt;
  return device_of(entries, path);
}

std::string to_ini(const DeviceModel& device) {
  std::string text = fmt::format("# A device for `weft compare --with FILE`. {}: {}.\n",
                                 device.title, calibration_note(device));
  std::string section;
  for (const Key& key : keys()) {
    const auto value = key.print(device);
    if (!value) continue;
    const std::size_t dot = key.name.find('.');
    const std::string own = key.name.substr(0, dot);
    if (own != section) text += fmt::format("\n[{}]\n", own);
    section = own;
    text += fmt::format("{} = {}  # {}\n", key.name.substr(dot + 1), *value, key.help);
  }
  return text;
}

}  // namespace weft::devices
