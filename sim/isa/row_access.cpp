#include "sim/isa/row_access.h"

namespace weft {

RowShape row_shape(RowFormat format, const LaneWindow& window, std::uint32_t lanes,
                   const MachineConfig& config) {
  if (format == RowFormat::kWide) return {1, 0, config.result_row_rows()};
  const std::uint64_t planes = plane_count(window, lanes, config);
  if (window.plane == 1) return {1, 0, static_cast<std::uint32_t>(planes)};
  return {planes, window.plane, 1};
}

}  // namespace weft
