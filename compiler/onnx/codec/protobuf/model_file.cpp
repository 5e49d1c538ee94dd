#include "compiler/onnx/codec/protobuf/model_file.h"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "base/error.h"

namespace weft::onnx_io {
namespace {

// Protobuf stores a message's size in an int.
constexpr std::uintmax_t kMaxMessageBytes = std::numeric_limits<int>::max();

constexpr const char* kTooLarge =
    "more than 2 GiB, which protobuf cannot hold; store the tensors as external data";

std::ifstream open(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InputError("is a folder, not a file");
  // Opening a pipe would block until another process writes to it.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    throw InputError("is a pipe or a device, not a file; write its contents to a file first");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("cannot be opened");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > kMaxMessageBytes) throw InputError(kTooLarge);
  return in;
}

template <class Message>
Message parse(google::protobuf::io::ZeroCopyInputStream& stream, const char* kind) {
  // Protobuf would also write its own message to standard error; the exception is enough.
  const google::protobuf::LogSilencer silence;
  Message message;
  if (!message.ParseFromZeroCopyStream(&stream)) {
    throw InputError(std::string("is not ") + kind + ", or is broken or cut short");
  }
  return message;
}

template <class Message>
Message read(const std::string& path, const char* kind) {
  std::ifstream in = open(path);
  google::protobuf::io::IstreamInputStream stream(&in);
  return parse<Message>(stream, kind);
}

}  // namespace

::onnx::ModelProto read_model(const std::string& path) {
  return read<::onnx::ModelProto>(path, "an ONNX model");
}

::onnx::TensorProto read_tensor_message(const std::string& path) {
  return read<::onnx::TensorProto>(path, "an ONNX tensor");
}

::onnx::ModelProto parse_model(std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxMessageBytes) throw InputError(kTooLarge);
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  return parse<::onnx::ModelProto>(stream, "an ONNX model");
}

}  // namespace weft::onnx_io
