// The interface of a device: memory, bodies, matrix products. Everything else, such as the choice
// of bodies and extents for an operator, is plain C++ above this interface. So it also runs on
// LoopDevice and is tested without a CUDA device.
//
// Calls execute in order; only copies and wait() wait for the device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/reference/cuda/bodies/body.h"
#include "models/reference/cuda/device/product.h"

namespace weft::cuda {

/// Memory of a device. It is freed with its last owner, after all work requested so far.
using Memory = std::shared_ptr<void>;

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual std::string name() const = 0;

  /// Allocates `bytes` >= 0 bytes, aligned to 256 bytes. Throws InputError "out of GPU memory: ..."
  /// if the device has too little memory.
  virtual Memory allocate(std::int64_t bytes) = 0;
  /// Copies from the processor's memory, which may change as soon as this returns.
  virtual void upload(void* to, const void* from, std::int64_t bytes) = 0;
  /// Copies to the processor's memory and waits until the copy is done.
  virtual void download(void* to, const void* from, std::int64_t bytes) = 0;

  /// Runs body(i) for every i from 0 to count - 1.
  virtual void run(const Body& body, std::int64_t count) = 0;
  /// All extents must be at least 1.
  virtual void multiply(const ColumnMajorProduct& product) = 0;
  /// Waits for all work requested so far. Throws InputError if the device failed meanwhile.
  virtual void wait() = 0;
};

template <class T>
T* elements_of(const Memory& memory) {
  return static_cast<T*>(memory.get());
}

}  // namespace weft::cuda
