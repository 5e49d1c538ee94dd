// When Highway's library is loaded, it measures the resolution of the processor's timer for its
// benchmarks. That takes half of the time of a short command. So Weft loads the library only when a
// kernel first calls one of the functions below.
#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "hwy/aligned_allocator.h"
#include "hwy/targets.h"

namespace {

template <class Function>
Function* from_highway(const char* symbol) {
  static void* const library = ::dlopen(WEFT_HIGHWAY_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* const address = library == nullptr ? nullptr : ::dlsym(library, symbol);
  if (address == nullptr) {
    throw std::runtime_error(std::string("cannot load Highway: ") + ::dlerror());
  }
  return reinterpret_cast<Function*>(address);
}

}  // namespace

namespace hwy {

std::int64_t SupportedTargets() {
  static auto* const function = from_highway<std::int64_t()>("_ZN3hwy16SupportedTargetsEv");
  return function();
}

void SetSupportedTargetsForTest(std::int64_t targets) {
  static auto* const function =
      from_highway<void(std::int64_t)>("_ZN3hwy26SetSupportedTargetsForTestEl");
  function(targets);
}

ChosenTarget& GetChosenTarget() {
  static auto* const function = from_highway<ChosenTarget&()>("_ZN3hwy15GetChosenTargetEv");
  return function();
}

void* AllocateAlignedBytes(std::size_t payload_size, AllocPtr alloc_ptr, void* opaque_ptr) {
  static auto* const function = from_highway<void*(std::size_t, AllocPtr, void*)>(
      "_ZN3hwy20AllocateAlignedBytesEmPFPvS0_mES0_");
  return function(payload_size, alloc_ptr, opaque_ptr);
}

void FreeAlignedBytes(const void* aligned_pointer, FreePtr free_ptr, void* opaque_ptr) {
  static auto* const function =
      from_highway<void(const void*, FreePtr, void*)>("_ZN3hwy16FreeAlignedBytesEPKvPFvPvS2_ES2_");
  function(aligned_pointer, free_ptr, opaque_ptr);
}

}  // namespace hwy
