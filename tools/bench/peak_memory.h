// Measures peak memory from outside: a child process does the work.
#pragma once

#include <functional>

namespace weft::bench {

/// Peak resident bytes of a child process that runs `work`. They include the memory that this
/// process holds at the call, so call it before anything large is made and before any thread
/// starts. Throws std::runtime_error if the child fails.
double peak_resident_bytes(const std::function<void()>& work);

}  // namespace weft::bench
