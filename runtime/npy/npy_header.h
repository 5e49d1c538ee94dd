// The header of an .npy file: a strict parser for the subset of Python that NumPy writes, and a
// writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::runtime {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }` and trailing white space.
/// Accepts the three keys in any order, each once, and nothing else. Throws InputError that starts
/// with `file`.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

/// Returns everything before the data of a file of version 1.0. At most 3000 dimensions.
std::string encode_npy_header(const NpyHeader& header);

}  // namespace weft::runtime
