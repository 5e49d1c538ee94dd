// The folder into which a run writes the network's outputs, one .npy file each.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/common_options.h"
#include "cli/network_runner.h"
#include "compiler/graph/graph.h"

namespace weft::cli {

/// A value's name as that of a file: what is not A-Z a-z 0-9 _ . - becomes _; "_" if it is empty.
std::string portable_name(std::string_view name);

struct FileContent {
  std::filesystem::path path;
  std::string content;
};

/// Writes all files before any gets its name. Throws InputError.
void write_files_together(const std::vector<FileContent>& files);

class OutputFolder {
 public:
  /// Plans the files; writes nothing. Throws InputError if two outputs would have one file, or one
  /// cannot be written.
  OutputFolder(std::filesystem::path folder, const graph::Graph& graph);

  /// Throws InputError if one of the files is `file`, which is `what` ("an input").
  void check_not_written(const std::string& file, std::string_view what) const;

  /// Creates the folder if need be, and encodes the outputs.
  std::vector<FileContent> encode(const NamedTensors& outputs) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::filesystem::path>> files_;  // by the outputs' names
};

}  // namespace weft::cli
