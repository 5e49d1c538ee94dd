// A zero-filled, fixed-size array on the heap that starts at a vector boundary. The kernels run on
// coroutine stacks of 64 KiB, so they keep everything larger than a register block in such arrays.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

namespace weft {

template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;

  /// `size` zeros. Throws std::bad_alloc if there is no memory for them.
  explicit AlignedBuffer(std::size_t size) : size_(size) {
    // Half of the address space is beyond any machine, and leaves room for the allocator's header.
    constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max() / 2 / sizeof(T);
    if (size > kMaxSize) throw std::bad_alloc();
    if (size == 0) return;
    data_ = hwy::AllocateAligned<T>(size);
    if (data_ == nullptr) throw std::bad_alloc();
    std::fill_n(data_.get(), size, T{});
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace weft
