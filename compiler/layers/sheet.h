// A sheet (compiler/rows/view.h) of one program: how large it is, what lies in it, who reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/shapes/windows.h"
#include "compiler/program/network_program.h"
#include "compiler/rows/view.h"
#include "sim/memory/matrix.h"

namespace weft::compiler {

/// A sheet is moved in about this many transfers, so that work can begin on the first rows before
/// the last ones arrive. Transfers below the smallest size would cost more in latency than they
/// gain.
inline constexpr std::int64_t kSheetPieces = 16;
inline constexpr std::int64_t kLeastSheetPiece = 256;

/// Windows over dense images [images, channels, y.input, x.input]. A sheet of patches has a row for
/// each window: image by image, line by line. Its channels are the elements under the window:
/// channel by channel, in a channel tap line by tap line.
struct PatchWindows {
  std::int64_t images = 1;
  std::int64_t channels = 1;
  graph::WindowDim y;
  graph::WindowDim x;
  std::uint16_t pad = 0;  // bit pattern of a border element

  SheetSize size() const { return {images * y.output * x.output, channels * y.kernel * x.kernel}; }
};

struct Sheet {
  SheetSize size;
  bool wide = false;  // rows of 32-bit words; only for outputs of the network
  graph::ValueId value = graph::kNoValue;
  View view = {};          // how `value` lies in it
  bool from_host = false;  // an input of the program
  /// The sheet is patches that loads cut out of `value`, which lies densely on the host; `view`
  /// then says how `value` lies in the matrix [images * channels * lines, columns].
  std::optional<PatchWindows> patches = {};
  std::function<Matrix()> make = {};    // makes an input that the compiler generates
  std::vector<HostValue> results = {};  // values that the host reads from it
  std::size_t last_use = 0;             // index of a layer
};

/// True if the host writes or reads the sheet, so that all its parts lie in one tensor.
inline bool is_of_host(const Sheet& sheet) {
  return sheet.from_host || !sheet.results.empty();
}

}  // namespace weft::compiler
