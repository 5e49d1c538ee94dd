// The folder of --checkpoint. Its one file is replaced as a whole, so that a run that is killed
// always leaves a complete checkpoint.
#pragma once

#include <filesystem>
#include <string>

#include "models/training/checkpoint.h"

namespace weft::runtime {

class CheckpointFolder {
 public:
  /// Creates the folder if it is missing, and locks it until this object ends. Throws InputError if
  /// that fails, if the folder is not writable, or if another training has locked it.
  explicit CheckpointFolder(const std::string& folder);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  std::string file() const { return file_.string(); }
  bool has_checkpoint() const;
  /// Throws InputError if there is no checkpoint, or it cannot be read.
  training::Checkpoint read() const;
  /// Throws InputError if the file cannot be written; the previous checkpoint is then kept.
  void write(const training::Checkpoint& checkpoint) const;
  /// Removes temporary files of runs that were killed while writing.
  void tidy() const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;
  int lock_ = -1;  // the folder itself, open; the system unlocks it when the process ends
};

}  // namespace weft::runtime
