// The figures of lesson 14: the energy of a product by hand.
#include <cmath>

#include "tests/examples/figure_text.h"

namespace weft::test {

using Number = std::uint64_t;

constexpr Number kSide = 4;  // of the tiny machine's array

/// Two rows through one tile of the tiny machine; energies of Horowitz, ISSCC 2014.
std::vector<Figure> picojoules() {
  const Number rows = 2;
  const Number pes = kSide * kSide;
  const Number skew = 0 + 1 + 2 + 3;
  const Number macs = rows * pes;
  const Number moves = rows * (pes + skew);
  const Number weight_moves = kSide * skew + kSide * 2 * pes + pes;
  const double mac = 0.2 + 0.1;
  const std::string all_macs = decimals(static_cast<double>(macs) * mac, 1);
  const Number result_rows = 4 * kSide / kSide;  // buffer rows of a row of results
  const Number buffer = rows + rows * result_rows;
  const auto bytes = [&](Number m) { return pes + m * kSide + m * kSide * 4; };
  const double dram_byte = (1300.0 + 2600) / 2 / 8;
  const double dram = static_cast<double>(bytes(rows)) * dram_byte;
  return {{"a MAC", decimals(mac, 1)},
          count("MACs", macs, "useful MACs           {}  "),
          {"their energy", all_macs},
          count("activation moves", moves, "activation moves      {}  "),
          count("sum moves", moves, "sum moves             {}  "),
          count("weight moves", weight_moves, "weight moves         {}  "),
          count("buffer reads", buffer, "rows read             {}  "),
          count("buffer writes", buffer, "rows written          {}  "),
          count("bytes", bytes(rows), "bytes                 {}  "),
          count("DRAM", static_cast<Number>(std::lround(dram))),
          {"energy of the MACs", all_macs},
          count("MACs for a byte", static_cast<Number>(dram_byte / mac)),
          count("in 7 nm", static_cast<Number>(std::lround(1300.0 / 8 / (0.07 + 0.03)))),
          count("bytes of three rows", bytes(rows + 1), "bytes                 {}  ")};
}

}  // namespace weft::test
