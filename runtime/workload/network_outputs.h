// The folder into which a run writes the network's outputs, one .npy file each.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/network_runner.h"

namespace weft::runtime {

/// Makes a file name of a value's name: characters other than A-Z a-z 0-9 _ . - become _, and an
/// empty name becomes "_".
std::string portable_name(std::string_view name);

struct FileContent {
  std::filesystem::path path;
  std::string content;
};

/// Writes all contents before it names any file. Throws InputError.
void write_files_together(const std::vector<FileContent>& files);

class OutputFolder {
 public:
  /// Plans the files; writes nothing. Throws InputError if two outputs would share a file, or a
  /// file cannot be written.
  OutputFolder(const std::filesystem::path& folder, const graph::Graph& graph);

  /// Throws InputError if one of the files is `file`. `what` says what `file` is, e.g. "an input".
  void check_not_written(const std::string& file, std::string_view what) const;

  /// Creates the folder if it is missing, and encodes the outputs.
  std::vector<FileContent> encode(const NamedTensors& outputs) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::filesystem::path>> files_;  // by the outputs' names
};

}  // namespace weft::runtime
