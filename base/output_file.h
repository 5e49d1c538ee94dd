// A file that appears complete or not at all. Its bytes go to a nameless file in the same folder
// (or to one with a temporary name, where the file system needs it). commit() gives it its name; an
// error deletes it. Character devices, and pipes that this process already holds open, are written
// directly, because a rename would replace them. Other pipes, sockets and disks are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/interrupt.h"

namespace weft {

/// Throws InputError if `path` clearly cannot be written (missing folder, a folder itself, no
/// permission, a pipe). Writes nothing, so that commands can ask before a long simulation.
void check_writable(const std::filesystem::path& path);

/// What others see of a file before it is complete.
enum class WhileWriting : std::uint8_t {
  kHidden,   // nothing
  kVisible,  // NAME.PID.partial beside it: for files so large that their growth is of interest
};

class OutputFile {
 public:
  /// Opens the temporary file. Throws InputError like check_writable().
  explicit OutputFile(const std::filesystem::path& path,
                      WhileWriting shown = WhileWriting::kHidden);
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
  void open_named();
  std::string descriptor_path() const;
  void give_temporary_name();
  void close_file();

  std::filesystem::path shown_;                // as the user named it
  std::filesystem::path target_;               // after following links
  std::filesystem::path temporary_;            // empty for a device
  bool named_ = false;                         // the file has its temporary name
  std::optional<RemovedOnInterrupt> removal_;  // while it has
  int descriptor_ = -1;
};

/// Writes one whole file. Throws InputError.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace weft
