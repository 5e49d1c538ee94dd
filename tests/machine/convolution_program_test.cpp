// Tests the row generator in the machine. A 3x3 convolution runs as nine shifted matmuls over an
// image in the unified buffer, with stride and a padded border. Both engines that compute values
// are compared with the definition of a convolution.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "sim/isa/row_generator.h"
#include "sim/simulate.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;

struct Image {
  std::int32_t height, width, stride, pad;
  std::int8_t border;
  std::int32_t out_height() const { return (height + 2 * pad - 3) / stride + 1; }
  std::int32_t out_width() const { return (width + 2 * pad - 3) / stride + 1; }
};

// A pixel is one UB row of R channels. Tap (dy, dx) is one tile of R x C weights.
class ConvolutionMemory : public HostMemory {
 public:
  ConvolutionMemory(const MachineConfig& config, const Image& image, Random& random)
      : row_bytes_(config.row_bytes()), tile_bytes_(config.tile_bytes()) {
    pixels.resize(static_cast<std::size_t>(image.height * image.width) * row_bytes_);
    weights.resize(9 * tile_bytes_);
    for (auto& value : pixels) value = static_cast<std::int8_t>(random.bits());
    for (auto& value : weights) value = static_cast<std::int8_t>(random.bits());
  }
  void read_rows(std::uint64_t row, std::span<std::byte> out) const override {
    std::memcpy(out.data(), pixels.data() + row * row_bytes_, out.size());
  }
  void read_tile(std::uint64_t tile, std::span<std::byte> out) const override {
    std::memcpy(out.data(), weights.data() + tile * tile_bytes_, out.size());
  }
  void write_rows(std::uint64_t, std::span<const std::byte> in) override {
    written.assign(in.begin(), in.end());
  }

  std::vector<std::int8_t> pixels;
  std::vector<std::int8_t> weights;
  std::vector<std::byte> written;

 private:
  std::size_t row_bytes_;
  std::size_t tile_bytes_;
};

Matmul tap(const Image& image, std::int32_t dy, std::int32_t dx) {
  Matmul matmul;
  const auto rows = static_cast<std::uint32_t>(image.out_height());
  const auto cols = static_cast<std::uint32_t>(image.out_width());
  const std::int32_t y = dy - image.pad;
  const std::int32_t x = dx - image.pad;
  matmul.rows = rows * cols;
  matmul.ub.base = static_cast<std::uint32_t>(y * image.width + x);  // wraps above the image
  matmul.ub.loops[0] = {cols, image.stride};
  matmul.ub.loops[1] = {rows, image.stride * image.width};
  matmul.ub.bounds[0] = {x, image.stride, static_cast<std::uint32_t>(image.width)};
  matmul.ub.bounds[1] = {y, image.stride, static_cast<std::uint32_t>(image.height)};
  matmul.ub.pad = static_cast<std::uint8_t>(image.border);
  matmul.accumulate = dy + dx > 0;
  return matmul;
}

// The image begins at UB row `first`, so that a base above the image is still a valid row number.
Program convolution(const MachineConfig& config, const Image& image, std::uint32_t first) {
  Program program;
  program.array_rows = config.array_rows;
  program.array_cols = config.array_cols;
  program.dtype = config.dtype;
  const auto pixels = static_cast<std::uint32_t>(image.height * image.width);
  const auto results = static_cast<std::uint32_t>(image.out_height() * image.out_width());
  program.code.push_back({Load{0, first, pixels}, {}});
  for (std::int32_t t = 0; t < 9; ++t) {
    Instruction fetch{Fetch{static_cast<std::uint64_t>(t)}, {}};
    fetch.after[Unit::kMatmul] = static_cast<std::uint32_t>(
        std::max(0, t + 1 - static_cast<std::int32_t>(config.weight_fifo_tiles)));
    Matmul matmul = tap(image, t / 3, t % 3);
    matmul.ub.base += first;
    program.code.push_back(fetch);
    program.code.push_back({matmul, {}});
    program.code.back().after[Unit::kLoad] = 1;
  }
  Vector vector;
  vector.rows = results;
  vector.ub = first + pixels;
  program.code.push_back({vector, {}});
  program.code.back().after[Unit::kMatmul] = 9;
  program.code.push_back({Store{vector.ub, 0, results * config.result_row_rows()}, {}});
  program.code.back().after[Unit::kVector] = 1;
  return program;
}

std::int32_t oracle(const ConvolutionMemory& memory, const MachineConfig& config,
                    const Image& image, std::int32_t oy, std::int32_t ox, std::uint32_t column) {
  std::int32_t sum = 0;
  for (std::int32_t t = 0; t < 9; ++t) {
    const std::int32_t y = oy * image.stride + t / 3 - image.pad;
    const std::int32_t x = ox * image.stride + t % 3 - image.pad;
    const bool inside = y >= 0 && y < image.height && x >= 0 && x < image.width;
    for (std::uint32_t r = 0; r < config.array_rows; ++r) {
      const auto pixel = static_cast<std::size_t>(inside ? y * image.width + x : 0);
      const std::int32_t act = inside ? memory.pixels[pixel * config.array_rows + r] : image.border;
      const std::size_t tile = static_cast<std::size_t>(t) * config.tile_bytes();
      sum += act * memory.weights[tile + std::size_t{r} * config.array_cols + column];
    }
  }
  return sum;
}

void check(const MachineConfig& config, const Image& image, Engine engine, Random& random) {
  ConvolutionMemory memory(config, image, random);
  simulate(config, convolution(config, image, 32), &memory, {engine, 1, {}});
  const std::size_t result_bytes = std::size_t{config.result_row_rows()} * config.row_bytes();
  for (std::int32_t oy = 0; oy < image.out_height(); ++oy) {
    for (std::int32_t ox = 0; ox < image.out_width(); ++ox) {
      for (std::uint32_t column = 0; column < config.array_cols; ++column) {
        const auto index = static_cast<std::size_t>(oy * image.out_width() + ox);
        std::int32_t got = 0;
        std::memcpy(&got, memory.written.data() + index * result_bytes + column * 4, 4);
        ASSERT_EQ(got, oracle(memory, config, image, oy, ox, column))
            << "pixel " << oy << ',' << ox << " column " << column;
      }
    }
  }
}

TEST(ConvolutionProgramTest, NineShiftedMatmulsAreAConvolution) {
  int strided = 0;
  int padded = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    MachineConfig config;
    config.array_rows = random.between(1, 5);
    config.array_cols = random.between(1, 5);
    config.accumulator_rows = 256;
    config.unified_buffer_kib = 64;
    Image image{};
    image.height = static_cast<std::int32_t>(random.between(3, 8));
    image.width = static_cast<std::int32_t>(random.between(3, 8));
    image.stride = static_cast<std::int32_t>(random.between(1, 2));
    image.pad = static_cast<std::int32_t>(random.between(0, 1));
    image.border = static_cast<std::int8_t>(random.bits());
    strided += image.stride > 1 ? 1 : 0;
    padded += image.pad;
    ASSERT_NO_FATAL_FAILURE(check(config, image, Engine::kFast, random));
    ASSERT_NO_FATAL_FAILURE(check(config, image, Engine::kStepped, random));
  }
  EXPECT_GT(strided, 10);
  EXPECT_GT(padded, 10);
}

}  // namespace
}  // namespace weft
