// The entrance that libFuzzer calls. One program holds all targets, because linking a program for
// each would take longer than compiling them. The name by which it is called chooses the target:
// the build makes a link NAME_fuzz for each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz.h"

namespace {

const weft::fuzz::Target* chosen = nullptr;

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerInitialize(const int* /*argc*/, char*** argv) {
  std::string_view name = **argv;
  name.remove_prefix(name.find_last_of('/') + 1);  // npos + 1 is 0
  const auto targets = weft::fuzz::targets();
  const auto found = std::ranges::find_if(targets, [&](const weft::fuzz::Target& target) {
    return name == std::string(target.name) + "_fuzz";
  });
  if (found == targets.end()) {
    std::cerr << name << ": no target; call it by one of the links NAME_fuzz\n";
    std::exit(2);
  }
  chosen = &*found;
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
