#include "runtime/workload/network_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/input_path.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "runtime/npy/npy_tensor.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;

bool is_portable(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

/// Drops a trailing slash: a path that ends in one has no file name.
fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() || !folder.has_relative_path() ? folder : folder.parent_path();
}

/// Returns the topmost missing folder of the path `folder`, itself missing.
fs::path first_missing(const fs::path& folder) {
  std::error_code error;
  fs::path missing = folder;
  while (missing.has_parent_path() && !fs::exists(missing.parent_path(), error)) {
    missing = missing.parent_path();
  }
  return missing;
}

}  // namespace

std::string portable_name(std::string_view name) {
  std::string portable = name.empty() ? "_" : std::string(name);
  for (char& c : portable) {
    if (!is_portable(c)) c = '_';
  }
  return portable;
}

void write_files_together(const std::vector<FileContent>& files) {
  std::vector<std::unique_ptr<OutputFile>> open;
  for (const FileContent& file : files) {
    open.push_back(std::make_unique<OutputFile>(file.path));
    open.back()->write(file.content);
  }
  for (const auto& file : open) file->commit();
}

OutputFolder::OutputFolder(const fs::path& folder, const graph::Graph& graph)
    : folder_(without_slash(folder)) {
  std::error_code error;
  const bool exists = fs::is_directory(folder_, error);
  if (!exists && fs::exists(folder_, error)) {
    throw InputError(fmt::format("--output-dir {}: is a file; name a folder", folder_.string()));
  }
  if (!exists) check_writable(first_missing(folder_));
  for (const graph::Output& output : graph.outputs) {
    const fs::path file = folder_ / (portable_name(output.name) + ".npy");
    for (const auto& [other, other_file] : files_) {
      if (other_file != file) continue;
      throw InputError(fmt::format("--output-dir: outputs {} and {} would both be {}; rename one",
                                   printable(other), printable(output.name), file.string()));
    }
    if (exists) check_writable(file);
    files_.emplace_back(output.name, file);
  }
}

void OutputFolder::check_not_written(const std::string& file, std::string_view what) const {
  for (const auto& [name, output_file] : files_) {
    if (!same_file(file, output_file)) continue;
    throw InputError(fmt::format("{}: output {} would replace {}; choose another --output-dir",
                                 file, printable(name), what));
  }
}

std::vector<FileContent> OutputFolder::encode(const NamedTensors& outputs) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw InputError(fmt::format("--output-dir {}: cannot be created: {}; choose another folder",
                                 folder_.string(), error.message()));
  }
  std::vector<FileContent> contents;
  for (const auto& [name, file] : files_) contents.push_back({file, encode_npy(outputs.at(name))});
  return contents;
}

}  // namespace weft::runtime
