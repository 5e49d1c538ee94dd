#include "runtime/train/checkpoint_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/error.h"
#include "base/input_path.h"
#include "base/output_file.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "checkpoint.weft";

}  // namespace

CheckpointFolder::CheckpointFolder(const std::string& folder)
    : folder_(folder), file_(folder_ / kFile) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw InputError(fmt::format("{}: cannot create this folder: {}; choose another --checkpoint",
                                 folder, error.message()));
  }
  check_writable(file_);
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);
    throw InputError(
        fmt::format("{}: another training uses this folder; wait for it, or choose another "
                    "--checkpoint",
                    folder));
  }
}

CheckpointFolder::~CheckpointFolder() {
  if (lock_ >= 0) ::close(lock_);
}

bool CheckpointFolder::has_checkpoint() const {
  std::error_code error;
  return fs::exists(file_, error);
}

training::Checkpoint CheckpointFolder::read() const {
  if (!has_checkpoint()) {
    throw InputError(file() + ": no such checkpoint; begin without --resume");
  }
  if (const char* problem = input_path_problem(file_)) {
    throw InputError(fmt::format("{}: {}; give the folder of a checkpoint", file(), problem));
  }
  std::error_code error;
  const auto size = fs::file_size(file_, error);
  std::string bytes(error ? 0 : size, '\0');
  std::ifstream stream(file_, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (error || !stream) throw InputError(file() + ": cannot be read; check its permissions");
  return training::decode_checkpoint(bytes, file());
}

void CheckpointFolder::write(const training::Checkpoint& checkpoint) const {
  write_file(file_, training::encode_checkpoint(checkpoint));
}

void CheckpointFolder::tidy() const {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    const bool temporary = name.starts_with(fmt::format(".{}.", kFile)) && name.ends_with(".tmp");
    if (temporary) fs::remove(entry.path(), error);
  }
}

}  // namespace weft::runtime
