// Loads of patches against their definition, element by element.
#include "sim/isa/patches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/isa/program.h"
#include "sim/isa/row_access.h"
#include "sim/memory/patch_reader.h"
#include "tests/isa/random_patches.h"

namespace weft {
namespace {

using testing_support::needed_elements;
using testing_support::place_of;
using testing_support::random_patch_load;
using testing_support::source_of;

/// Host memory whose element i has the bits of value(i), for elements of 1 or 2 bytes.
class NumberedMemory : public HostMemory {
 public:
  explicit NumberedMemory(const MachineConfig& config)
      : bytes_(element_bytes(config.dtype)), row_bytes_(config.row_bytes()) {}

  static std::uint16_t value(std::uint64_t element) {
    return static_cast<std::uint16_t>(element * 40503U >> 3U);
  }
  void read_rows(std::uint64_t host_row, std::span<std::byte> out) const override {
    ASSERT_EQ(out.size() % row_bytes_, 0U);
    for (std::size_t i = 0; i < out.size() / bytes_; ++i) {
      const std::uint16_t bits = value(host_row * (row_bytes_ / bytes_) + i);
      std::memcpy(&out[i * bytes_], &bits, bytes_);
    }
    for (std::size_t i = 0; i < out.size() / row_bytes_; ++i) rows_.insert(host_row + i);
  }
  void read_tile(std::uint64_t, std::span<std::byte>) const override { FAIL(); }
  void write_rows(std::uint64_t, std::span<const std::byte>) override { FAIL(); }
  const std::set<std::uint64_t>& rows() const { return rows_; }

 private:
  std::size_t bytes_;
  std::size_t row_bytes_;
  mutable std::set<std::uint64_t> rows_;
};

class PatchesTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    config_.array_rows = number(1, 40);
    config_.dtype = number(0, 1) == 0 ? ElementType::kInt8 : ElementType::kBf16;
    load_ = random_patch_load(
        config_.array_rows, 30,
        [this](std::uint32_t low, std::uint32_t high) { return number(low, high); });
  }
  std::uint32_t number(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random_() % (high - low + 1));
  }

  std::mt19937_64 random_{GetParam()};
  MachineConfig config_;
  Load load_;
};

TEST_P(PatchesTest, CarriesEachNeededElementOnce) {
  const std::set<std::uint64_t> needed = needed_elements(load_);
  EXPECT_EQ(patch_elements(load_), std::max<std::size_t>(1, needed.size()));
  EXPECT_EQ(first_patch_element(load_), needed.empty() ? load_.patches->offset : *needed.begin());
  for (const std::uint64_t element : needed) EXPECT_LT(element, image_end(*load_.patches));
}

TEST_P(PatchesTest, ListsEachNeededLineOnce) {
  const Patches& patches = *load_.patches;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> lines;
  for (const std::uint64_t element : needed_elements(load_)) {
    const std::uint64_t line = (element - patches.offset) / patches.x.limit;
    const auto [place, is_new] = lines.try_emplace(line, element, element);
    place->second.second = element;
  }
  std::size_t count = 0;
  for_each_patch_line(load_, [&](std::uint64_t first, std::uint64_t last) {
    ++count;
    const auto found = lines.find((first - patches.offset) / patches.x.limit);
    ASSERT_NE(found, lines.end());
    EXPECT_EQ(found->second, std::pair(first, last));
  });
  EXPECT_EQ(count, lines.size());
}

