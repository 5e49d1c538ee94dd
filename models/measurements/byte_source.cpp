#include "models/measurements/byte_source.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_path.h"

namespace weft::measurements {

ByteSource::ByteSource(const std::string& file) {
  if (const char* problem = input_path_problem(file)) throw InputError(problem);
  stream_.reset(gzopen(file.c_str(), "rb"));
  if (!stream_) throw InputError("cannot be read; check its permissions");
  gzbuffer(stream_.get(), 2 * kPieceBytes);
  fill();
  if (ended()) throw InputError("is empty; name a file with measurements");
}

void ByteSource::fill() {
  before_ += size_;
  unmarked_ += size_;
  at_ = 0;
  size_ = 0;
  if (before_ > kMostBytes) {
    throw InputError(fmt::format("is longer than {} GiB; profile fewer steps", kMostBytes >> 30U));
  }
  if (unmarked_ > kMostPlainBytes) {
    throw InputError(
        fmt::format("has a value, or a line, of more than {} MiB: no profiler writes that",
                    kMostPlainBytes >> 20U));
  }
  const int count = gzread(stream_.get(), piece_.data(), static_cast<unsigned>(kPieceBytes));
  int code = Z_OK;
  gzerror(stream_.get(), &code);
  // A compressed file that is cut off ends with Z_BUF_ERROR.
  if (count < 0 || (count == 0 && code != Z_OK && code != Z_STREAM_END)) {
    throw InputError("is damaged or cut off; copy it again");
  }
  size_ = static_cast<std::size_t>(count);
}

}  // namespace weft::measurements
