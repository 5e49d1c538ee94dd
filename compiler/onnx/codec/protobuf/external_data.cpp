#include "compiler/onnx/codec/protobuf/external_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "base/error.h"
#include "base/printable.h"

namespace weft::onnx_io {
namespace {

struct Entries {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length = {};
};

std::uint64_t parse_count(const std::string& key, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(
        fmt::format("external data: {} = {} is not a number of bytes", key, printable(text)));
  }
  return value;
}

Entries parse_entries(const ::onnx::TensorProto& proto) {
  Entries entries;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") entries.location = entry.value();
    if (entry.key() == "offset") entries.offset = parse_count("offset", entry.value());
    if (entry.key() == "length") entries.length = parse_count("length", entry.value());
  }
  if (entries.location.empty()) throw InputError("external data: no location is given");
  return entries;
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

std::filesystem::path resolve(const std::string& location, const std::filesystem::path& folder) {
  // The file system would ignore everything after the zero byte.
  if (location.find('\0') != std::string::npos) {
    throw InputError(
        fmt::format("external data: the location {} holds a zero byte", printable(location)));
  }
  const std::filesystem::path relative(location);
  std::error_code error;
  auto path = std::filesystem::weakly_canonical(folder / relative, error);
  if (error || relative.is_absolute() || !is_inside(path, folder)) {
    throw InputError(
        fmt::format("external data: {} is outside the model's folder", printable(location)));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(fmt::format("external data: there is no file {} in the model's folder",
                                 printable(location)));
  }
  return path;
}

}  // namespace

DataFolder folder_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  auto resolved = std::filesystem::canonical(folder, error);
  return error ? DataFolder() : DataFolder(std::move(resolved));
}

ExternalData::ExternalData(const ::onnx::TensorProto& proto, const DataFolder& folder,
                           std::uint64_t size_bytes) {
  if (!folder) throw InputError("external data: the model has no folder to find it in");
  const Entries entries = parse_entries(proto);
  path_ = resolve(entries.location, *folder);
  offset_ = entries.offset;
  if (entries.length.value_or(size_bytes) != size_bytes) {
    throw InputError(fmt::format("external data: length is {}, but the elements take {} bytes",
                                 *entries.length, size_bytes));
  }
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path_, error);
  if (error || offset_ > file_bytes || size_bytes > file_bytes - offset_) {
    throw InputError(fmt::format("external data: {} bytes from offset {} are beyond the end of {}",
                                 size_bytes, offset_, printable(entries.location)));
  }
}

void ExternalData::read(std::span<std::byte> out) const {
  std::ifstream in(path_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset_));
  in.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (!in)
    throw InputError(fmt::format("external data: cannot read {}", printable(path_.string())));
}

}  // namespace weft::onnx_io
