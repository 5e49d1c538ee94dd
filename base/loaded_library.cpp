#include "base/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <system_error>

#include "base/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// A test program lies at most this many folders below the build folder.
constexpr int kFoldersAbove = 5;

}  // namespace

fs::path library_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path folder = program.parent_path();
  for (int i = 0; i < kFoldersAbove && folder.has_relative_path(); ++i) {
    folder = folder.parent_path();
    if (fs::is_directory(folder / "lib" / "weft", error)) return folder / "lib" / "weft";
  }
  throw ConfigError(fmt::format(
      "no folder lib/weft near {}: the program was moved without it; build or install it again",
      program.string()));
}

const void* load_symbol(const fs::path& file, const char* symbol) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* const address = library == nullptr ? nullptr : ::dlsym(library, symbol);
  if (address != nullptr) return address;
  const char* const reason = ::dlerror();
  throw ConfigError(fmt::format("cannot load {}: {}", file.string(),
                                reason == nullptr ? "no reason given" : reason));
}

void throw_other_interface(const fs::path& file) {
  throw ConfigError(
      fmt::format("{}: was built from other sources than this program; build or install both again",
                  file.string()));
}

}  // namespace weft
