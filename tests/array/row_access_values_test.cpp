// The list of row accesses against the values, which are computed without it. A row that an
// instruction is not said to read must not change its result, and a row or an element that it is
// not said to write must keep its value.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "sim/array/functional_core.h"
#include "sim/isa/row_access.h"
#include "tests/machine/random_vector.h"

namespace weft {
namespace {

using testing::Random;
using Bytes = std::vector<std::byte>;

/// Host memory with images of the unified buffer, one after the other, and a tile.
class Images : public HostMemory {
 public:
  Images(const MachineConfig& config, Random& random)
      : row_bytes_(config.row_bytes()), tile_(config.tile_bytes()) {
    bytes_.resize(5 * config.unified_buffer_rows() * row_bytes_);
    for (std::byte& byte : bytes_) byte = value(config, random);
    for (std::byte& byte : tile_) byte = value(config, random);
  }

  void read_rows(std::uint64_t host_row, std::span<std::byte> out) const override {
    std::copy_n(bytes_.begin() + at(host_row), out.size(), out.begin());
  }
  void read_tile(std::uint64_t, std::span<std::byte> out) const override {
    std::ranges::copy(tile_, out.begin());
  }
  void write_rows(std::uint64_t host_row, std::span<const std::byte> in) override {
    std::ranges::copy(in, bytes_.begin() + at(host_row));
  }

  Bytes rows(std::uint64_t first, std::uint64_t count) const {
    return {bytes_.begin() + at(first), bytes_.begin() + at(first + count)};
  }
  void flip_row(std::uint64_t row) {
    for (std::uint64_t i = 0; i < row_bytes_; ++i) {
      bytes_[row * row_bytes_ + i] ^= std::byte{0x11};
    }
  }

 private:
  /// No NaN and no infinity of bf16 or fp16, which would hide a difference.
  static std::byte value(const MachineConfig& config, Random& random) {
    const auto byte = static_cast<std::byte>(random.between(0, 255));
    return element_bytes(config.dtype) == 1 ? byte : byte & std::byte{0xAF};
  }
  std::ptrdiff_t at(std::uint64_t row) const {
    return static_cast<std::ptrdiff_t>(row * row_bytes_);
  }

  std::uint64_t row_bytes_;
  Bytes bytes_;
  Bytes tile_;
};

/// What an operation leaves behind: the unified buffer, and the accumulators as rows of words.
struct Left {
  Bytes buffer;
  Bytes accumulators;
  friend bool operator==(const Left&, const Left&) = default;
};

class Bench {
 public:
  Bench(const MachineConfig& config, const Operation& operation) : config_(config) {
    const auto rows = static_cast<std::uint32_t>(config.unified_buffer_rows());
    const std::uint32_t sums = config.accumulator_rows;
    Matmul all{.ub = contiguous_rows(0, sums), .rows = sums};
    const bool fetches = std::holds_alternative<Fetch>(operation);
    add(Load{rows, 0, rows});  // the same rows in every run
    add(Fetch{});
    add(all);
    add(Load{0, 0, rows});
    if (std::holds_alternative<Matmul>(operation)) add(Fetch{});
    add(operation);
    add(Store{0, std::uint64_t{2} * rows, rows});
    add(Load{rows, 0, rows});
    if (fetches) add(all);
    add(Vector{.acc = 0, .ub = 0, .rows = sums});
    add(Store{0, std::uint64_t{3} * rows, sums * config.result_row_rows()});
  }

  Left run(Images images) const {
    execute_values(config_, program_, images, {});
    const std::uint64_t rows = config_.unified_buffer_rows();
    return {
        images.rows(2 * rows, rows),
        images.rows(3 * rows, std::uint64_t{config_.accumulator_rows} * config_.result_row_rows())};
  }

 private:
  void add(const Operation& operation) { program_.code.push_back({operation, {}}); }

