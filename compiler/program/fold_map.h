// Which weights of a convolution or product lie in which rows of the array, k tile by k tile. It
// shows what the compiler decided; no instruction follows from it.
//
//   2 channels, 2 x 2 taps, 4 rows
//
//             taps apart: 4 k tiles             packed patches: 2 k tiles
//     row 0   channel 0   of one tap each       channel 0, tap 0,0     channel 1, tap 0,0
//     row 1   channel 1                                    tap 0,1                tap 0,1
//     row 2   zeros                                        tap 1,0                tap 1,0
//     row 3   zeros                                        tap 1,1                tap 1,1
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/program/mapping.h"
#include "compiler/rows/image_lines.h"

namespace weft::compiler {

/// How the taps and channels of a window become rows of the array.
enum class FoldForm : std::uint8_t {
  kProduct,        // no taps: K along the rows
  kTapsApart,      // each tap begins a new k tile
  kPackedPatches,  // loads cut the windows out: channel by channel, the taps of each side by side
  kPackedLines,    // copies put the taps of a line side by side, each with all channels
};

/// Neighboring rows with weights: `taps` taps of each of `channels` channels, channel by channel.
/// Rows and filters are cut into `blocks` equal parts, one for each group. Part i of the rows has
/// weights in part i of the filters and zeros elsewhere. Joined lines are bands of a tile: the same
/// rows then have other weights in the columns of each line of the result.
struct WeightRows {
  std::int64_t row = 0;      // first row of the array
  std::int64_t channel = 0;  // of the convolution; of a product, a row of its K
  std::int64_t channels = 1;
  std::int64_t tap = 0;  // number in the window, x fastest
  std::int64_t taps = 1;
  std::int64_t filter = 0;  // of the line `line_out`
  std::int64_t filters = 1;
  std::int64_t column = 0;  // of the result, where the filters begin
  std::int64_t blocks = 1;
  std::int64_t line_in = 0;  // line of the joined line that the rows read
  std::int64_t line_out = 0;

  std::int64_t rows() const { return channels * taps; }
  friend bool operator==(const WeightRows&, const WeightRows&) = default;
};

/// The rows without weights are zeros.
struct KTile {
  std::int64_t number = 0;
  std::int64_t piece = 0;  // of weights that are split into several int8 numbers
  std::vector<WeightRows> rows;

  /// Rows of the array with any weight.
  std::int64_t rows_used() const {
    std::set<std::int64_t> used;
    for (const WeightRows& each : rows) {
      for (std::int64_t i = 0; i < each.rows(); ++i) used.insert(each.row + i);
    }
    return static_cast<std::int64_t>(used.size());
  }
};

/// Products of a batch whose K begins in the same row of the array.
struct ProductFolds {
  std::int64_t front = 0;  // that row
  std::uint64_t products = 1;
  std::int64_t count = 0;      // of its k tiles
  std::vector<KTile> k_tiles;  // all of them, or the first and the last
};

struct FoldMap {
  FoldForm form = FoldForm::kProduct;
  std::array<std::int64_t, 3> window = {1, 1, 1};  // taps along z, y and x
  std::array<std::int64_t, 3> walked = {1, 1, 1};  // the same over joined lines
  std::int64_t channels = 0;
  std::int64_t filters = 0;
  std::int64_t groups = 1;
  ImageLines in = {};       // joined in a row of the image
  ImageLines out = {};      // joined in a row of the result
  std::int64_t k_rows = 0;  // rows with weights in all k tiles of a product and a piece
  std::int64_t pieces = 1;
  bool computed = false;  // the network computes the weights
  Mapping mapping = {};   // of the first group of images
  std::string images;     // such as "groups of 4 images"; empty: the whole batch at once
  std::vector<ProductFolds> products;
  std::uint64_t left_out = 0;  // products that are not listed

  std::int64_t taps() const { return window[0] * window[1] * window[2]; }
  std::int64_t columns() const { return out.lanes(filters); }
  bool joined() const { return in.any() || out.any(); }
};

}  // namespace weft::compiler
