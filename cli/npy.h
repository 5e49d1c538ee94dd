// NumPy's .npy files, format versions 1.0 to 3.0: the one array that each holds, and that array as
// a matrix of a product. Networks have tensors of any rank: npy_tensor.h.
//
//   \x93NUMPY  major minor  header length   header: a Python dict, spaces, \n      data
//   6 bytes    2 bytes      2 (v1) or 4     {'descr': '<f4', 'fortran_order': False,
//                           little-endian    'shape': (3, 5), }
//
// Source: numpy.lib.format. Files are untrusted: every length is checked against the size of the
// file before memory is taken. Every message is `FILE: what; what to do`.
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

namespace weft::cli {

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

/// Whether the values are wanted, or only type and shape.
enum class NpyContent : std::uint8_t { kHeader, kAll };

/// Reads an array of any rank. Throws InputError for whatever is not a complete, supported file,
/// or not of a type that check_type() takes as `wanted`.
NpyArray read_npy(const std::filesystem::path& path, NpyContent content = NpyContent::kAll,
                  std::optional<ElementType> wanted = std::nullopt);

/// Rows and columns of an array. Throws InputError unless it is 2-D (a bias may be 1-D, which is
/// one row) and has elements.
struct NpyShape {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
};
NpyShape matrix_shape(const NpyArray& array);
NpyShape bias_shape(const NpyArray& array);

/// Throws InputError unless the array can become `type`: an operand if int8, bf16 or fp16, a bias
/// if int32 or float32.
void check_type(const NpyArray& array, ElementType type);

/// The array as operand of an array of `type`, each float rounded once, to nearest even. uint8
/// enters an int8 array as x - 128. Throws InputError if integers meet floats.
Matrix to_operand(const NpyArray& array, ElementType type);

/// The array as bias [1,N] of `type`, int32 or float32. Throws like to_operand.
Matrix to_bias(const NpyArray& array, ElementType type);

/// A file of version 1.0 with an int32 or float32 matrix.
std::string encode_npy(const Matrix& matrix);

}  // namespace weft::cli
