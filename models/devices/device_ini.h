// Devices of one's own as INI files. Keys have their unit in their name or in their help:
//
//     [device]
//     name = my-gpu
//     units = 58
//     launch_us = 3
//     sustained_share = 0.8
//     [clock]
//     mhz = 2040
//     [flop_per_clock]
//     fp16 = 1024
//     [memory]
//     gb_per_s = 300
//     gb = 24
//     [board]
//     watts = 72
#pragma once

#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "models/devices/device.h"

namespace weft::devices {

/// The device in the INI text `in`; `origin` is its name in errors. Throws ConfigError for a
/// malformed line, an unknown, repeated or missing key, and a value out of range.
DeviceModel parse_device(std::istream& in, std::string_view origin);

/// The device in the file, if it has a section [device]; nullopt for a machine's file and for a
/// file that cannot be read. Throws ConfigError like parse_device().
std::optional<DeviceModel> load_device(const std::string& path);

/// INI text with every key that the device has, each with its unit or meaning. parse_device() gives
/// back a device of the same figures, of the family kOwn.
std::string to_ini(const DeviceModel& device);

}  // namespace weft::devices
