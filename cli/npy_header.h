// The dict in the header of an .npy file: a strict parser for the little Python that NumPy writes,
// and a writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }` and trailing white space;
/// the three keys in any order, each once, and nothing else. Throws InputError with `file` in
/// front.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

/// All of a file of version 1.0 that stands before the data. At most 3000 dimensions.
std::string encode_npy_header(const NpyHeader& header);

}  // namespace weft::cli
