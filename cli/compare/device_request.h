// The devices that --with names: `tpu-v2,cpu,a100:tf32`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compare/compare_row.h"
#include "models/devices/device.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

struct DeviceRequest {
  std::string name = {};  // as given, its format included
  RowKind kind = RowKind::kModelled;
  std::string device = {};                           // without the format
  std::optional<devices::NumberFormat> format = {};  // none: the device's usual one
  std::optional<MachineConfig> machine = {};         // simulated
  const devices::Device* modelled = nullptr;         // modelled
};

/// What is compared if nothing is said.
inline constexpr std::string_view kDefaultDevices = "tpu-v2,cpu,titan-rtx,a100,h100";

/// Names, separated by commas: a preset of `weft machines` or an INI file, "cpu", "cuda", or one of
/// devices::devices(); each may have :FORMAT behind it, else `format` counts. Throws InputError for
/// an unknown name (with the one probably meant, else all there are), an unknown format, one that a
/// simulated or modelled device does not multiply, and for one asked for twice; ConfigError for a
/// wrong file.
std::vector<DeviceRequest> parse_devices(std::string_view list,
                                         std::optional<devices::NumberFormat> format);

/// Throws InputError for an unknown format; `what` names the place, as in "--dtype".
devices::NumberFormat parse_format(std::string_view text, std::string_view what);

/// Throws InputError unless `format` is among `known`; `device` is its name.
void check_format(std::string_view device, devices::NumberFormat format,
                  const std::vector<devices::NumberFormat>& known);

/// The format of the array's type, and back; nothing for fp32 and tf32.
devices::NumberFormat format_of(ElementType type);

}  // namespace weft::cli
