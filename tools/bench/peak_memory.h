// The memory that work needs at its peak, seen from outside: a child process does it.
#pragma once

#include <functional>

namespace weft::bench {

/// Peak resident bytes of a child process that runs `work`, what this process has resident at the
/// call included: call it before anything large is made and before any thread starts. Throws
/// std::runtime_error if the child fails.
double peak_resident_bytes(const std::function<void()>& work);

}  // namespace weft::bench
