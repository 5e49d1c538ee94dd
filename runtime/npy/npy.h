// NumPy's .npy files, format versions 1.0 to 3.0. Each file holds one array, here used as a matrix
// of a product. For a network's tensors of any rank see npy_tensor.h.
//
//   \x93NUMPY  major minor  header length   header: a Python dict, spaces, \n      data
//   6 bytes    2 bytes      2 (v1) or 4     {'descr': '<f4', 'fortran_order': False,
//                           little-endian    'shape': (3, 5), }
//
// Source: numpy.lib.format. Files are untrusted: every length is checked against the size of the
// file before memory is allocated. Every message has the form `FILE: what; what to do`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/element_type.h"
#include "sim/memory/matrix.h"

namespace weft::runtime {

enum class NpyType : std::uint8_t {
  kBool,
  kInt8,
  kUint8,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64
};

/// "|b1", "|i1", "|u1", "<i4", "<i8", "<f2", "<f4" or "<f8".
std::string_view to_string(NpyType type);
std::uint64_t size_of(NpyType type);

struct NpyArray {
  std::string file;  // for messages
  NpyType type = NpyType::kInt8;
  bool fortran_order = false;  // the first index moves fastest in `data`
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> data;
};

/// Whether to read the values, or only type and shape.
enum class NpyContent : std::uint8_t { kHeader, kAll };

/// Reads an array of any rank. Throws InputError unless the file is complete and supported and
/// check_type() accepts its type for `wanted`.
NpyArray read_npy(const std::filesystem::path& path, NpyContent content = NpyContent::kAll,
                  std::optional<ElementType> wanted = std::nullopt);

/// Rows and columns of an array. The functions throw InputError unless the array is 2-D and not
/// empty; a bias may be 1-D, which is one row.
struct NpyShape {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
};
NpyShape matrix_shape(const NpyArray& array);
NpyShape bias_shape(const NpyArray& array);

/// Throws InputError unless the array can be converted to `type`: an operand's int8, bf16 or fp16,
/// or a bias's int32 or float32.
void check_type(const NpyArray& array, ElementType type);

/// Converts the array to an operand of `type`. Each float is rounded once, to nearest even. A uint8
/// x becomes the int8 x - 128. Throws InputError if integers would become floats or floats
/// integers.
Matrix to_operand(const NpyArray& array, ElementType type);

/// Converts the array to a bias [1,N] of `type`, int32 or float32. Throws as to_operand() does.
Matrix to_bias(const NpyArray& array, ElementType type);

/// Encodes an int32 or float32 matrix as a file of version 1.0.
std::string encode_npy(const Matrix& matrix);

}  // namespace weft::runtime
