// The bytes of a large file, piece by piece, so that the file is never in memory as a whole. A file
// compressed by gzip is decompressed meanwhile.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace weft::measurements {

/// The most bytes that a file may have, decompressed.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30U;

class ByteSource {
 public:
  /// Throws InputError, without the file's name, if it cannot be read.
  explicit ByteSource(const std::string& file);

  /// The first bytes, up to `kPieceBytes` of them; only before the first read.
  std::string_view begin() const { return {piece_.data(), size_}; }

  bool ended() const { return at_ == size_; }
  const char& current() const { return piece_[at_]; }
  /// Goes to the next byte. Throws InputError for damaged compressed data, for more than
  /// kMostBytes, and if it reads kMostPlainBytes without a call of mark() in between.
  void advance() {
    if (++at_ == size_) fill();
  }
  /// The reader understood what it read so far: no endless string is being read.
  void mark() { unmarked_ = 0; }
  /// How many bytes were read before the current one.
  std::uint64_t place() const { return before_ + at_; }

  static constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;
  static constexpr std::uint64_t kMostPlainBytes = std::uint64_t{1} << 24U;

 private:
  struct Close {
    void operator()(gzFile stream) const { gzclose_r(stream); }
  };

  void fill();

  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> stream_;
  std::vector<char> piece_ = std::vector<char>(kPieceBytes);
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::uint64_t before_ = 0;
  std::uint64_t unmarked_ = 0;
};

/// An input iterator over the bytes; two of them differ until the source has ended.
class ByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  explicit ByteIterator(ByteSource& source) : source_(&source) {}
  reference operator*() const { return source_->current(); }
  ByteIterator& operator++() {
    source_->advance();
    return *this;
  }
  ByteIterator operator++(int) {
    ByteIterator before = *this;
    source_->advance();
    return before;
  }
  bool operator==(const ByteIterator&) const { return source_->ended(); }

 private:
  ByteSource* source_;
};

}  // namespace weft::measurements
