#include "base/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>

#include <optional>
#include <system_error>
#include <vector>

#include "base/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// A test program lies at most this many folders below the build folder.
constexpr int kFoldersAbove = 5;

/// The program's file. A root without /proc, such as that of a new system, knows how it was
/// started.
fs::path program_file() {
  std::error_code error;
  fs::path file = fs::read_symlink("/proc/self/exe", error);
  if (!error) return file;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the auxiliary vector holds addresses as numbers.
  const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return started == nullptr ? fs::path() : fs::canonical(started, error);
}

/// lib/weft beside a folder above the program.
std::optional<fs::path> folder_near(const fs::path& program) {
  std::error_code error;
  fs::path folder = program.parent_path();
  for (int i = 0; i < kFoldersAbove && folder.has_relative_path(); ++i) {
    folder = folder.parent_path();
    if (fs::is_directory(folder / "lib" / "weft", error)) return folder / "lib" / "weft";
  }
  return std::nullopt;
}

/// The folder lib/weft in which the system looks for this program's libraries.
std::optional<fs::path> folder_of_run_path() {
  void* const program = ::dlopen(nullptr, RTLD_NOW);
  Dl_serinfo size = {};
  if (program == nullptr || ::dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return std::nullopt;
  // The list ends in texts, so it is larger than its type.
  std::vector<Dl_serinfo> memory(size.dls_size / sizeof(Dl_serinfo) + 1);
  Dl_serinfo& list = memory.front();
  list = size;
  if (::dlinfo(program, RTLD_DI_SERINFO, &list) != 0) return std::nullopt;
  std::error_code error;
  for (unsigned i = 0; i < list.dls_cnt; ++i) {
    const fs::path folder = list.dls_serpath[i].dls_name;
    if (folder.filename() == "weft" && fs::is_directory(folder, error)) return folder;
  }
  return std::nullopt;
}

}  // namespace

fs::path library_folder() {
  const fs::path program = program_file();
  if (const auto near = folder_near(program)) return *near;
  if (const auto linked = folder_of_run_path()) return *linked;
  throw MissingError(fmt::format(
      "no folder lib/weft near {}: the program was moved without it; build or install it again",
      program.string()));
}

const void* load_symbol(const fs::path& file, const char* symbol) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* const address = library == nullptr ? nullptr : ::dlsym(library, symbol);
  if (address != nullptr) return address;
  const char* const reason = ::dlerror();
  throw MissingError(fmt::format("cannot load {}: {}", file.string(),
                                 reason == nullptr ? "no reason given" : reason));
}

void throw_other_interface(const fs::path& file) {
  throw MissingError(
      fmt::format("{}: was built from other sources than this program; build or install both again",
                  file.string()));
}

}  // namespace weft
