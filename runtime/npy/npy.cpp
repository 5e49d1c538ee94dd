#include "runtime/npy/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "base/input_path.h"
#include "base/printable.h"
#include "pe/float_formats.h"
#include "runtime/npy/npy_header.h"

namespace weft::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "values are read without swapping bytes");

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxHeaderBytes = 65536;  // NumPy's own limit for untrusted files is 10000

struct NpyTypeEntry {
  NpyType type;
  std::string_view descr;
  std::uint64_t bytes;
};
constexpr std::array<NpyTypeEntry, 8> kTypes = {{{NpyType::kBool, "|b1", 1},
                                                 {NpyType::kInt8, "|i1", 1},
                                                 {NpyType::kUint8, "|u1", 1},
                                                 {NpyType::kInt32, "<i4", 4},
                                                 {NpyType::kInt64, "<i8", 8},
                                                 {NpyType::kFloat16, "<f2", 2},
                                                 {NpyType::kFloat32, "<f4", 4},
                                                 {NpyType::kFloat64, "<f8", 8}}};

const NpyTypeEntry& entry_of(NpyType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(),
                       [&](const NpyTypeEntry& entry) { return entry.type == type; });
}

/// The file types that can become `wanted`, which is an operand (int8, bf16, fp16) or a bias
/// (int32, float32).
std::span<const NpyType> accepted_as(ElementType wanted) {
  static constexpr std::array kFloats = {NpyType::kFloat16, NpyType::kFloat32, NpyType::kFloat64};
  static constexpr std::array kInt8Operand = {NpyType::kInt8, NpyType::kUint8};
  static constexpr std::array kInt32Bias = {NpyType::kInt8, NpyType::kInt32};
  if (wanted == ElementType::kInt8) return kInt8Operand;
  if (wanted == ElementType::kInt32) return kInt32Bias;
  return kFloats;
}

bool accepts(ElementType wanted, NpyType type) {
  return std::ranges::find(accepted_as(wanted), type) != accepted_as(wanted).end();
}

/// Suggests a machine's dtype that accepts `descr` for this operand or bias, if there is one.
std::string_view other_dtype(std::string_view descr, ElementType wanted) {
  const bool bias = wanted == ElementType::kInt32 || wanted == ElementType::kFloat32;
  const ElementType ints = bias ? ElementType::kInt32 : ElementType::kInt8;
  const auto takes = [&](ElementType type) {
    return std::ranges::any_of(accepted_as(type),
                               [&](NpyType known) { return to_string(known) == descr; });
  };
  if (wanted != ints && takes(ints)) return ", or choose --array.dtype int8";
  if (wanted == ints && takes(ElementType::kFloat32)) return ", or choose --array.dtype bf16";
  return "";
}

[[noreturn]] void fail_type(const std::string& file, std::string_view descr, ElementType wanted) {
  std::vector<std::string_view> names;
  for (const NpyType type : accepted_as(wanted)) names.push_back(to_string(type));
  const std::string_view numpy = wanted == ElementType::kInt8    ? "int8"
                                 : wanted == ElementType::kInt32 ? "int32"
                                                                 : "float32";
  throw InputError(fmt::format(
      "{}: holds {} where the machine takes {}; give {}, e.g. by numpy's .astype('{}'){}", file,
      printable(descr), to_string(wanted), fmt::join(names, " or "), numpy,
      other_dtype(descr, wanted)));
}

/// One byte has no byte order: '<i1', '>i1', '=i1' and 'i1' all mean '|i1'.
std::string_view without_byte_order(std::string_view descr) {
  const std::string_view order = "<>=|";
  const bool ordered = !descr.empty() && order.find(descr.front()) != std::string_view::npos;
  const std::string_view bare = ordered ? descr.substr(1) : descr;
  if (bare == "i1") return "|i1";
  if (bare == "u1") return "|u1";
  return bare == "b1" ? "|b1" : descr;
}

const NpyTypeEntry* find_type(std::string_view descr) {
  const auto found = std::ranges::find(kTypes, descr, &NpyTypeEntry::descr);
  return found == kTypes.end() ? nullptr : &*found;
}

