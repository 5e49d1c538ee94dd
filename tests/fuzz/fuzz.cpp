#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "models/networks/networks.h"

namespace weft::fuzz {

BytesFile::BytesFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", 0)) {
  require(descriptor_ >= 0, "memfd_create() gives a file");
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    require(written > 0, "write() writes");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

BytesFile::~BytesFile() {
  ::close(descriptor_);
}

NamedFile::NamedFile(std::string_view bytes, std::string_view suffix)
    : path_((std::filesystem::temp_directory_path() / "weft-fuzz-").string() +
            std::to_string(::getpid()) + std::string(suffix)) {
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
}

NamedFile::~NamedFile() {
  std::error_code ignored;
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) {
    std::filesystem::remove(path_ + suffix, ignored);
  }
}

bool names_large_network(std::string_view text) {
  constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_not_of(kWord), text.size());
    const std::string_view word = text.substr(0, end);
    const bool known =
        std::ranges::find(networks::networks(), word, &networks::NetworkInfo::name) !=
        networks::networks().end();
    if (known && !word.starts_with("digits-")) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool has_long_range(std::string_view text) {
  constexpr std::ptrdiff_t kMostDigits = 4;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",=\n"), text.size());
    const std::string_view item = text.substr(0, end);
    const auto digits = std::ranges::count_if(item, [](char c) { return c >= '0' && c <= '9'; });
    if (item.find("..") != std::string_view::npos && digits > kMostDigits) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace weft::fuzz
