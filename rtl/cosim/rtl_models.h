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

/// All built arrays, sorted by type, rows, columns and accumulator rows.
std::vector<RtlArray> rtl_arrays();

/// Whether a built array has the size and type of `config`, and enough accumulator rows.
bool has_rtl_array(const MachineConfig& config);

/// Makes sure that there is an array for `config`. If it is missing or was built from other
/// sources, the program that the environment variable WEFT_RTL_BUILDER names must build it. It is
/// called as `PROGRAM 4x4 int8 4096` (rows x columns, type, accumulator rows), but only for up to
/// 1024 PEs: larger arrays take long, so the user must build them. Throws ConfigError that says
/// what to run.
void prepare_rtl_array(const MachineConfig& config);

/// The array for `config`. Throws ConfigError as above.
const RtlModel& load_rtl_model(const MachineConfig& config);

/// Makes a datapath from load_rtl_model(config), in its reset state. config.dtype must be
/// Arithmetic's type.
template <class Arithmetic>
std::unique_ptr<Datapath<Arithmetic>> make_rtl_datapath(const MachineConfig& config) {
  return std::get<MakeDatapath<Arithmetic>>(load_rtl_model(config).make)();
}

}  // namespace weft
