// A file that appears complete or not at all. Its bytes go to a nameless file in the same folder
// (or to one with a temporary name, where the file system needs it). commit() gives it its name; an
// error deletes it. Character devices, and pipes that this process already holds open, are written
// directly, because a rename would replace them. Other pipes, sockets and disks are refused.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace weft {

/// Throws InputError if `path` clearly cannot be written (missing folder, a folder itself, no
/// permission, a pipe). Writes nothing, so that commands can ask before a long simulation.
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
  std::filesystem::path target_;     // after following links
  std::filesystem::path temporary_;  // empty for a device
  bool named_ = false;               // the file has its temporary name
  int descriptor_ = -1;
};

/// Writes one whole file. Throws InputError.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace weft
