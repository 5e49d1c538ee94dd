// The CUDA device of this computer: whether there is one, what it is, and how fast cuBLAS
// multiplies on it. The header is plain C++ and also links in a build without CUDA: there
// cuda_available() says so, and everything else throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

struct Availability {
  bool available = false;
  std::string reason;  // if not available: one line, without a period
};

/// Whether CudaDevice can be made here. Never throws.
Availability cuda_available();

/// Throws InputError if there is no CUDA device ("no CUDA device: REASON") or if it does not start.
/// Making a device is slow, because cuBLAS initializes. So use one device for many graphs.
std::shared_ptr<Device> make_cuda_device();

struct DeviceInfo {
  std::string name;
  std::int32_t major = 0;  // compute capability
  std::int32_t minor = 0;
  std::int32_t multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  double boost_mhz = 0;     // as the device reports it
  std::string driver = {};  // CUDA version that the driver supports, "13.0"
};

/// Properties of device 0. Throws InputError if there is none.
DeviceInfo cuda_device_info();

struct MeasureOptions {
  std::int32_t repeats = 20;  // the median counts
  double warm_up_seconds = 0.3;
};

struct MatmulMeasurement {
  DeviceInfo device;
  MatmulType type = MatmulType::kFloat32;
  std::int64_t m = 0;  // as multiplied: int8 pads to multiples of 16
  std::int64_t k = 0;
  std::int64_t n = 0;
  double seconds = 0;  // median time of one product, by CUDA events
  double fastest_seconds = 0;
  double clock_mhz = 0;
  bool clock_measured = false;  // by NVML during the products; else it is boost_mhz
  double peak_ops = 0;          // operations per second at that clock; 0 if the device is unknown
};

/// Measures one product of m x k by k x n, with operands and result already on the device. Results
/// of 16-bit types have the same type. Throws InputError if there is no CUDA device or not enough
/// memory on it.
MatmulMeasurement measure_matmul(MatmulType type, std::int64_t m, std::int64_t k, std::int64_t n,
                                 const MeasureOptions& options = {});

}  // namespace weft::cuda
