// The devices that --with names: `tpu-v2,cpu,a100:tf32`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/compare/compare_row.h"
#include "models/devices/device.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

struct DeviceRequest {
  std::string name = {};  // as given, its format included; for an INI file its machine's name
  RowKind kind = RowKind::kModelled;
  std::string device = {};                           // as given, without the format
  bool has_own_format = false;                       // given with the name
  std::optional<devices::NumberFormat> format = {};  // none: the device's usual one
  std::optional<MachineConfig> machine = {};         // simulated
  const devices::Device* modelled = nullptr;         // modelled
};

/// What is compared if nothing is said.
inline constexpr std::string_view kDefaultDevices = "tpu-v2,cpu,titan-rtx,a100,h100";

/// Names, separated by commas: a preset of `weft machines` or an INI file
/// (called by its machine.name, or as given if it has none or another device has the same), "cpu",
/// "cuda", or one of devices::devices(); each may have :FORMAT behind it, else `format` counts.
/// Throws InputError for an unknown name (with the one probably meant, else all there are), an
/// unknown format, one that a simulated or modelled device does not multiply, and for one asked for
/// twice; ConfigError for a wrong file.
std::vector<DeviceRequest> parse_devices(std::string_view list,
                                         std::optional<devices::NumberFormat> format);

/// Calls `function` and returns what it returns; an error gets the device's name in front.
template <class Function>
decltype(auto) for_device(const DeviceRequest& request, Function&& function) {
  const auto named = [&](const Error& error) {
    return "--with " + request.name + ": " + error.what();
  };
  try {
    return function();
  } catch (const InputError& error) {
    throw InputError(named(error));
  } catch (const ConfigError& error) {
    throw ConfigError(named(error));
  } catch (const SimulationError& error) {
    throw SimulationError(named(error));
  }
}

/// Throws InputError for an unknown format; `what` names the place, as in "--dtype".
devices::NumberFormat parse_format(std::string_view text, std::string_view what);

/// Throws InputError unless `format` is among `known`; `device` is its name.
void check_format(std::string_view device, devices::NumberFormat format,
                  const std::vector<devices::NumberFormat>& known);

/// The format of the array's type, and back; nothing for fp32 and tf32.
devices::NumberFormat format_of(ElementType type);

}  // namespace weft::cli
