#include "models/data/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <system_error>

#include "base/error.h"
#include "base/input_path.h"
#include "sim/memory/physical_memory.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t kUnsignedByte = 0x08;
/// Deflate expands one byte to at most 1032 bytes (zlib's technical note on its compression ratio).
constexpr std::uint64_t kMostFromOneByte = 1032;

/// Reads a file and decompresses it if needed. zlib passes plain files through unchanged.
class IdxReader {
 public:
  explicit IdxReader(const fs::path& path) : file_(path.string()) {
    if (const char* problem = input_path_problem(path)) {
      throw InputError(fmt::format("{}: {}; give an IDX file", file_, problem));
    }
    std::error_code error;
    size_ = fs::file_size(path, error);
    stream_.reset(gzopen(path.c_str(), "rb"));
    if (error || !stream_) throw InputError(file_ + ": cannot be read; check its permissions");
  }

  const std::string& file() const { return file_; }
  bool compressed() const { return gzdirect(stream_.get()) == 0; }
  /// Upper bound on the decompressed size: what the file can hold, but at most this computer's
  /// memory.
  std::uint64_t most_bytes() const {
    return std::min(compressed() ? size_ * kMostFromOneByte : size_, physical_memory_bytes());
  }

  /// Fills `out`. Throws InputError if the file ends too early or is damaged.
  void read(std::span<std::uint8_t> out, const char* what) {
    while (!out.empty()) {
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(out.size(), 1U << 30U));
      const int count = gzread(stream_.get(), out.data(), wanted);
      if (count <= 0) fail(what);
      out = out.subspan(static_cast<std::size_t>(count));
    }
  }

  void check_ended() {
    std::uint8_t more = 0;
    const int count = gzread(stream_.get(), &more, 1);
    if (count > 0) {
      throw InputError(file_ + ": has data after its elements, so its header does not match");
    }
    int code = Z_OK;
    gzerror(stream_.get(), &code);
    if (count < 0 || code != Z_OK) fail("checksum");
  }

 private:
  struct Close {
    void operator()(gzFile stream) const { gzclose_r(stream); }
  };

  /// A file that ends before its header says is truncated. Any other error means damage.
  [[noreturn]] void fail(const char* what) {
    int code = Z_OK;
    gzerror(stream_.get(), &code);
    const bool damaged = code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END;
    if (damaged) throw InputError(file_ + ": is damaged; copy or download it again");
    throw InputError(fmt::format("{}: ends inside the {}; copy or download it again", file_, what));
  }

  std::string file_;
  std::uint64_t size_ = 0;
  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> stream_;
};

void check_magic(const IdxReader& reader, const std::array<std::uint8_t, 4>& magic, int rank) {
  if (magic[0] == 0 && magic[1] == 0 && magic[2] == kUnsignedByte && magic[3] == rank) return;
  throw InputError(fmt::format(
      "{}: begins with {:02x} {:02x} {:02x} {:02x}, not 00 00 08 {:02x}: not an IDX file of {}",
      reader.file(), magic[0], magic[1], magic[2], magic[3], rank,
      rank == 1 ? "labels" : "images"));
}

std::int64_t read_extent(IdxReader& reader) {
  std::array<std::uint8_t, 4> bytes = {};
  reader.read(bytes, "header");
  std::int64_t extent = 0;
  for (const std::uint8_t byte : bytes) extent = extent * 256 + byte;
  return extent;
}

/// The product of the extents. Throws InputError if the file or the memory cannot hold as many
/// bytes.
std::uint64_t checked_count(const IdxReader& reader, const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count) ||
        count > reader.most_bytes()) {
      throw InputError(fmt::format(
          "{}: claims {} elements, more than the file or the memory can hold; copy or download it "
          "again",
          reader.file(), fmt::join(shape, " x ")));
    }
  }
  return count;
}

}  // namespace

IdxArray read_idx(const fs::path& path, int rank) {
  IdxReader reader(path);
  std::array<std::uint8_t, 4> magic = {};
  reader.read(magic, "header");
  check_magic(reader, magic, rank);
  IdxArray array{path.string(), {}, {}};
  for (int i = 0; i < rank; ++i) array.shape.push_back(read_extent(reader));
  array.values.resize(checked_count(reader, array.shape));
  reader.read(array.values, "elements");
  reader.check_ended();
  return array;
}

}  // namespace weft::data
