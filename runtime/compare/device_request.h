// The devices that --with names: `tpu-v2,cpu,a100:tf32`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "models/devices/device.h"
#include "runtime/compare/compare_row.h"
#include "sim/config/energy_table.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

struct DeviceRequest {
  std::string name = {};  // as given, with the format; for an INI file the machine's name
  RowKind kind = RowKind::kModelled;
  std::string device = {};                           // as given, without the format
  bool has_own_format = false;                       // the name has a :FORMAT
  std::optional<devices::NumberFormat> format = {};  // nullopt: the device's usual format
  std::optional<MachineConfig> machine = {};         // for a simulated device
  std::optional<EnergyTable> energies = {};          // of the machine, if energy was asked for
  std::optional<double> price_per_hour = {};         // if the user gave one
  std::shared_ptr<const devices::DeviceModel> modelled = {};  // for a modelled device

  /// True for a modelled device that an INI file describes.
  bool is_own_device() const {
    return modelled != nullptr && modelled->family == devices::Family::kOwn;
  }
  /// True if `device` may be the path of a file.
  bool is_file() const { return machine.has_value() || is_own_device(); }
};

/// The devices without --with.
inline constexpr std::string_view kDefaultDevices = "tpu-v2,cpu,titan-rtx,a100,h100";

/// The names of all devices: machines that come with weft, measured and modelled ones.
std::vector<std::string> device_names();

/// Parses names separated by commas: a preset of `weft machines`, an INI file, "cpu", "cuda", or
/// one of devices::devices(). An INI file with a section [device] describes a modelled device, any
/// other a machine. Each name may end in :FORMAT; otherwise `format` applies. An INI file is shown
/// by its machine.name or device.name. It is shown as given if it has none, or if another device of
/// the list or a device that comes with weft has the same name.
/// Throws InputError for an unknown name (with the most similar one, else all names), for an
/// unknown format, for a format that a simulated or modelled device does not multiply, and for a
/// repeated device. Throws ConfigError for an invalid file.
std::vector<DeviceRequest> parse_devices(std::string_view list,
                                         std::optional<devices::NumberFormat> format);

/// Returns function(). Errors get the device's name as a prefix.
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

/// Throws InputError for an unknown format; `what` names the option in its message.
devices::NumberFormat parse_format(std::string_view text, std::string_view what);

/// Throws InputError unless `format` is among `known`; `device` is its name.
void check_format(std::string_view device, devices::NumberFormat format,
                  const std::vector<devices::NumberFormat>& known);

/// The number format of an array's element type.
devices::NumberFormat format_of(ElementType type);

}  // namespace weft::runtime