NpyType type_from(const std::string& written, const std::string& file,
                  std::optional<ElementType> wanted) {
  const std::string_view descr = without_byte_order(written);
  if (const NpyTypeEntry* entry = find_type(descr)) {
    if (wanted && !accepts(*wanted, entry->type)) fail_type(file, descr, *wanted);
    return entry->type;
  }
  const NpyTypeEntry* swapped =
      descr.starts_with('>') ? find_type(fmt::format("<{}", descr.substr(1))) : nullptr;
  if (swapped != nullptr && (!wanted || accepts(*wanted, swapped->type))) {
    throw InputError(
        fmt::format("{}: is big-endian ({}); save it little-endian, e.g. "
                    ".astype('{}')",
                    file, descr, swapped->descr));
  }
  if (wanted) fail_type(file, descr, *wanted);
  throw InputError(
      fmt::format("{}: holds elements of type {}; supported are |b1 |i1 |u1 <i4 <i8 "
                  "<f2 <f4 <f8, convert with .astype",
                  file, printable(descr)));
}

/// Reads exactly as many bytes as asked for, or throws.
class NpyHeaderReader {
 public:
  explicit NpyHeaderReader(const fs::path& path) : file_(path.string()) {
    if (const char* problem = input_path_problem(path)) {
      throw InputError(fmt::format("{}: {}; give an .npy file", file_, problem));
    }
    std::error_code error;
    remaining_ = fs::file_size(path, error);
    stream_.open(path, std::ios::binary);
    if (error || !stream_) throw InputError(file_ + ": cannot be read; check its permissions");
  }

  template <class Container>
  void read(Container& out, std::uint64_t size, std::string_view what) {
    if (size > remaining_) {
      throw InputError(
          fmt::format("{}: ends inside the {} ({} bytes wanted, {} left); it is cut "
                      "short, save it again",
                      file_, what, size, remaining_));
    }
    out.resize(size);
    stream_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(size));
    if (!stream_)
      throw InputError(fmt::format("{}: reading the {} failed; try again", file_, what));
    remaining_ -= size;
  }

  std::uint64_t remaining() const { return remaining_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::ifstream stream_;
  std::uint64_t remaining_ = 0;
};

std::uint64_t read_little_endian(NpyHeaderReader& reader, std::uint64_t bytes) {
  std::string raw;
  reader.read(raw, bytes, "header length");
  std::uint64_t value = 0;
  for (std::uint64_t i = bytes; i-- > 0;) value = value * 256 + static_cast<unsigned char>(raw[i]);
  return value;
}

NpyHeader read_header(NpyHeaderReader& reader) {
  std::string start;
  reader.read(start, std::min<std::uint64_t>(kNpyMagic.size(), reader.remaining()), "magic");
  if (start != kNpyMagic) {
    throw InputError(reader.file() + ": is not an .npy file (wrong magic); save with numpy.save");
  }
  reader.read(start, 2, "version");
  if (start[0] < 1 || start[0] > 3 || start[1] != 0) {
    throw InputError(fmt::format("{}: has .npy format version {}.{}; supported are 1.0 to 3.0",
                                 reader.file(), static_cast<unsigned char>(start[0]),
                                 static_cast<unsigned char>(start[1])));
  }
  const std::uint64_t length = read_little_endian(reader, start[0] == 1 ? 2 : 4);
  if (length > kMaxHeaderBytes) {
    throw InputError(
        fmt::format("{}: claims a header of {} bytes; a valid file has at most {}, save it again",
                    reader.file(), length, kMaxHeaderBytes));
  }
  std::string text;
  reader.read(text, length, "header");
  return parse_npy_header(text, reader.file());
}

/// Bytes of the data. Throws InputError if the number overflows.
std::uint64_t data_bytes(const NpyArray& array) {
  std::uint64_t bytes = size_of(array.type);
  for (const std::uint64_t size : array.shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) {
      throw InputError(fmt::format("{}: shape ({}) overflows; save a smaller array", array.file,
                                   fmt::join(array.shape, ", ")));
    }
  }
  return bytes;
}

NpyShape check_elements(const NpyArray& array, NpyShape shape) {
  if (shape.rows != 0 && shape.cols != 0) return shape;
  throw InputError(fmt::format("{}: has no elements (shape {}x{}); give at least one", array.file,
                               shape.rows, shape.cols));
}

