// Tensor elements that a model stores in separate files. An untrusted model must not make Weft read
// arbitrary files: after all symbolic links are resolved, the path must be inside the model's
// folder.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

namespace weft::onnx_io {

/// The folder that may hold external data; nullopt for a model that is only in memory.
using DataFolder = std::optional<std::filesystem::path>;

/// The folder of the model `path`, with symbolic links resolved.
DataFolder folder_of(const std::filesystem::path& path);

/// A range of bytes in a file. The constructor checks that the file is inside the folder and
/// contains the range.
class ExternalData {
 public:
  /// The `size_bytes` bytes that `proto` refers to. Throws InputError if there is no folder or
  /// location, if the location is outside the folder or no file, or if offset and length do not
  /// fit.
  ExternalData(const ::onnx::TensorProto& proto, const DataFolder& folder,
               std::uint64_t size_bytes);

  /// Fills `out`, which must hold `size_bytes` bytes. Throws InputError if the file cannot be read.
  void read(std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;
};

}  // namespace weft::onnx_io
