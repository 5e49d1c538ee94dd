// Elements that a model keeps in files of their own beside it. A model that comes from elsewhere
// must not make Weft read other files: the path, with every symbolic link followed, has to end
// inside the model's folder.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

namespace weft::onnx_io {

/// The folder that external data may come from; nothing for a model that is in memory only.
using DataFolder = std::optional<std::filesystem::path>;

/// The folder of the model `path`, symbolic links followed.
DataFolder folder_of(const std::filesystem::path& path);

/// A part of a file that exists, lies inside the folder and is `size` bytes long or longer.
class ExternalData {
 public:
  /// What `proto` says of its `size_bytes` bytes. Throws InputError: no folder, no location, a
  /// location outside the folder, no such file, or an offset and length that do not fit.
  ExternalData(const ::onnx::TensorProto& proto, const DataFolder& folder,
               std::uint64_t size_bytes);

  /// Fills `out`, of the size given above. Throws InputError if the file cannot be read.
  void read(std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;
};

}  // namespace weft::onnx_io
