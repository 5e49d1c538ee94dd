// `weft explain` describes a run fold by fold. The tests compare each fold's place with loops over
// the matrices, its cycles with the rules of docs/timing.md and with the ledger, and the border
// with a count over single pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "tests/cli/explain/runs.h"
#include "tests/schedule/draws.h"

namespace weft::test {
namespace {

using nlohmann::json;
using Pair = std::vector<std::uint64_t>;

struct Place {
  Pair m;
  Pair k;
  Pair n;
};

std::uint64_t at(const json& object, const char* key) {
  return object.at(key).get<std::uint64_t>();
}

/// Returns the tiles in the plan's order.
std::vector<Place> places(const Pair& sizes, const Pair& array, const json& plan) {
  const std::uint64_t chunk = at(plan, "chunk_rows");
  const bool kept = sizes[1] <= array[0];  // one tile along K: all rows stream through it
  std::vector<Place> all;
  for (std::uint64_t m = 0; m < sizes[0]; m += kept ? sizes[0] : chunk) {
    for (std::uint64_t n = 0; n < sizes[2]; n += array[1]) {
      for (std::uint64_t k = 0; k < sizes[1]; k += array[0]) {
        all.push_back({{m, kept ? sizes[0] : std::min(m + chunk, sizes[0])},
                       {k, std::min(k + array[0], sizes[1])},
                       {n, std::min(n + array[1], sizes[2])}});
      }
    }
  }
  return all;
}

/// Checks that the parts are contiguous, as long as their ledgers, and cover the whole run.
void expect_whole(const json& report) {
  const json& account = report.at("account");
  std::map<std::string, std::int64_t> sums;
  std::uint64_t next = 0;
  std::uint64_t folds = 0;
  json parts = account.at("entries");
  parts.push_back(account.at("tail"));
  for (const json& part : parts) {
    EXPECT_EQ(at(part, "begin"), next);
    next = at(part, "end");
    std::uint64_t sum = 0;
    for (const auto& [name, cycles] : part.at("cycles").items()) {
      sums[name] += cycles.get<std::int64_t>();
      sum += cycles.get<std::uint64_t>();
    }
    EXPECT_EQ(sum, next - at(part, "begin"));
    if (part.contains("folds")) {
      EXPECT_EQ(at(part, "first_fold"), folds + 1);
      folds += at(part, "folds");
    }
  }
  EXPECT_EQ(next, at(report.at("cycles"), "total"));
  EXPECT_EQ(folds, at(account, "folds"));
  for (const auto& [name, cycles] : sums) EXPECT_EQ(report.at("cycles").at(name), cycles) << name;
}

class FoldCheck {
 public:
  FoldCheck(Pair array, bool double_buffer) : array_(std::move(array)), double_(double_buffer) {}

  void check(const json& entry, const Place& place) {
    const json& step = entry.at("step");
    EXPECT_EQ(step.at("m"), json(place.m));
    EXPECT_EQ(step.at("k"), json(place.k));
    EXPECT_EQ(step.at("n"), json(place.n));
    EXPECT_EQ(at(step, "padding_rows"), array_[0] - (place.k[1] - place.k[0]));
    EXPECT_EQ(at(step, "padding_cols"), array_[1] - (place.n[1] - place.n[0]));
    const std::uint64_t pushed = at(step, "pushed");
    const std::uint64_t started = at(step, "started");
    const std::uint64_t rows = place.m[1] - place.m[0];
    EXPECT_GE(started, pushed + array_[0]);
    EXPECT_EQ(at(entry.at("cycles"), "array_active"), rows);
    std::uint64_t hidden = 0;
    if (last_end_ > 0) {
      EXPECT_GE(started, last_end_);
      EXPECT_GE(pushed, double_ ? last_started_ : last_end_ + array_[0] + array_[1] - 2);
      for (std::uint64_t t = pushed; t < pushed + array_[0]; ++t) {
        if (t >= last_started_ && t < last_end_) ++hidden;
      }
    }
    if (at(step, "chunks") == 1) {
      EXPECT_EQ(at(entry, "end"), started + rows);
      EXPECT_EQ(at(step, "hidden_shift"), hidden);
    }
    last_started_ = started;
    last_end_ = at(entry, "end");
  }

