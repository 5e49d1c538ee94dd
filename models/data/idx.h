// IDX, the format of MNIST's files: bytes with their extents in front, plain or compressed by gzip.
//
//   00 00 08 rank    extents, 4 bytes each, most significant first    elements, row-major
//         type: unsigned byte, the only one that image files have
//
// Source: Y. LeCun, C. Cortes, C. Burges: The MNIST database of handwritten digits. Files are
// untrusted: what a header claims is held against the file's size before memory is taken, and no
// byte beyond it is unpacked.
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

/// An array of `rank` dimensions. Throws InputError `FILE: what; what to do` for a file that cannot
/// be read, is no IDX file of bytes or of another rank, is cut short or damaged, or goes on after
/// its elements.
IdxArray read_idx(const std::filesystem::path& path, int rank);

}  // namespace weft::data
