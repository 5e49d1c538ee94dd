// Reads the clock of a running device with NVIDIA's management library (NVML). The library comes
// with the driver, not with the toolkit, so it is opened at run time and may be missing.
#pragma once

#include <optional>
#include <string>

namespace weft::cuda {

class SmClock {
 public:
  /// `pci_bus_id` as CUDA gives it ("0000:01:00.0").
  explicit SmClock(const std::string& pci_bus_id);
  SmClock(const SmClock&) = delete;
  SmClock& operator=(const SmClock&) = delete;
  ~SmClock();

  /// The current clock in MHz; nullopt if the library or the clock is not available.
  std::optional<double> read() const;

 private:
  void open(const std::string& pci_bus_id);

  void* library_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace weft::cuda
