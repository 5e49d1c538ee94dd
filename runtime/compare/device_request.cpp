#include "runtime/compare/device_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"
#include "models/devices/device_ini.h"
#include "runtime/compare/measured_device.h"
#include "sim/config/config_keys.h"

namespace weft::runtime {
namespace {

using devices::NumberFormat;

[[noreturn]] void fail_unknown(const std::string& name) {
  const std::vector<std::string> names = device_names();
  const std::string meant = most_similar(name, names);
  throw InputError(fmt::format("--with {}: no such device; {}", printable(name),
                               meant.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                             : fmt::format("did you mean {}?", meant)));
}

bool is_machine(const std::string& name) {
  std::error_code error;
  const auto presets = preset_names();
  return std::ranges::find(presets, name) != presets.end() || name.ends_with(".ini") ||
         std::filesystem::is_regular_file(name, error);
}

void find(DeviceRequest& request) {
  const auto measured = measured_device_names();
  if (std::ranges::find(measured, request.device) != measured.end()) {
    request.kind = RowKind::kMeasured;
    return;
  }
  if (const devices::DeviceModel* known = devices::find_device(request.device)) {
    request.modelled = std::make_shared<const devices::DeviceModel>(*known);
    return;
  }
  if (!is_machine(request.device)) fail_unknown(request.device);
  if (auto own = devices::load_device(request.device)) {
    request.modelled = std::make_shared<const devices::DeviceModel>(*std::move(own));
    return;
  }
  request.kind = RowKind::kSimulated;
  request.machine = load_machine(request.device);
}

std::vector<NumberFormat> formats_of(const devices::DeviceModel& device) {
  std::vector<NumberFormat> formats;
  for (std::size_t i = 0; i < devices::kNumberFormats; ++i) {
    const auto format = static_cast<NumberFormat>(i);
    if (device.multiplies(format)) formats.push_back(format);
  }
  return formats;
}

void check_request(const DeviceRequest& request) {
  if (!request.format) return;
  if (request.machine) {
    check_format(request.device, *request.format, {format_of(request.machine->dtype)});
  } else if (request.modelled != nullptr) {
    check_format(request.device, *request.format, formats_of(*request.modelled));
  }
}

DeviceRequest parse_device(std::string_view text, std::optional<NumberFormat> format) {
  DeviceRequest request;
  request.name = text;
  const std::size_t colon = text.rfind(':');
  request.device = text.substr(0, colon);
  request.format = format;
  if (request.device.empty()) {
    throw InputError("--with: a name is empty; give names with commas between them");
  }
  if (colon != std::string_view::npos) {
    request.has_own_format = true;
    request.format =
        parse_format(text.substr(colon + 1), fmt::format("--with {}", printable(text)));
  }
  find(request);
  check_request(request);
  return request;
}

/// The name in an INI file; nullopt without such a name.
std::optional<std::string> name_in_file(const DeviceRequest& request) {
  if (request.is_own_device()) return request.modelled->name;
  const auto presets = preset_names();
  if (!request.machine || std::ranges::find(presets, request.device) != presets.end() ||
      request.machine->name == MachineConfig().name) {
    return std::nullopt;
  }
  return request.machine->name;
}

/// The name in an INI file, followed by the given format, or the name as given: if there is no
/// file, if it has no name, or if it has the name of a device that comes with weft.
std::string shown_name(const DeviceRequest& request) {
  const std::optional<std::string> own = name_in_file(request);
  const std::vector<std::string> known = device_names();
  if (!own || std::ranges::find(known, *own) != known.end()) return request.name;
  return *own + request.name.substr(request.device.size());
}

/// An INI file gets the name in it, unless two devices would then share a name.
void name_files(std::vector<DeviceRequest>& requests) {
  std::vector<std::string> names;
  for (const DeviceRequest& request : requests) {
    names.push_back(shown_name(request));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (std::ranges::count(names, names[i]) == 1) requests[i].name = names[i];
  }
}

}  // namespace

std::vector<std::string> device_names() {
  std::vector<std::string> names = preset_names();
  for (const std::string& name : measured_device_names()) names.push_back(name);
  for (const devices::DeviceModel& device : devices::devices()) names.emplace_back(device.name);
  return names;
}

NumberFormat format_of(ElementType type) {
  if (type == ElementType::kInt8) return NumberFormat::kInt8;
  return type == ElementType::kBf16 ? NumberFormat::kBf16 : NumberFormat::kFp16;
}

NumberFormat parse_format(std::string_view text, std::string_view what) {
  if (const auto format = devices::number_format_from_string(text)) return *format;
  throw InputError(fmt::format("{}: {} is not a number format; must be one of {}", what,
                               printable(text), fmt::join(devices::kNumberFormatNames, ", ")));
}

void check_format(std::string_view device, NumberFormat format,
                  const std::vector<NumberFormat>& known) {
  if (std::ranges::find(known, format) != known.end()) return;
  std::vector<std::string_view> names;
  for (const NumberFormat each : known) names.push_back(devices::to_string(each));
  throw InputError(fmt::format("--with {}: cannot multiply {}, only {}; give {}:{}",
                               printable(device), devices::to_string(format),
                               fmt::join(names, ", "), device, names.front()));
}

std::vector<DeviceRequest> parse_devices(std::string_view list,
                                         std::optional<NumberFormat> format) {
  std::vector<DeviceRequest> requests;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    DeviceRequest request = parse_device(list.substr(0, comma), format);
    if (std::ranges::find(requests, request.name, &DeviceRequest::name) != requests.end()) {
      throw InputError(fmt::format("--with: {} is named twice; drop one", printable(request.name)));
    }
    requests.push_back(std::move(request));
    if (comma == list.size()) break;
    list.remove_prefix(comma + 1);
  }
  name_files(requests);
  return requests;
}

}  // namespace weft::runtime
