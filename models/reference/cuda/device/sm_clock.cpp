#include "models/reference/cuda/device/sm_clock.h"

#include <dlfcn.h>

namespace weft::cuda {
namespace {

// Functions of NVML as nvml.h declares them; 0 is success.
using Initialize = int (*)();
using FindDevice = int (*)(const char* pci_bus_id, void** device);
using ClockOf = int (*)(void* device, int clock, unsigned* mhz);
constexpr int kSmClock = 1;

template <class Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

SmClock::SmClock(const std::string& pci_bus_id) : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY)) {
  if (library_ != nullptr) open(pci_bus_id);
}

void SmClock::open(const std::string& pci_bus_id) {
  const auto initialize = function_of<Initialize>(library_, "nvmlInit_v2");
  const auto find = function_of<FindDevice>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  if (initialize == nullptr || find == nullptr || initialize() != 0) return;
  if (find(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

SmClock::~SmClock() {
  if (library_ == nullptr) return;
  if (const auto shut_down = function_of<Initialize>(library_, "nvmlShutdown")) shut_down();
  dlclose(library_);
}

std::optional<double> SmClock::read() const {
  if (device_ == nullptr) return std::nullopt;
  const auto clock_of = function_of<ClockOf>(library_, "nvmlDeviceGetClockInfo");
  unsigned mhz = 0;
  if (clock_of == nullptr || clock_of(device_, kSmClock, &mhz) != 0) return std::nullopt;
  return static_cast<double>(mhz);
}

}  // namespace weft::cuda
