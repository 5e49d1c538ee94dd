// The time of a network's host layers, which the simulated cycles leave out: what the user gives,
// or what this computer took for them. Without either, a throughput is an upper bound.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft::report {

struct NetworkReport;

/// What `--host-time` asks for.
struct HostTimeOption {
  /// Seconds that the host takes for all its layers in one run; nullopt: measure them.
  std::optional<double> seconds;
};

/// Reads "measured", or a time with its unit: "1.5ms". Units are s, ms, us. Throws InputError.
HostTimeOption parse_host_time(std::string_view text);

/// How many layers the host computed.
std::size_t host_layers(const NetworkReport& report);

/// Seconds of the host layers; nullopt if there are some and nobody gave or measured their time.
std::optional<double> host_seconds(const NetworkReport& report);

/// "1.62 kinferences/s at batch 1", with what it says of the host's time.
std::string throughput_line(const NetworkReport& report);

}  // namespace weft::report
