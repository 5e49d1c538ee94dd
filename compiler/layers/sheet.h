// A sheet (compiler/rows/view.h) of one program: how large it is, what lies in it, who reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "compiler/rows/view.h"
#include "sim/memory/matrix.h"

namespace weft::compiler {

/// A sheet is moved in about this many transfers, so that work can begin on the first rows before
/// the last ones arrive. Transfers below the smallest size would cost more in latency than they
/// gain.
inline constexpr std::int64_t kSheetPieces = 16;
inline constexpr std::int64_t kLeastSheetPiece = 256;

struct Sheet {
  SheetSize size;
  bool wide = false;  // rows of 32-bit words; only for outputs of the network
  graph::ValueId value = graph::kNoValue;
  View view = {};                       // how `value` lies in it
  bool from_host = false;               // an input of the program
  std::function<Matrix()> make = {};    // makes an input that the compiler generates
  std::vector<HostValue> results = {};  // values that the host reads from it
  std::size_t last_use = 0;             // index of a layer
};

}  // namespace weft::compiler
