// A file that appears whole or not at all: written in the same folder without a name (or under a
// temporary one, where the file system needs one), named when complete, gone when anything goes
// wrong. Character devices, and pipes that this process already holds open, are written to
// directly, because a rename would replace them; other pipes, sockets and disks are refused.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace weft {

/// Throws InputError if `path` clearly cannot be written (no such folder, a folder itself, no
/// permission, a pipe). Writes nothing: for asking before a long simulation.
void check_writable(const std::filesystem::path& path);

class OutputFile {
 public:
  /// Opens the temporary file. Throws InputError like check_writable().
  explicit OutputFile(const std::filesystem::path& path);
  /// Removes the temporary file unless commit() was reached.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends. Throws InputError if the disk is full or the device refuses.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Gives the file its name. Throws InputError if that fails.
  void commit();

 private:
  void open_temporary();
  std::string descriptor_path() const;
  void give_temporary_name();
  void close_file();

  std::filesystem::path shown_;      // as the user named it
  std::filesystem::path target_;     // where links lead
  std::filesystem::path temporary_;  // empty for a device
  bool named_ = false;               // a file has the temporary name
  int descriptor_ = -1;
};

/// Writes one whole file. Throws InputError.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace weft
