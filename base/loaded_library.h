// Libraries that a program loads when it first needs them: code that would cost every start
// milliseconds (ONNX) or every build minutes (the RTL). They lie in the folder lib/weft beside the
// program's own folder or beside one above it:
//
//   PREFIX/bin/weft  ->  PREFIX/lib/weft        build/release/tests/cli/x  ->
//   build/release/lib/weft
#pragma once

#include <filesystem>
#include <string>

namespace weft {

/// The nearest lib/weft as drawn above. Throws ConfigError if there is none.
std::filesystem::path library_folder();

/// The address of `symbol` in the library `file`, which is loaded and never unloaded. The library
/// sees none of the program's symbols and the program sees none of its others. Throws ConfigError.
const void* load_symbol(const std::filesystem::path& file, const char* symbol);

/// Throws the ConfigError of load_library.
[[noreturn]] void throw_other_interface(const std::filesystem::path& file);

/// The `const T` that `file` exports as `symbol`. Its first member `interface` must be `interface`,
/// which names the headers that both sides were compiled from; else throws ConfigError.
template <class T>
const T& load_library(const std::filesystem::path& file, const char* symbol,
                      const std::string& interface) {
  const T& exported = *static_cast<const T*>(load_symbol(file, symbol));
  if (exported.interface == interface) return exported;
  throw_other_interface(file);
}

}  // namespace weft
