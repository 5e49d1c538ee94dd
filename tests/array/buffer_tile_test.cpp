// Checks tiles read from the unified buffer against the definition, element by element.
#include "sim/array/buffer_tile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "sim/isa/row_access.h"
#include "tests/machine/random_vector.h"

namespace weft {
namespace {

using testing::Random;

/// Row i and lane j become tile element [at + i][j], or [at + j][i] if transposed; the rest is 0.
template <class Element>
std::vector<Element> expected_tile(const BufferTile& tile, const MachineConfig& config,
                                   const std::vector<Element>& buffer) {
  std::vector<Element> out(std::size_t{config.array_rows} * config.array_cols);
  for (std::size_t i = 0; i < tile.rows; ++i) {
    for (std::size_t j = 0; j < tile.lanes; ++j) {
      const std::size_t place = tile.window.column + j;
      const std::size_t row = tile.row + i + place / config.array_rows * tile.window.plane;
      const std::size_t r = tile.at + (tile.transpose ? j : i);
      const std::size_t c = tile.transpose ? i : j;
      out.at(r * config.array_cols + c) =
          buffer.at(row * config.array_rows + place % config.array_rows);
    }
  }
  return out;
}

template <class Element>
void check_tile(const MachineConfig& config, const BufferTile& tile, Random& random) {
  std::vector<Element> elements(config.unified_buffer_rows() * config.array_rows);
  for (Element& element : elements) element = static_cast<Element>(random.bits());
  UnifiedBuffer buffer(config);
  std::memcpy(buffer.rows_from(0, buffer.rows()).data(), elements.data(),
              elements.size() * sizeof(Element));
  std::vector<Element> out(std::size_t{config.array_rows} * config.array_cols);
  for (std::uint32_t index = 0; index < buffer_tile_reads(tile, config); ++index) {
    read_tile_row(tile, index, config, buffer, std::as_writable_bytes(std::span(out)));
  }
  ASSERT_EQ(out, expected_tile(tile, config, elements));
}

TEST(BufferTileTest, HoldsTheLanesOfTheBufferRowsPlainOrTransposed) {
  int transposed = 0;
  int planes = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const auto dtype = random.chance(50) ? ElementType::kInt8 : ElementType::kFp16;
    const MachineConfig config = testing::small_vector_machine(dtype, random);
    const BufferTile tile = testing::RandomVectors(config, random).tile();
    transposed += tile.transpose ? 1 : 0;
    planes += plane_count(tile.window, tile.lanes, config) > 1 ? 1 : 0;
    if (dtype == ElementType::kInt8) {
      ASSERT_NO_FATAL_FAILURE(check_tile<std::uint8_t>(config, tile, random));
    } else {
      ASSERT_NO_FATAL_FAILURE(check_tile<std::uint16_t>(config, tile, random));
    }
  }
  EXPECT_GT(transposed, 500);
  EXPECT_GT(planes, 500);
}

}  // namespace
}  // namespace weft
