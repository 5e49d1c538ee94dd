#include "base/output_stream.h"

namespace weft {

OutputStream::Buffer::Buffer(const std::filesystem::path& path, WhileWriting shown)
    : file_(path, shown) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

void OutputStream::Buffer::write_out() {
  file_.write(std::string_view(pbase(), static_cast<std::size_t>(pptr() - pbase())));
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

OutputStream::Buffer::int_type OutputStream::Buffer::overflow(int_type character) {
  write_out();
  if (!traits_type::eq_int_type(character, traits_type::eof())) {
    sputc(traits_type::to_char_type(character));
  }
  return traits_type::not_eof(character);
}

int OutputStream::Buffer::sync() {
  write_out();
  return 0;
}

void OutputStream::Buffer::commit() {
  write_out();
  file_.commit();
}

// The base is constructed before the buffer, so it starts with no buffer. badbit makes the stream
// rethrow what the buffer throws.
OutputStream::OutputStream(const std::filesystem::path& path, WhileWriting shown)
    : std::ostream(nullptr), buffer_(path, shown) {
  rdbuf(&buffer_);
  exceptions(std::ios::badbit);
}

void OutputStream::commit() {
  buffer_.commit();
}

}  // namespace weft
