// The functions of cuda_device.h in a build without CUDA.
#include "base/error.h"
#include "models/reference/cuda/device/cuda_device.h"

namespace weft::cuda {
namespace {

constexpr const char* kReason = "this weft was built without CUDA";

[[noreturn]] void throw_absent() {
  throw InputError(std::string("no CUDA device: ") + kReason);
}

}  // namespace

Availability cuda_available() {
  return {false, kReason};
}

std::shared_ptr<Device> make_cuda_device() {
  throw_absent();
}

DeviceInfo cuda_device_info() {
  throw_absent();
}

MatmulMeasurement measure_matmul(MatmulType, std::int64_t, std::int64_t, std::int64_t,
                                 const MeasureOptions&) {
  throw_absent();
}

}  // namespace weft::cuda