 private:
  Pair array_;
  bool double_;
  std::uint64_t last_started_ = 0;
  std::uint64_t last_end_ = 0;
};

TEST(ExplainAccountTest, EveryFoldOfAProductIsWhereTheLoopsPutIt) {
  std::map<std::string, int> seen;
  for (unsigned seed = 1; seed <= 120; ++seed) {
    Draw draw(seed);
    const Keys keys = draw_keys(draw);
    const Pair sizes = {draw.between(1, 40), draw.between(1, 30), draw.between(1, 30)};
    const Pair array = {std::stoull(keys.at("array.rows")), std::stoull(keys.at("array.cols"))};
    Words words = {"explain", "--steps", "all"};
    for (const std::uint64_t size : sizes) words.push_back(std::to_string(size));
    SCOPED_TRACE("seed " + std::to_string(seed));
    const json report = json_of(words + words_of(keys));
    expect_whole(report);
    const std::vector<Place> expected = places(sizes, array, report.at("plan"));
    const json& entries = report.at("account").at("entries");
    ASSERT_EQ(entries.size(), expected.size());
    FoldCheck check(array, keys.at("array.double_buffer") == "on");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      check.check(entries[i], expected[i]);
      const json& step = entries[i].at("step");
      EXPECT_EQ(step.at("begins_sums"), expected[i].k[0] == 0);
      EXPECT_EQ(step.at("completes_sums"), expected[i].k[1] == sizes[1]);
      if (at(step, "chunks") > 1) ++seen["kept for several chunks"];
      if (at(step, "hidden_shift") > 0) ++seen["hidden"];
      if (expected[i].m[0] > 0) ++seen["a later chunk"];
    }
  }
  for (const char* kind : {"kept for several chunks", "hidden", "a later chunk"}) {
    EXPECT_GT(seen[kind], 0) << kind;
  }
}

TEST(ExplainAccountTest, OnIdealMemoryEachFoldStartsWhereTheFormulaSays) {
  const json report = json_of({"explain", "5", "6", "7", "--machine", "tiny"});
  // The fetch is dispatched in cycle 0, and runs in cycle 1. The push starts in cycle 2.
  std::uint64_t pushed = 2;
  std::uint64_t started = 2 + 4;
  for (const json& entry : report.at("account").at("entries")) {
    EXPECT_EQ(at(entry.at("step"), "pushed"), pushed);
    EXPECT_EQ(at(entry.at("step"), "started"), started);
    pushed = started;
    started += 5;  // max(M, R)
  }
}

TEST(ExplainAccountTest, FoldsThatAreNotToldAreSummedUp) {
  for (const char* steps : {"1", "2", "5", "24", "1000"}) {
    SCOPED_TRACE(steps);
    const json report =
        json_of({"explain", "9", "13", "22", "--machine", "tiny", "--steps", steps});
    expect_whole(report);
    const json& entries = report.at("account").at("entries");
    const auto told = std::ranges::count_if(
        entries, [](const json& entry) { return !entry.at("step").is_null(); });
    EXPECT_EQ(told, std::min(std::stol(steps), 4L * 6));  // ceil(13 / 4) * ceil(22 / 4)
    EXPECT_FALSE(entries.front().at("step").is_null());
    EXPECT_TRUE(told == 1 || !entries.back().at("step").is_null());
  }
}

const auto kConvolutions = static_cast<unsigned>(compiler::testing::draws(12, 60));

struct ConvDraw {
  Pair input;  // C H W
  std::uint64_t filters = 1;
  Pair kernel;
  Pair stride;
  Pair pad;  // top left bottom right
  Pair dilation;
};

ConvDraw draw_conv(Draw& draw) {
  ConvDraw conv;
  conv.kernel = {draw.between(1, 3), draw.between(1, 3)};
  conv.stride = {draw.between(1, 2), draw.between(1, 2)};
  conv.dilation = {draw.between(1, 2), draw.between(1, 2)};
  conv.input = {draw.between(1, 9), draw.between(5, 9), draw.between(5, 9)};
  conv.filters = draw.between(1, 9);
  for (int side = 0; side < 4; ++side) conv.pad.push_back(draw.between(0, 2));
  return conv;
}

std::string joined(const Pair& numbers) {
  std::ostringstream text;
  const char* comma = "";
  for (const std::uint64_t number : numbers) text << std::exchange(comma, ",") << number;
  return text.str();
}

std::uint64_t outputs_along(const ConvDraw& conv, std::size_t axis) {
  const std::uint64_t whole = conv.input[1 + axis] + conv.pad[axis] + conv.pad[axis + 2];
  return (whole - ((conv.kernel[axis] - 1) * conv.dilation[axis] + 1)) / conv.stride[axis] + 1;
}

bool inside(const ConvDraw& conv, std::size_t axis, std::uint64_t output, std::uint64_t tap) {
  const std::uint64_t at = output * conv.stride[axis] + tap * conv.dilation[axis];
  return at >= conv.pad[axis] && at < conv.pad[axis] + conv.input[1 + axis];
}

/// The convolution as the array sees it if a row holds `lines` lines of the result: its window
/// reaches all lines that theirs reach, and it has a filter for each filter of each line.
ConvDraw joined_lines(ConvDraw conv, std::uint64_t lines) {
  if (lines == 1) return conv;
  conv.kernel[0] = (lines - 1) * conv.stride[0] + (conv.kernel[0] - 1) * conv.dilation[0] + 1;
  conv.dilation[0] = 1;
  conv.stride[0] *= lines;
  conv.filters *= lines;
  return conv;
}

/// For each tap, counts the result pixels for which the tap lies outside the image.
Pair border(const ConvDraw& conv) {
  Pair counts;
  for (std::uint64_t ty = 0; ty < conv.kernel[0]; ++ty) {
    for (std::uint64_t tx = 0; tx < conv.kernel[1]; ++tx) {
      std::uint64_t count = 0;
      for (std::uint64_t y = 0; y < outputs_along(conv, 0); ++y) {
        for (std::uint64_t x = 0; x < outputs_along(conv, 1); ++x) {
          if (!inside(conv, 0, y, ty) || !inside(conv, 1, x, tx)) ++count;
        }
      }
      counts.push_back(count);
    }
  }
  return counts;
}

Words explain_on_tiny(const ConvDraw& conv, const std::string& taps, std::uint64_t images = 1) {
  return {"explain",
          "conv",
          "--input",
          std::to_string(images) + "," + joined(conv.input),
          "--filters",
          std::to_string(conv.filters),
          "--kernel",
          joined(conv.kernel),
          "--stride",
          joined(conv.stride),
          "--pad",
          joined(conv.pad),
          "--dilation",
          joined(conv.dilation),
          "--taps",
          taps,
          "--machine",
          "tiny",
          "--unified_buffer.kib",
          "64",
          "--steps",
          "all"};
}

TEST(ExplainAccountTest, EveryFoldOfPackedTapsIsABlockOfTheWindow) {
  unsigned uneven = 0;
  unsigned with_joined_lines = 0;
  for (unsigned seed = 1; seed <= kConvolutions; ++seed) {
    Draw draw(seed);
    const ConvDraw drawn = draw_conv(draw);
    if (drawn.kernel[0] * drawn.kernel[1] == 1) continue;
    if (drawn.input[0] == 1 && drawn.filters == 1) continue;  // may run on the vector unit
    SCOPED_TRACE("seed " + std::to_string(seed));
    const json report = json_of(explain_on_tiny(drawn, "packed"));
    expect_whole(report);
    EXPECT_EQ(report.at("plan").at("filters"), drawn.filters);
    const auto lines = report.at("plan").at("joined_lines").get<std::uint64_t>();
    with_joined_lines += lines > 1 ? 1U : 0U;
    const ConvDraw conv = joined_lines(drawn, lines);
    const std::uint64_t elements = conv.input[0] * conv.kernel[0] * conv.kernel[1];
    EXPECT_EQ(report.at("plan").at("packed"), true);
    EXPECT_EQ(report.at("plan").at("k_tiles"), (elements + 3) / 4);
    const std::uint64_t pixels = outputs_along(conv, 0) * outputs_along(conv, 1);
    std::map<Pair, std::uint64_t> rows;  // per block and n tile
    for (const json& entry : report.at("account").at("entries")) {
      const json& step = entry.at("step");
      const auto first = step.at("k")[0].get<std::uint64_t>();
      const auto column = step.at("n")[0].get<std::uint64_t>();
      EXPECT_TRUE(step.at("tap").is_null());
      EXPECT_EQ(step.at("k")[1], std::min(first + 4, elements));
      EXPECT_EQ(step.at("border_rows"), 0);
      EXPECT_EQ(first % 4 + column % 4, 0U);
      rows[{first, column}] += at(entry.at("cycles"), "array_active");
    }
    EXPECT_EQ(rows.size(), (elements + 3) / 4 * ((conv.filters + 3) / 4));
    for (const auto& [place, count] : rows) EXPECT_EQ(count, pixels);
    uneven += elements % 4 != 0 ? 1U : 0U;
  }
  EXPECT_GT(uneven, kConvolutions / 3);
  EXPECT_GT(with_joined_lines, 0U);
}

TEST(ExplainAccountTest, EveryFoldOfAConvolutionIsATapAndItsChannels) {
  unsigned padded = 0;
  unsigned with_joined_lines = 0;
  for (unsigned seed = 1; seed <= kConvolutions; ++seed) {
    Draw draw(seed);
    const ConvDraw drawn = draw_conv(draw);
    if (drawn.input[0] == 1 && drawn.filters == 1) continue;  // may run on the vector unit
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::uint64_t images = 1 + seed % 3;  // those of a group may go through it alone
    const json report = json_of(explain_on_tiny(drawn, "apart", images));
    expect_whole(report);
    const auto lines = report.at("plan").at("joined_lines").get<std::uint64_t>();
    with_joined_lines += lines > 1 ? 1U : 0U;
    const ConvDraw conv = joined_lines(drawn, lines);
    Pair expected = border(conv);
    for (std::uint64_t& count : expected) count *= images;
    EXPECT_EQ(report.at("plan").at("border_rows"), json(expected));
    const std::uint64_t blocks = (conv.input[0] + 3) / 4;
    const std::uint64_t taps = conv.kernel[0] * conv.kernel[1];
    const std::uint64_t pixels = images * outputs_along(conv, 0) * outputs_along(conv, 1);
    std::map<Pair, std::uint64_t> rows;  // per tap, channel block and n tile
    Pair outside(taps, 0);
    for (const json& entry : report.at("account").at("entries")) {
      const json& step = entry.at("step");
      const std::uint64_t tap = step.at("tap")[0].get<std::uint64_t>() * conv.kernel[1] +
                                step.at("tap")[1].get<std::uint64_t>();
      const auto first = step.at("k")[0].get<std::uint64_t>();
      const auto column = step.at("n")[0].get<std::uint64_t>();
      EXPECT_EQ(step.at("k")[1], std::min(first + 4, conv.input[0]));
      EXPECT_EQ(step.at("n")[1], std::min(column + 4, conv.filters));
      EXPECT_EQ(first % 4 + column % 4, 0U);
      rows[{tap, first, column}] += at(entry.at("cycles"), "array_active");
      if (first == 0 && column == 0) outside[tap] += at(step, "border_rows");
    }
    EXPECT_EQ(rows.size(), taps * blocks * ((conv.filters + 3) / 4));
    for (const auto& [place, count] : rows) EXPECT_EQ(count, pixels);
    EXPECT_EQ(outside, expected);
    padded += std::ranges::max(expected) > 0 ? 1U : 0U;
  }
  EXPECT_GT(padded, kConvolutions / 3);
  EXPECT_GT(with_joined_lines, 0U);
}

TEST(ExplainAccountTest, TheTextFitsTheTerminal) {
  const std::vector<Words> commands = {
      {"explain", "5", "6", "7", "--machine", "tiny"},
      {"explain", "1000", "2000", "3000"},
      {"explain", "3000", "3000", "3000", "--array.double_buffer", "off", "--steps", "30"},
      {"explain", "conv", "--input", "1,64,56,56", "--filters", "130", "--kernel", "7", "--pad",
       "same"},
      {"explain", "5", "6", "7", "--machine", "tiny", "--sweep", "k=1..40"}};
  for (const Words& words : commands) {
    const Finished finished = run_weft(words);
    EXPECT_EQ(finished.code, 0) << finished.err;
    std::size_t width = 0;
    for (const char c : finished.out) {
      // UTF-8 continuation bytes take no column.
      if (c == '\n')
        width = 0;
      else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
        ++width;
      EXPECT_LE(width, 80U) << words[1] << ' ' << words[2];
    }
  }
}

TEST(ExplainAccountTest, AFoldReadsAsASentence) {
  const std::string text = run_weft({"explain", "5", "6", "7", "--machine", "tiny"}).out;
  EXPECT_NE(text.find("  fold 3 of 4: rows 0-3 of K, columns 4-6 of N; 1 of 4 columns is padding\n"
                      "    pushed 11-14 (during fold 2), 5 rows in 16-20, drained 27; begins the "
                      "sums\n"),
            std::string::npos)
      << text;
  const std::string cut =
      run_weft({"explain", "5", "6", "70", "--machine", "tiny", "--steps", "3"}).out;
  EXPECT_NE(cut.find(" more folds like these, cycles "), std::string::npos) << cut;
}

}  // namespace
}  // namespace weft::test
