// What the backend needs of a device: memory, bodies, matrix products. Everything else (which
// bodies an operator takes, on which extents) is plain C++ above this interface, so that it runs on
// LoopDevice too and is tested without a CUDA device.
//
// Calls are carried out in order; only copies and wait() wait for the device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/reference/cuda/bodies/body.h"
#include "models/reference/cuda/device/product.h"

namespace weft::cuda {

/// Memory of a device; freed with its last owner, after what has been asked for until then.
using Memory = std::shared_ptr<void>;

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual std::string name() const = 0;

  /// `bytes` >= 0 of memory, aligned to 256 bytes. Throws InputError if the device has not so much:
  /// "out of GPU memory: ...".
  virtual Memory allocate(std::int64_t bytes) = 0;
  /// Copies from the processor's memory, which may change as soon as this returns.
  virtual void upload(void* to, const void* from, std::int64_t bytes) = 0;
  /// Copies to the processor's memory and waits for it.
  virtual void download(void* to, const void* from, std::int64_t bytes) = 0;

  /// body(i) for every i below `count`.
  virtual void run(const Body& body, std::int64_t count) = 0;
  /// All extents are at least 1.
  virtual void multiply(const ColumnMajorProduct& product) = 0;
  /// Waits for everything asked for so far. Throws InputError if the device failed meanwhile.
  virtual void wait() = 0;
};

template <class T>
T* elements_of(const Memory& memory) {
  return static_cast<T*>(memory.get());
}

}  // namespace weft::cuda