TEST_P(PatchesTest, WritesThePatchesAndReadsOnlyListedRows) {
  const NumberedMemory memory(config_);
  const std::size_t bytes = element_bytes(config_.dtype);
  std::vector<std::byte> out(load_.rows * config_.row_bytes(), std::byte{0x5A});
  read_load(memory, load_, config_, out);
  for (std::uint32_t row = 0; row < load_.rows; ++row) {
    for (std::uint32_t lane = 0; lane < config_.array_rows; ++lane) {
      std::uint16_t expected = 0;
      if (lane < load_.patches->lanes) {
        const auto element = source_of(load_, place_of(load_, row, lane));
        const std::uint64_t base = load_.host * config_.array_rows;
        expected = element ? NumberedMemory::value(base + *element) : load_.patches->pad;
      }
      if (bytes == 1) expected &= 0xFFU;
      std::uint16_t actual = 0;
      std::memcpy(&actual, &out[row * config_.row_bytes() + lane * bytes], bytes);
      ASSERT_EQ(actual, expected) << "row " << row << ", lane " << lane;
    }
  }
  std::set<std::uint64_t> listed;
  for_each_access(load_, config_, [&](const RowAccess& access) {
    if (access.memory != RowMemory::kHost) return;
    for (std::uint64_t i = 0; i < access.touch.count; ++i) listed.insert(access.touch.row + i);
  });
  EXPECT_EQ(memory.rows(), listed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PatchesTest, ::testing::Range<std::uint64_t>(0, 400));

/// The program of one load on a 4 x 4 int8 machine with an image of 3 x 5 elements at host row 2.
std::string refusal(const Load& load) {
  Program program{4, 4, ElementType::kInt8, {}, {}, {{load, {}}}};
  program.tensors.push_back({"x", TensorRole::kImage, ElementType::kInt8, 3, 5, 2});
  try {
    validate(program, MachineConfig{});
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(PatchCheckTest, NamesWhatIsWrong) {
  Load good{.host = 2, .rows = 2};
  good.patches = Patches{.lanes = 4, .x = {0, 1, 5, 2, 1}, .y = {0, 1, 3, 2, 1}, .width = 2};
  EXPECT_EQ(refusal(good), "");
  const auto expect = [&](const std::string& words, auto change) {
    Load bad = good;
    change(bad, *bad.patches);
    EXPECT_NE(refusal(bad).find(words), std::string::npos) << refusal(bad);
  };
  expect("patch has 5 lanes", [](Load&, Patches& p) { p.lanes = 5; });
  expect("patch has 0 lanes", [](Load&, Patches& p) { p.lanes = 0; });
  expect("patch.x: step, limit and dilation", [](Load&, Patches& p) { p.x.step = 0; });
  expect("patch.y: step, limit and dilation", [](Load&, Patches& p) { p.y.dilation = 0; });
  expect("patch.y has 4097 taps", [](Load&, Patches& p) { p.y.taps = 4097; });
  expect("patch.x has 0 taps", [](Load&, Patches& p) { p.x.taps = 0; });
  expect("rows = 3 is not a multiple of patch.width = 2", [](Load& l, Patches&) { l.rows = 3; });
  expect("patch.width = 0", [](Load&, Patches& p) { p.width = 0; });
  expect("patch.pad must be", [](Load&, Patches& p) { p.pad = 0x100; });
  expect("no image tensor", [](Load&, Patches& p) { p.first = 4; });  // a second channel
  expect("no image tensor", [](Load&, Patches& p) { p.offset = 2; });
  expect("no image tensor", [](Load& l, Patches&) { l.host = 1; });
  expect("reaches beyond host memory", [](Load&, Patches& p) { p.offset = UINT64_MAX; });
  expect("reaches beyond host memory", [](Load& l, Patches&) { l.host = UINT64_MAX; });
}

TEST(PatchElementsTest, OfTheExampleInTheDocumentation) {
  // docs/isa.md, "Patches": 3 x 3 taps over 3 lines of 4 columns, two windows.
  Load load{.rows = 2};
  load.patches = Patches{.lanes = 9, .x = {0, 1, 4, 3, 1}, .y = {0, 1, 3, 3, 1}, .width = 2};
  EXPECT_EQ(patch_elements(load), 12U);
  load.patches->x.step = 9;  // the second window lies outside: columns 0..2 are left
  EXPECT_EQ(patch_elements(load), 9U);
  load.patches->x.origin = -100;
  EXPECT_EQ(patch_elements(load), 1U) << "all taps in the border";
}

}  // namespace
}  // namespace weft
