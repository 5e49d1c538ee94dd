// Libraries that a program loads only when it needs them: their code would cost every start
// milliseconds (ONNX) or every build minutes (the RTL). They lie in a folder lib/weft beside the
// program's folder, or beside a folder above it:
//
//   PREFIX/bin/weft            ->  PREFIX/lib/weft
//   build/release/tests/cli/x  ->  build/release/lib/weft
//
// A program elsewhere, which links installed libraries, has PREFIX/lib/weft in its run path.
#pragma once

#include <filesystem>
#include <string>

namespace weft {

/// The nearest lib/weft, as shown above, else the one in the run path. Throws MissingError if
/// there is none.
std::filesystem::path library_folder();

/// Loads the library `file`, for the rest of the process, and returns the address of `symbol` in
/// it. The library sees no symbols of the program, and the program no others of the library. Throws
/// MissingError.
const void* load_symbol(const std::filesystem::path& file, const char* symbol);

/// Throws the MissingError with which load_library() reports another interface.
[[noreturn]] void throw_other_interface(const std::filesystem::path& file);

/// The `const T` that `file` exports as `symbol`. Its first member must equal `interface`, a hash
/// of the headers that both sides were compiled from; otherwise throws MissingError.
template <class T>
const T& load_library(const std::filesystem::path& file, const char* symbol,
                      const std::string& interface) {
  const T& exported = *static_cast<const T*>(load_symbol(file, symbol));
  if (exported.interface == interface) return exported;
  throw_other_interface(file);
}

}  // namespace weft
