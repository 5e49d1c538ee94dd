// Topologies of SCALE-Sim: one layer a row, as comma-separated values.
//
//   name, ifmap height, ifmap width, filter height, filter width, channels, filters, stride   conv
//   name, M, N, K                                                                             gemm
//
// The first line is a header, and rows may end with a comma. A convolution has no padding: there
// are ceil((H - Fh + S) / S) positions along the height, and the last window may hang over. If a
// name contains DP, the layer is depthwise: each of its channels is a layer of one channel.
// Source: github.com/scalesim-project.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::imports {

enum class TopologyKind : std::uint8_t { kConvolution, kGemm };

struct ScaleSimLayer {
  std::string name;
  std::size_t line = 0;  // of the file, from 0
  std::uint64_t ifmap_height = 1;
  std::uint64_t ifmap_width = 1;
  std::uint64_t filter_height = 1;
  std::uint64_t filter_width = 1;
  std::uint64_t channels = 1;
  std::uint64_t filters = 1;
  std::uint64_t stride_height = 1;
  std::uint64_t stride_width = 1;
  /// Layers of one channel that SCALE-Sim makes of a depthwise one; 1 for any other.
  std::uint64_t copies = 1;
  bool depthwise = false;

  std::uint64_t ofmap_height() const;
  std::uint64_t ofmap_width() const;
  /// The product [M,K] x [K,N] of the layer: M output positions, K elements of a window, N filters.
  std::uint64_t m() const { return ofmap_height() * ofmap_width(); }
  std::uint64_t k() const { return filter_height * filter_width * channels; }
  std::uint64_t n() const { return filters; }
  /// Words of the input that at least one window reads.
  std::uint64_t ifmap_words() const;
};

struct ScaleSimTopology {
  std::string file;
  TopologyKind kind = TopologyKind::kConvolution;
  std::vector<ScaleSimLayer> layers;
  bool header_is_layer = false;      // the first line looks like a layer and is taken as the header
  bool header_is_conv = false;       // the header of products names columns of convolutions
  std::vector<std::string> ignored;  // what else has no effect here, for people
};

/// Reads the file. Rows of a GEMM become what they are to SCALE-Sim: an input of M x K and N
/// filters of 1 x K. Throws InputError with file, line and column for rows with too few columns,
/// for values that are no numbers, zero or too large, filters larger than the input, and a file
/// without layers.
ScaleSimTopology read_scalesim_topology(const std::string& file, TopologyKind kind);

}  // namespace weft::imports
