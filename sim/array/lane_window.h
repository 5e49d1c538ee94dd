// Where the lanes of a narrow row lie. A plane is a block of UB rows that holds R columns of a
// matrix. A LaneWindow cuts the lanes of a row into pieces, one per plane:
//
//   R = 4, column 2, 7 lanes      plane 0   . . 0 1      piece: element 2, lane 0, 2 lanes
//                                 plane 1   2 3 4 5             element 0, lane 2, 4 lanes
//                                 plane 2   6 . . .             element 0, lane 6, 1 lane
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/isa/instruction.h"

namespace weft {

/// Lanes lane .. lane+count-1 are the elements element .. element+count-1 of one UB row, which lies
/// `row_offset` UB rows after the first UB row of the narrow row.
struct LanePiece {
  std::uint64_t row_offset = 0;
  std::uint32_t element = 0;
  std::uint32_t lane = 0;
  std::uint32_t count = 0;
  friend bool operator==(const LanePiece&, const LanePiece&) = default;
};

/// The piece that starts at lane `lane`, in a row of `lanes` lanes.
inline LanePiece piece_from(const LaneWindow& window, std::uint32_t lane, std::uint32_t lanes,
                            std::uint32_t row_elements) {
  const std::uint64_t place = std::uint64_t{window.column} + lane;
  const auto element = static_cast<std::uint32_t>(place % row_elements);
  return {place / row_elements * window.plane, element, lane,
          std::min(lanes - lane, row_elements - element)};
}

/// Calls function(LanePiece) for the pieces of the first `lanes` lanes, in order.
template <class Function>
void for_each_piece(const LaneWindow& window, std::uint32_t lanes, std::uint32_t row_elements,
                    Function&& function) {
  for (std::uint32_t lane = 0; lane < lanes;) {
    const LanePiece piece = piece_from(window, lane, lanes, row_elements);
    function(piece);
    lane += piece.count;
  }
}

}  // namespace weft
