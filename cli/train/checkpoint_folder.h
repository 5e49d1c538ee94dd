// The folder of --checkpoint: one file in it, replaced as a whole, so that whenever a run is killed
// a complete checkpoint is there.
#pragma once

#include <filesystem>
#include <string>

#include "models/training/checkpoint.h"

namespace weft::cli {

class CheckpointFolder {
 public:
  /// Creates the folder if need be. Throws InputError if that fails or nothing can be written
  /// there.
  explicit CheckpointFolder(const std::string& folder);

  std::string file() const { return file_.string(); }
  bool has_checkpoint() const;
  /// Throws InputError: there is none, or it cannot be read.
  training::Checkpoint read() const;
  /// Throws InputError if the file cannot be written; then the one before is still there.
  void write(const training::Checkpoint& checkpoint) const;
  /// Removes what runs have left that were killed while they wrote.
  void tidy() const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

}  // namespace weft::cli
