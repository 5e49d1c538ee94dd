#include "runtime/npy/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"

namespace weft::runtime {
namespace {

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail("has text after the dict of its header");
    if (!descr_ || !fortran_order_ || !shape_) {
      fail("lacks descr, fortran_order or shape in its header");
    }
    return {*descr_, *fortran_order_, *shape_};
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: {}; save it again with numpy.save", file_, what));
  }

  void skip_space() {
    const std::size_t at = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(at, rest_.size()));
  }

  bool accept(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted))
      fail(fmt::format("has a header that is not a dict ('{}' missing)", wanted));
  }

  void entry() {
    const std::string key = quoted();
    expect(':');
    if (key == "descr") {
      once(descr_, key);
      descr_ = descr();
    } else if (key == "fortran_order") {
      once(fortran_order_, key);
      fortran_order_ = boolean();
    } else if (key == "shape") {
      once(shape_, key);
      shape_ = tuple();
    } else {
      fail("has an unknown key in its header");
    }
  }

  template <class T>
  void once(const std::optional<T>& value, std::string_view key) const {
    if (value) fail(fmt::format("names {} twice in its header", key));
  }

  std::string descr() {
    skip_space();
    if (!rest_.empty() && rest_.front() == '[') {
      throw InputError(file_ + ": holds records; save one plain array of numbers");
    }
    return quoted();
  }

  std::string quoted() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
      fail("has a header that is not a dict of quoted keys");
    }
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("has an unfinished string in its header");
    const std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    fail("has a fortran_order that is neither True nor False");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(size());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::uint64_t size() {
    skip_space();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) fail("has a shape with a negative, overflowing or odd size");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_;
  const std::string& file_;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  return HeaderParser(text, file).parse();
}

std::string encode_npy_header(const NpyHeader& header) {
  const char* const after_single = header.shape.size() == 1 ? "," : "";
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}",
                                 header.descr, header.fortran_order ? "True" : "False",
                                 fmt::join(header.shape, ", "), after_single);
  // Magic, version, length, dict and newline fill a multiple of 64 bytes, where the data starts.
  constexpr std::size_t kPrefix = 6 + 2 + 2;
  dict.append(63 - (kPrefix + dict.size()) % 64, ' ');
  dict.push_back('\n');
  std::string file(kNpyMagic);
  file.append(
      {'\x01', '\x00', static_cast<char>(dict.size() % 256), static_cast<char>(dict.size() / 256)});
  return file += dict;
}

}  // namespace weft::runtime
