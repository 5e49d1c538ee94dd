// Measures the peak memory of an import, as the kernel accounts it for this process.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using ::onnx::TensorProto;
using testing_support::Model;
using testing_support::TemporaryFolder;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// The value of a line of /proc/self/status such as "VmHWM:   1234 kB", in bytes.
std::uint64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key + ":")) continue;
    std::istringstream rest(line.substr(key.size() + 1));
    std::uint64_t kib = 0;
    rest >> kib;
    return kib * 1024;
  }
  return 0;
}

/// Resets VmHWM to the current memory size.
void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

/// The bytes before the payload of a field with `size` bytes.
std::string field_head(unsigned number, std::uint64_t size) {
  return fmt::format("{}{}", varint(number << 3 | 2), varint(size));
}

/// Writes a model that concatenates `count` float tensors of `mib` MiB. They are never in memory
/// here: fields may be appended to a serialized message.
std::string write_model(const TemporaryFolder& folder, int count, std::uint64_t mib) {
  Model model;
  model.output("y");
  auto& concat = model.node("Concat", {}, {"y"});
  testing_support::set(concat, "axis", std::int64_t{0});
  for (int i = 0; i < count; ++i) concat.add_input(fmt::format("w{}", i));
  const std::string path = folder.write("large.onnx", model.bytes());
  std::ofstream out(path, std::ios::binary | std::ios::app);
  for (int i = 0; i < count; ++i) {
    TensorProto head;
    head.set_name(fmt::format("w{}", i));
    head.set_data_type(TensorProto::FLOAT);
    head.add_dims(static_cast<std::int64_t>(mib * kMiB / 4));
    const std::string start = head.SerializeAsString() + field_head(9, mib * kMiB);
    const std::string tensor = field_head(5, start.size() + mib * kMiB) + start;
    out << field_head(7, tensor.size() + mib * kMiB) << tensor;
    const std::string block(kMiB, '\x11');
    for (std::uint64_t b = 0; b < mib; ++b) out << block;
  }
  return path;
}

/// Growth of memory at the peak, per byte of the file.
double peak_per_byte(const std::string& path) {
  reset_peak();
  const std::uint64_t before = status_bytes("VmRSS");
  const graph::Graph graph = import_onnx(path);
  EXPECT_EQ(graph.nodes.size(), 1U);
  const std::uint64_t after = status_bytes("VmRSS");
  const std::uint64_t size = std::filesystem::file_size(path);
  EXPECT_GT(after - std::min(after, before), size / 2) << "the weights are not in memory";
  return static_cast<double>(status_bytes("VmHWM") - before) / static_cast<double>(size);
}

TEST(ImportMemoryTest, TakesAtMostTwoAndAHalfTimesTheFile) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps memory of its own";
#endif
  const TemporaryFolder folder;
  EXPECT_LE(peak_per_byte(write_model(folder, 1, 96)), 2.5);
  EXPECT_LE(peak_per_byte(write_model(folder, 48, 2)), 2.5);
}

}  // namespace
}  // namespace weft::onnx_io
