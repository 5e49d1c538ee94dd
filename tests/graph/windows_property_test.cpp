// Windows must lie where a naive enumeration puts them, for any kernel, stride, dilation, padding.
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "compiler/graph/shapes/windows.h"

namespace weft::graph {
namespace {

struct Case {
  std::int64_t input;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
  std::int64_t pad_begin;
  std::int64_t pad_end;

  std::int64_t last_tap() const { return (kernel - 1) * dilation; }
};

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : random_(seed) {}
  Case next() { return {upto(12), 1 + upto(4), 1 + upto(4), 1 + upto(2), upto(3), upto(3)}; }

 private:
  std::int64_t upto(std::int64_t most) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most + 1));
  }
  std::mt19937_64 random_;
};

WindowDim resolve(const Case& c, Attributes attributes, bool with_pads = true) {
  attributes.set("strides", Shape{c.stride});
  attributes.set("dilations", Shape{c.dilation});
  if (with_pads) attributes.set("pads", Shape{c.pad_begin, c.pad_end});
  return resolve_windows(attributes, {1, 1, c.input}, {c.kernel}).front();
}

// Counts, one by one, the windows that lie wholly in the padded input.
std::int64_t count_whole(const Case& c) {
  std::int64_t count = 0;
  for (std::int64_t start = -c.pad_begin; start + c.last_tap() < c.input + c.pad_end;
       start += c.stride) {
    ++count;
  }
  return count;
}

// In ceil_mode there is one more window if the last one does not reach the end of the padded input,
// unless it would start after the input.
std::int64_t count_ceil(const Case& c) {
  const std::int64_t whole = count_whole(c);
  const std::int64_t last_start = (whole - 1) * c.stride - c.pad_begin;
  const bool reaches_end = last_start + c.last_tap() == c.input + c.pad_end - 1;
  return !reaches_end && last_start + c.stride < c.input ? whole + 1 : whole;
}

TEST(WindowsPropertyTest, FloorModeHoldsTheWindowsThatFitIntoThePaddedInput) {
  constexpr std::uint64_t kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomCases cases(kSeed);
  int refused = 0;
  int many = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Case c = cases.next();
    const std::int64_t expected = count_whole(c);
    if (expected == 0) {
      EXPECT_THROW(resolve(c, {}), InputError);
      ++refused;
      continue;
    }
    many += expected > 3 ? 1 : 0;
    const WindowDim expected_dim{c.input,    expected,    c.kernel, c.stride,
                                 c.dilation, c.pad_begin, c.pad_end};
    ASSERT_EQ(resolve(c, {}), expected_dim) << c.input << " " << c.kernel << " " << c.stride;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(many, 1000);
}

TEST(WindowsPropertyTest, CeilModeAddsAWindowOnlyIfItStartsBeforeTheEndOfTheInput) {
  constexpr std::uint64_t kSeed = 2;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomCases cases(kSeed);
  int more = 0;
  int dropped = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Case c = cases.next();
    if (count_whole(c) == 0) continue;
    const std::int64_t output = resolve(c, {{"ceil_mode", std::int64_t{1}}}).output;
    ASSERT_EQ(output, count_ceil(c)) << c.input << " " << c.kernel << " " << c.stride << " "
                                     << c.dilation << " " << c.pad_begin << " " << c.pad_end;
    more += output > count_whole(c) ? 1 : 0;
    const std::int64_t free = c.input + c.pad_begin + c.pad_end - c.last_tap() - 1;
    dropped += output == count_whole(c) && free % c.stride != 0 ? 1 : 0;
  }
  EXPECT_GT(more, 1000);
  EXPECT_GT(dropped, 100);
}

