#include <algorithm>

#include "report/page/page_data.h"

namespace weft::report {
namespace {

struct Roof {
  const char* name;
  std::uint64_t bytes_per_s;
  std::uint64_t RooflinePoint::*bytes;
};

std::vector<Roof> roofs(const MachineConfig& machine) {
  switch (machine.memory_kind) {
    case MemoryKind::kIdeal:
      return {};
    case MemoryKind::kShared:
      return {{"memory", machine.memory_bytes_per_s, &RooflinePoint::memory_bytes}};
    case MemoryKind::kSplit:
      break;
  }
  return {{"weight memory", machine.memory_bytes_per_s, &RooflinePoint::memory_bytes},
          {"host link", machine.host_bytes_per_s, &RooflinePoint::host_bytes}};
}

Json point_json(const RooflinePoint& point, std::uint64_t bytes, const Json& roof) {
  return {{"name", point.name},
          {"macs", point.macs},
          {"bytes", bytes},
          {"cycles", point.cycles},
          {"roof", roof}};
}

}  // namespace

Json roofline_json(const MachineConfig& machine, std::span<const RooflinePoint> points) {
  const std::vector<Roof> lines = roofs(machine);
  const auto hertz = static_cast<double>(machine.clock_hz);
  Json roofline = {{"peak", std::uint64_t{machine.array_rows} * machine.array_cols},
                   {"clock_mhz", hertz / 1e6},
                   {"roofs", Json::array()},
                   {"points", Json::array()}};
  for (const Roof& roof : lines) {
    roofline["roofs"].push_back(
        {{"name", roof.name}, {"bytes_per_cycle", static_cast<double>(roof.bytes_per_s) / hertz}});
  }
  for (const RooflinePoint& point : points) {
    if (lines.empty()) {
      roofline["points"].push_back(point_json(point, point.memory_bytes, nullptr));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::uint64_t bytes = point.*lines[i].bytes;
      if (bytes > 0) roofline["points"].push_back(point_json(point, bytes, i));
    }
  }
  return roofline;
}

}  // namespace weft::report
