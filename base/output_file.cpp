#include "base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int error, const char* advice) {
  throw InputError(fmt::format("{}: cannot write: {}; {}", path.string(),
                               std::generic_category().message(error), advice));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool is_device(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// True if this process already holds the file open, for example a pipe as /dev/stdout.
bool is_open_here(const fs::path& path) {
  constexpr int kDescriptors = 1024;
  struct stat wanted = {};
  if (::stat(path.c_str(), &wanted) != 0) return false;
  for (int descriptor = 0; descriptor < kDescriptors; ++descriptor) {
    struct stat open = {};
    if (::fstat(descriptor, &open) != 0) continue;
    if (open.st_dev == wanted.st_dev && open.st_ino == wanted.st_ino) return true;
  }
  return false;
}

/// Refuses a pipe that this process does not hold: opening it waits until another reads it.
void check_device(const fs::path& path) {
  std::error_code error;
  if (fs::is_character_file(path, error) || is_open_here(path)) return;
  throw InputError(path.string() + ": cannot write: is not a regular file; choose another file");
}

/// Follows symbolic links, so that writing replaces the target and not the link.
fs::path resolve(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error) || is_device(path)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

void check_writable(const fs::path& path) {
  const fs::path target = resolve(path);
  std::error_code error;
  if (path.empty()) throw InputError("output file: the name is empty; give one");
  if (fs::is_directory(target, error)) fail(path, EISDIR, "name a file in it");
  if (fs::exists(target, error) && ::access(target.c_str(), W_OK) != 0) {
    fail(path, errno, "choose another file");
  }
  if (is_device(target)) return check_device(path);
  const fs::path folder = folder_of(target);
  if (!fs::is_directory(folder, error)) fail(path, ENOENT, "create the folder first");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(path, errno, "choose another folder");
}

OutputFile::OutputFile(const fs::path& path, WhileWriting shown)
    : shown_(path), target_(resolve(path)) {
  check_writable(path);
  if (is_device(target_)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else if (shown == WhileWriting::kVisible) {
    temporary_ = target_;
    temporary_ += fmt::format(".{}.partial", ::getpid());
    open_named();
  } else {
    temporary_ =
        folder_of(target_) / fmt::format(".{}.{}.tmp", target_.filename().string(), ::getpid());
    open_temporary();
  }
  if (descriptor_ < 0) {
    fail(shown_, errno, "choose another file");
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (named_) ::unlink(temporary_.c_str());
}

// A nameless file disappears with the process, however the process ends. The file gets its
// temporary name at once if the file system has no nameless files or could not name them later.
void OutputFile::open_temporary() {
  descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ >= 0 && ::access(descriptor_path().c_str(), F_OK) == 0) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  open_named();
}

void OutputFile::open_named() {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  named_ = descriptor_ >= 0;
  if (named_) removal_.emplace(temporary_);
}

std::string OutputFile::descriptor_path() const {
  return fmt::format("/proc/self/fd/{}", descriptor_);
}

// Links to a temporary name, because linkat() cannot replace an existing file but rename() can.
void OutputFile::give_temporary_name() {
  if (named_) return;
  if (::linkat(AT_FDCWD, descriptor_path().c_str(), AT_FDCWD, temporary_.c_str(),
               AT_SYMLINK_FOLLOW) != 0) {
    fail(shown_, errno, "choose another folder");
  }
  named_ = true;
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(shown_, errno, "free some space or choose another place");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void OutputFile::close_file() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail(shown_, errno, "free some space or choose another place");
}

void OutputFile::commit() {
  if (!temporary_.empty()) give_temporary_name();
  close_file();
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail(shown_, errno, "choose another file");
  }
  named_ = false;
  removal_.reset();
}

void write_file(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace weft