  const MachineConfig& config_;
  Program program_;
};

/// The listed accesses to UB rows.
struct Listed {
  std::set<std::uint64_t> read;
  std::set<std::pair<std::uint64_t, std::uint32_t>> written;  // row, element
};

/// A wide row counts as a whole, but the words that are written may end before it does.
void erase_tails(const Vector& vector, const MachineConfig& config, Listed& list) {
  if (vector.format != RowFormat::kWide) return;
  const std::uint64_t row_rows = config.result_row_rows();
  std::erase_if(list.written, [&](const auto& written) {
    const std::uint64_t first_byte = (written.first - vector.ub) % row_rows * config.row_bytes() +
                                     written.second * element_bytes(config.dtype);
    return first_byte >= std::uint64_t{written_lanes(vector, config)} * 4;
  });
}

Listed listed(const Operation& operation, const MachineConfig& config) {
  Listed list;
  for_each_access(operation, config, [&](const RowAccess& access) {
    if (access.memory != RowMemory::kBuffer) return;
    for (std::uint64_t j = 0; j < access.touch.count; ++j) {
      const std::uint64_t row = access.touch.row + j * access.touch.step;
      if (!access.writes()) list.read.insert(row);
      for (std::uint32_t e = access.lanes.begin; e < access.lanes.end; ++e) {
        list.written.emplace(row, e);
      }
    }
  });
  if (const auto* vector = std::get_if<Vector>(&operation)) erase_tails(*vector, config, list);
  return list;
}

Operation random_operation(const MachineConfig& config, testing::RandomVectors& vectors,
                           Random& random) {
  const std::uint32_t kind = random.between(0, 3);
  if (kind == 0) return Fetch{0, vectors.tile()};
  if (kind > 1) return vectors.vector();
  Matmul matmul{.rows = random.between(1, config.accumulator_rows)};
  matmul.acc = random.between(0, config.accumulator_rows - matmul.rows);
  matmul.ub.base = random.between(40, 60);
  matmul.ub.loops[0] = {3, static_cast<std::int32_t>(random.between(0, 6)) - 3};
  matmul.ub.loops[1] = {4, static_cast<std::int32_t>(random.between(0, 10)) - 5};
  if (random.chance(50)) matmul.ub.bounds[0] = {-1, 1, 2};
  matmul.accumulate = random.chance(50);
  return matmul;
}

class RowAccessValuesTest : public ::testing::Test {
 protected:
  /// The elements of row `row` that the operation is not said to write take the values of `from`.
  static void keep_unwritten(const MachineConfig& config, const Listed& list, std::uint64_t row,
                             const Bytes& from, Bytes& to) {
    const std::size_t size = element_bytes(config.dtype);
    for (std::uint32_t e = 0; e < config.array_rows; ++e) {
      if (list.written.contains({row, e})) continue;
      const auto at = static_cast<std::ptrdiff_t>(row * config.row_bytes() + e * size);
      std::copy_n(from.begin() + at, size, to.begin() + at);
    }
  }
};

TEST_F(RowAccessValuesTest, NoOtherRowIsReadOrWritten) {
  int written = 0;
  int unread = 0;
  int read = 0;
  int without_effect = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    constexpr ElementType kTypes[] = {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16};
    const MachineConfig config = testing::small_vector_machine(kTypes[seed % 3], random);
    testing::RandomVectors vectors(config, random);
    const Operation operation = random_operation(config, vectors, random);
    const Listed list = listed(operation, config);
    const Images images(config, random);
    const Bench bench(config, operation);
    const Left left = bench.run(images);

    const auto rows = static_cast<std::uint32_t>(config.unified_buffer_rows());
    const Bytes before = images.rows(0, rows);
    Bytes kept = left.buffer;
    for (std::uint64_t row = 0; row < rows; ++row) keep_unwritten(config, list, row, before, kept);
    ASSERT_EQ(left.buffer, kept) << "an element is written that is not on the list";
    written += left.buffer == before ? 0 : 1;

    for (int i = 0; i < 12; ++i) {
      const std::uint64_t row = random.between(0, rows - 1);
      Images changed = images;
      changed.flip_row(row);
      Left expected = left;
      keep_unwritten(config, list, row, changed.rows(0, rows), expected.buffer);
      const bool same = bench.run(changed) == expected;
      if (list.read.contains(row)) {
        ++read;
        without_effect += same ? 1 : 0;
      } else {
        ++unread;
        ASSERT_TRUE(same) << "row " << row << " is read and is not on the list";
      }
    }
  }
  EXPECT_GT(written, 150);
  EXPECT_GT(unread, 1000);
  EXPECT_GT(read, 100);
  // Some effects are lost in rounding, clamping, or the maximum.
  EXPECT_LT(2 * without_effect, read) << "the list has rows that nobody reads";
}

}  // namespace
}  // namespace weft
