// IDX, the file format of MNIST: a header with the extents, then bytes. Files may be
// gzip-compressed.
//
//   00 00 08 rank    extents, 4 bytes each, most significant first    elements, row-major
//         type: unsigned byte, the only one that image files have
//
// Source: Y. LeCun, C. Cortes, C. Burges: The MNIST database of handwritten digits. Files are
// untrusted: the sizes in the header are checked against the file's size before memory is
// allocated, and at most one byte beyond them is decompressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::data {

struct IdxArray {
  std::string file;  // for messages
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> values;
};

/// Reads an array of `rank` dimensions. Throws InputError `FILE: what; what to do` if the file
/// cannot be read, is not an IDX file of bytes with this rank, is truncated or damaged, or has data
/// after its elements.
IdxArray read_idx(const std::filesystem::path& path, int rank);

}  // namespace weft::data