TEST(WindowsPropertyTest, SamePaddingStartsOneWindowAtEveryStrideAndPadsNoMoreThanNeeded) {
  constexpr std::uint64_t kSeed = 3;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomCases cases(kSeed);
  int odd = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Case c = cases.next();
    const WindowDim upper = resolve(c, {{"auto_pad", "SAME_UPPER"}}, false);
    const WindowDim lower = resolve(c, {{"auto_pad", "SAME_LOWER"}}, false);
    std::int64_t windows = 0;
    for (std::int64_t at = 0; at < c.input; at += c.stride) ++windows;
    ASSERT_EQ(upper.output, windows);
    ASSERT_EQ(lower.output, windows);
    if (windows == 0) continue;
    const std::int64_t last = (windows - 1) * c.stride + c.last_tap();
    const std::int64_t needed = std::max<std::int64_t>(last + 1 - c.input, 0);
    ASSERT_EQ(upper.pad_begin + upper.pad_end, needed);
    ASSERT_EQ(upper.pad_end - upper.pad_begin, needed % 2);
    ASSERT_EQ(lower.pad_begin - lower.pad_end, needed % 2);
    ASSERT_EQ(lower.pad_begin + lower.pad_end, needed);
    odd += static_cast<int>(needed % 2);
  }
  EXPECT_GT(odd, 1000);
}

TEST(WindowsPropertyTest, ValidPaddingIsNoPadding) {
  constexpr std::uint64_t kSeed = 4;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomCases cases(kSeed);
  int fit = 0;
  for (int i = 0; i < 5'000; ++i) {
    Case c = cases.next();
    c.pad_begin = c.pad_end = 0;
    if (count_whole(c) == 0) continue;
    ++fit;
    const Attributes valid = {{"auto_pad", "VALID"}, {"ceil_mode", std::int64_t{1}}};
    ASSERT_EQ(resolve(c, valid, false), resolve(c, {}));
  }
  EXPECT_GT(fit, 1000);
}

// A transposed convolution reverses the reads of a convolution. So its output is the input that the
// convolution would need.
TEST(WindowsPropertyTest, TransposedWindowsReachExactlyFromFirstToLastOutput) {
  constexpr std::uint64_t kSeed = 5;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomCases cases(kSeed);
  int refused = 0;
  int resolved = 0;
  for (int i = 0; i < 20'000; ++i) {
    Case c = cases.next();
    c.input += 1;
    const Attributes attributes = {{"strides", Shape{c.stride}},
                                   {"dilations", Shape{c.dilation}},
                                   {"pads", Shape{c.pad_begin, c.pad_end}}};
    const std::int64_t last = (c.input - 1) * c.stride - c.pad_begin + c.last_tap();
    const std::int64_t output = last - c.pad_end + 1;
    if (output < 0) {
      EXPECT_THROW(resolve_transposed_windows(attributes, {1, 1, c.input}, {c.kernel}), InputError);
      ++refused;
      continue;
    }
    ++resolved;
    const auto dims = resolve_transposed_windows(attributes, {1, 1, c.input}, {c.kernel});
    ASSERT_EQ(dims.front().output, output);
    ASSERT_EQ(dims.front().input, c.input);
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(resolved, 1000);
}

TEST(TransposedWindowsTest, SplitsThePaddingOfAGivenOutput) {
  const auto resolve_to = [](Attributes attributes, std::int64_t output) {
    attributes.set("output_shape", Shape{output});
    attributes.set("strides", Shape{2});
    return resolve_transposed_windows(attributes, {1, 1, 4}, {3}).front();
  };
  // The kernel spreads the input over 2*3 + 3 = 9 positions.
  EXPECT_EQ(resolve_to({{"auto_pad", "SAME_UPPER"}}, 6), (WindowDim{4, 6, 3, 2, 1, 1, 2}));
  EXPECT_EQ(resolve_to({{"auto_pad", "SAME_LOWER"}}, 6), (WindowDim{4, 6, 3, 2, 1, 2, 1}));
  EXPECT_EQ(resolve_to({}, 6), (WindowDim{4, 6, 3, 2, 1, 2, 1}));
  EXPECT_EQ(resolve_to({}, 11), (WindowDim{4, 11, 3, 2, 1, 0, 0}));
  EXPECT_EQ(resolve_to({{"output_padding", Shape{1}}}, 10), (WindowDim{4, 10, 3, 2, 1, 0, 0}));
}

}  // namespace
}  // namespace weft::graph
