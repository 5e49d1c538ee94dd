#include "sim/memory/physical_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace weft {
namespace {

/// The number in a file of the kernel; the largest number if there is none ("max").
std::uint64_t limit_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t limit = 0;
  return file >> limit ? limit : UINT64_MAX;
}

/// What a container may use: the limits of control groups, version 2 and 1.
std::uint64_t container_limit() {
  return std::min(limit_in("/sys/fs/cgroup/memory.max"),
                  limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

std::uint64_t installed() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace

std::uint64_t physical_memory_bytes() {
  static const std::uint64_t bytes = std::min(installed(), container_limit());
  return bytes;
}

}  // namespace weft
