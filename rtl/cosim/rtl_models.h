// The arrays for `--engine rtl`: which are built, and how to get one. Each is a library
// TYPE-ROWSxCOLS-ACCUMULATOR_ROWS.so in lib/weft/rtl (base/loaded_library.h), or in the
// folder that the environment variable WEFT_RTL_PATH names. tools/rtl.sh builds them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rtl/cosim/rtl_model.h"
#include "sim/config/machine_config.h"

namespace weft {

/// Which array a library holds.
struct RtlArray {
  ElementType type = ElementType::kInt8;
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::uint32_t accumulator_rows = 0;
};

/// All that are there, sorted by type, rows, columns and accumulator rows.
std::vector<RtlArray> rtl_arrays();

/// Whether one of them has the size and type of `config`, and accumulators enough.
bool has_rtl_array(const MachineConfig& config);

/// Sees to it that there is an array for `config`. If there is none, or one of other sources, and
/// the environment variable WEFT_RTL_BUILDER names a program, it is called as `PROGRAM 4x4 int8
/// 4096` (rows x columns, type, accumulator rows) and must build one; arrays of more than 1024 PEs,
/// which take long, are left to the user. Throws ConfigError that says what to run.
void prepare_rtl_array(const MachineConfig& config);

/// The array for `config`. Throws ConfigError as above.
const RtlModel& load_rtl_model(const MachineConfig& config);

/// A datapath out of load_rtl_model(config), fresh from reset. config.dtype is Arithmetic's.
template <class Arithmetic>
std::unique_ptr<Datapath<Arithmetic>> make_rtl_datapath(const MachineConfig& config) {
  return std::get<MakeDatapath<Arithmetic>>(load_rtl_model(config).make)();
}

}  // namespace weft
