#include "sim/config/config_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"

namespace weft {
namespace {

constexpr std::uint64_t kMega = 1'000'000;
constexpr std::uint64_t kGiga = 1'000'000'000;
constexpr std::uint32_t kMaxLatency = 1'000'000;

/// `value` better by a tenth, by at least 1; 0 cannot be better if less is better.
std::uint64_t improved(std::uint64_t value, Improvement improvement) {
  const std::uint64_t step = std::max<std::uint64_t>(1, value / 10);
  if (improvement == Improvement::kShorter) return value - std::min(value, step);
  return value + step;
}

/// A number with `decimals` decimals, held in `member` as value * 10^decimals, that is no question
/// of more or less.
template <class Field>
ConfigKey plain_number(std::string name, std::string help, Field MachineConfig::*member,
                       std::uint64_t low, std::uint64_t high, unsigned decimals) {
  std::string range = print_decimal(low, decimals) + ".." + print_decimal(high, decimals);
  if (decimals > 0) range += fmt::format(" with at most {} decimals", decimals);
  return {std::move(name),
          std::move(help),
          std::move(range),
          [=](MachineConfig& config, std::string_view text) {
            const auto value = parse_decimal(text, decimals);
            if (!value || *value < low || *value > high) return false;
            config.*member = static_cast<Field>(*value);
            return true;
          },
          [=](const MachineConfig& config) { return print_decimal(config.*member, decimals); },
          {},
          [](MachineConfig&) { return false; },
          decimals};
}

/// The same for a number that could be better.
template <class Field>
ConfigKey number(std::string name, std::string help, Field MachineConfig::*member,
                 Improvement improvement, std::uint64_t low, std::uint64_t high,
                 unsigned decimals = 0) {
  ConfigKey key = plain_number(std::move(name), std::move(help), member, low, high, decimals);
  key.improvement = improvement;
  key.improve = [=](MachineConfig& config) {
    const std::uint64_t value = improved(config.*member, improvement);
    if (value < low || value > high || value == config.*member) return false;
    config.*member = static_cast<Field>(value);
    return true;
  };
  return key;
}

/// One of a few names.
template <class Field, std::size_t kCount>
ConfigKey choice(std::string name, std::string help, Field MachineConfig::*member,
                 std::array<std::pair<std::string_view, Field>, kCount> names) {
  std::string range;
  for (const auto& entry : names) range.append(range.empty() ? "" : "|").append(entry.first);
  return {std::move(name), std::move(help), std::move(range),
          [=](MachineConfig& config, std::string_view text) {
            for (const auto& [known, value] : names) {
              if (known == text) return config.*member = value, true;
            }
            return false;
          },
          [=](const MachineConfig& config) -> std::string {
            for (const auto& [known, value] : names) {
              if (config.*member == value) return std::string(known);
            }
            return "unknown";
          }};
}

/// Names appear in INI files, JSON, HTML and file names, so they use only characters that need no
/// quoting in any of them.
bool is_machine_name(std::string_view text) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

ConfigKey machine_name() {
  return {"machine.name", "name of the machine in reports",
          "1..64 letters, digits, '.', '_' or '-'",
          [](MachineConfig& config, std::string_view text) {
            if (!is_machine_name(text)) return false;
            config.name = std::string(text);
            return true;
          },
          [](const MachineConfig& config) { return config.name; }};
}

std::vector<ConfigKey> make_keys() {
  using Config = MachineConfig;
  using Types = std::array<std::pair<std::string_view, ElementType>, 3>;
  using SwitchNames = std::array<std::pair<std::string_view, bool>, 2>;
  using Kinds = std::array<std::pair<std::string_view, MemoryKind>, 3>;
  using Nodes = std::array<std::pair<std::string_view, ProcessNode>, 5>;
  using Technologies = std::array<std::pair<std::string_view, MemoryTechnology>, 4>;
  constexpr Types kTypes = {
      {{"int8", ElementType::kInt8}, {"bf16", ElementType::kBf16}, {"fp16", ElementType::kFp16}}};
  constexpr SwitchNames kSwitch = {{{"on", true}, {"off", false}}};
  constexpr Kinds kKinds = {{{"ideal", MemoryKind::kIdeal},
                             {"shared", MemoryKind::kShared},
                             {"split", MemoryKind::kSplit}}};
  constexpr Nodes kNodes = {{{"none", ProcessNode::kNone},
                             {"45nm", ProcessNode::k45nm},
                             {"28nm", ProcessNode::k28nm},
                             {"16nm", ProcessNode::k16nm},
                             {"7nm", ProcessNode::k7nm}}};
  constexpr Technologies kTechnologies = {{{"ddr", MemoryTechnology::kDdr},
                                           {"hbm", MemoryTechnology::kHbm},
                                           {"gddr", MemoryTechnology::kGddr},
                                           {"link", MemoryTechnology::kLink}}};
  return {
      machine_name(),
      number("clock_mhz", "clock in MHz", &Config::clock_hz, Improvement::kFaster, 1000,
             10'000 * kMega, 6),
      number("array.rows", "R, rows of PEs, along K", &Config::array_rows, Improvement::kLarger, 1,
             4096),
      number("array.cols", "C, columns of PEs, along N", &Config::array_cols, Improvement::kLarger,
             1, 4096),
      choice("array.dtype", "type of activations and weights", &Config::dtype, kTypes),
      choice("array.double_buffer", "the next tile shifts in while the current one is in use",
             &Config::double_buffer, kSwitch),
      number("accumulators.rows", "rows of C 32-bit sums", &Config::accumulator_rows,
             Improvement::kLarger, 1, 1U << 24U),
      number("unified_buffer.kib", "unified buffer in KiB, in rows of R elements",
             &Config::unified_buffer_kib, Improvement::kLarger, 1, 1U << 21U),
      number("weight_fifo.tiles", "how many fetched tiles can wait", &Config::weight_fifo_tiles,
             Improvement::kLarger, 1, 1024),
      choice("memory.kind",
             "ideal: transfers take no time; shared: one channel; split: one for weights, one for "
             "host",
             &Config::memory_kind, kKinds),
      number("memory.gb_per_s", "memory rate in 10^9 bytes per second; for all transfers if shared",
             &Config::memory_bytes_per_s, Improvement::kFaster, kMega, 100'000 * kGiga, 9),
      number("memory.latency_cycles", "cycles from the end of a memory transfer to its last byte",
             &Config::memory_latency_cycles, Improvement::kShorter, 0, kMaxLatency),
      number("host.gb_per_s", "host link rate in 10^9 bytes per second, if split",
             &Config::host_bytes_per_s, Improvement::kFaster, kMega, 100'000 * kGiga, 9),
      number("host.latency_cycles", "cycles from the end of a host transfer to its last byte",
             &Config::host_latency_cycles, Improvement::kShorter, 0, kMaxLatency),
      number("vector.latency_cycles", "cycles from reading a row to its result",
             &Config::vector_latency_cycles, Improvement::kShorter, 1, kMaxLatency),
      number("sequencer.queue_depth", "how many instructions can wait in the queue of each unit",
             &Config::queue_depth, Improvement::kLarger, 1, 4096),
      choice("power.node", "process: the built-in table of --energy that prices the events",
             &Config::node, kNodes),
      plain_number("power.static_w", "watts that the machine takes when it does nothing",
                   &Config::static_milliwatts, 0, 100'000'000, 3),
      choice("power.memory", "what a memory transfer costs: DRAM of this kind, or a host link",
             &Config::memory_technology, kTechnologies),
  };
}

}  // namespace

std::span<const ConfigKey> config_keys() {
  static const std::vector<ConfigKey> keys = make_keys();
  return keys;
}

std::string unknown_key(std::string_view name, std::string_view command) {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_keys()) names.push_back(key.name);
  const std::string meant = most_similar(name, names);
  return fmt::format("unknown key {}; {}", printable(name),
                     meant.empty() ? fmt::format("weft {} --help lists all keys", command)
                                   : fmt::format("did you mean {}?", meant));
}

void set_key(MachineConfig& config, std::string_view key, std::string_view value) {
  const auto found = std::ranges::find(config_keys(), key, &ConfigKey::name);
  if (found == config_keys().end()) {
    throw ConfigError(unknown_key(key, "matmul"));
  }
  if (!found->parse(config, value)) {
    throw ConfigError(fmt::format("{} = {}: {}", key, printable(value), must_be(*found, value)));
  }
}

std::string must_be(const ConfigKey& key, std::string_view value) {
  // Such as 40.5, but also 1e2 and 0x40: their value may lie in the range.
  const bool is_number = !value.empty() && value.front() >= '0' && value.front() <= '9';
  const bool wants_whole = key.decimals == 0U && is_number &&
                           value.find_first_not_of("0123456789") != std::string_view::npos;
  return fmt::format("must be {}{}", wants_whole ? "a whole number, " : "", key.range);
}

}  // namespace weft