/// Returns element `index` of the data, whose elements are of type T.
template <class T>
T load(const NpyArray& array, std::uint64_t index) {
  T value;
  std::memcpy(&value, array.data.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Returns the matrix of `type` with convert(value as From) for each element.
template <class From, class Convert>
Matrix convert_all(const NpyArray& array, NpyShape shape, ElementType type, Convert convert) {
  Matrix matrix(type, shape.rows, shape.cols);
  for (std::uint64_t row = 0; row < shape.rows; ++row) {
    for (std::uint64_t col = 0; col < shape.cols; ++col) {
      const std::uint64_t index =
          array.fortran_order ? col * shape.rows + row : row * shape.cols + col;
      matrix.set(row, col, convert(load<From>(array, index)));
    }
  }
  return matrix;
}

/// `narrow` takes a float or a double and rounds once.
template <class Narrow>
Matrix convert_floats(const NpyArray& array, NpyShape shape, ElementType type, Narrow narrow) {
  switch (array.type) {
    case NpyType::kFloat16:
      return convert_all<Fp16>(array, shape, type, [&](Fp16 x) { return narrow(to_float(x)); });
    case NpyType::kFloat32:
      return convert_all<float>(array, shape, type, narrow);
    default:
      return convert_all<double>(array, shape, type, narrow);
  }
}

}  // namespace

std::string_view to_string(NpyType type) {
  return entry_of(type).descr;
}

std::uint64_t size_of(NpyType type) {
  return entry_of(type).bytes;
}

NpyArray read_npy(const fs::path& path, NpyContent content, std::optional<ElementType> wanted) {
  NpyHeaderReader reader(path);
  NpyHeader header = read_header(reader);
  NpyArray array{path.string(),
                 type_from(header.descr, reader.file(), wanted),
                 header.fortran_order,
                 std::move(header.shape),
                 {}};
  const std::uint64_t bytes = data_bytes(array);
  if (bytes < reader.remaining()) {
    throw InputError(fmt::format("{}: has {} bytes after the array; save it again", array.file,
                                 reader.remaining() - bytes));
  }
  if (bytes > reader.remaining()) {
    throw InputError(
        fmt::format("{}: claims {} bytes of data and holds {}; it is cut short, save "
                    "it again",
                    array.file, bytes, reader.remaining()));
  }
  if (content == NpyContent::kAll) reader.read(array.data, bytes, "data");
  return array;
}

NpyShape matrix_shape(const NpyArray& array) {
  if (array.shape.size() != 2) {
    throw InputError(fmt::format("{}: has {} where a matrix has 2; reshape it", array.file,
                                 counted(array.shape.size(), "dimension")));
  }
  return check_elements(array, {array.shape[0], array.shape[1]});
}

NpyShape bias_shape(const NpyArray& array) {
  if (array.shape.size() == 1) return check_elements(array, {1, array.shape[0]});
  if (array.shape.size() == 2 && array.shape[0] == 1) return matrix_shape(array);
  throw InputError(fmt::format("{}: has shape ({}) where a bias is [N] or [1,N]; reshape it",
                               array.file, fmt::join(array.shape, ", ")));
}

void check_type(const NpyArray& array, ElementType type) {
  if (!accepts(type, array.type)) fail_type(array.file, to_string(array.type), type);
}

Matrix to_operand(const NpyArray& array, ElementType type) {
  check_type(array, type);
  const NpyShape shape = matrix_shape(array);
  switch (type) {
    case ElementType::kBf16:
      return convert_floats(array, shape, type, [](auto x) { return to_bf16(x); });
    case ElementType::kFp16:
      return convert_floats(array, shape, type, [](auto x) { return to_fp16(x); });
    default:
      break;
  }
  if (array.type == NpyType::kInt8) {
    return convert_all<std::int8_t>(array, shape, type, [](std::int8_t x) { return x; });
  }
  return convert_all<std::uint8_t>(array, shape, type, [](std::uint8_t x) {
    return static_cast<std::int8_t>(std::int32_t{x} - 128);
  });
}

Matrix to_bias(const NpyArray& array, ElementType type) {
  check_type(array, type);
  const NpyShape shape = bias_shape(array);
  if (type == ElementType::kFloat32) {
    return convert_floats(array, shape, type, [](auto x) { return static_cast<float>(x); });
  }
  if (array.type == NpyType::kInt32) {
    return convert_all<std::int32_t>(array, shape, type, [](std::int32_t x) { return x; });
  }
  return convert_all<std::int8_t>(array, shape, type,
                                  [](std::int8_t x) { return std::int32_t{x}; });
}

std::string encode_npy(const Matrix& matrix) {
  const std::string_view descr = matrix.type() == ElementType::kInt32 ? "<i4" : "<f4";
  std::string file = encode_npy_header({std::string(descr), false, {matrix.rows(), matrix.cols()}});
  const std::span<const std::byte> data = matrix.bytes();
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

}  // namespace weft::runtime
