// Property tests of the data of a sweep's page: what its columns encode is what was added, and a
// sample of a large database has the points of all fronts.
#include "report/sweep/page/sweep_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "report/sweep/page/page_column.h"
#include "report/sweep/page/page_sample.h"

namespace weft::report {
namespace {

using sweep::Cell;

// --- A reader of the columns as docs/page.md describes them -------------------------------------

std::vector<unsigned char> bytes_of(const std::string& base64) {
  static const std::string kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : base64) {
    if (c == '=') break;
    held = held << 6U | static_cast<unsigned>(kDigits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(held >> bits));
    held &= (1U << bits) - 1U;
  }
  return bytes;
}

std::vector<std::uint64_t> words_of(const std::string& base64, std::size_t width) {
  const std::vector<unsigned char> bytes = bytes_of(base64);
  EXPECT_EQ(bytes.size() % width, 0U);
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < bytes.size(); i += width) {
    std::uint64_t word = 0;
    for (std::size_t j = width; j-- > 0;) word = word << 8U | bytes[i + j];
    words.push_back(word);
  }
  return words;
}

std::vector<Json> cells_of(const Json& column, std::size_t rows) {
  std::vector<Json> cells;
  if (column.contains("value")) return std::vector<Json>(rows, column["value"]);
  if (column.contains("words")) {
    const std::size_t many = column["words"].size();
    const std::size_t width = many <= 256 ? 1 : many <= 65536 ? 2 : 4;
    for (const std::uint64_t at : words_of(column["index"].get<std::string>(), width)) {
      cells.push_back(column["words"].at(at));
    }
  } else if (column.contains("i32")) {
    for (const std::uint64_t word : words_of(column["i32"].get<std::string>(), 4)) {
      const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
      const bool none = value == std::numeric_limits<std::int32_t>::min();
      cells.push_back(none ? Json() : Json(value));
    }
  } else {
    for (const std::uint64_t word : words_of(column.at("f64").get<std::string>(), 8)) {
      const auto value = std::bit_cast<double>(word);
      cells.push_back(std::isnan(value) ? Json() : Json(value));
    }
  }
  return cells;
}

Json plain_json(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto* real = std::get_if<double>(&cell);
  return real != nullptr && std::isfinite(*real) ? Json(*real) : Json();
}

// --- Columns -------------------------------------------------------------------------------------

Cell random_cell(std::mt19937_64& random, int kind, std::uint64_t values) {
  const auto value = static_cast<std::int64_t>(random() % values) - 3;
  const bool missing = random() % 7 == 0;
  switch (kind) {
    case 0:
      return value;
    case 1:
      return missing ? Cell() : Cell(value);
    case 2:
      return missing ? Cell() : Cell(static_cast<double>(value) / 7);
    case 3:
      return missing ? Cell() : Cell(fmt::format("</script> {}", value));
    case 4:  // beyond 32 bits; 2^31 is the first number that has no i32
      return value + (missing ? std::int64_t{1} << 31U : std::int64_t{1} << 40U);
    case 5:  // as another program may have written them
      return missing ? Cell(std::numeric_limits<double>::infinity()) : Cell(value);
    default:
      return missing ? Cell("none") : Cell(value);
  }
}

TEST(PageColumnTest, GivesEveryCellBackInEachForm) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  std::map<std::string, int> forms;
  for (int run = 0; run < 400; ++run) {
    const std::uint64_t values = std::array<std::uint64_t, 4>{1, 5, 400, 1'000'000}[random() % 4];
    const std::size_t rows = 1 + random() % 1500;
    const int kind = run % 7;
    PageColumn column;
    std::vector<Json> wanted;
    for (std::size_t i = 0; i < rows; ++i) {
      const Cell cell = random_cell(random, kind, values);
      column.add(cell);
      wanted.push_back(plain_json(cell));
    }
    const Json json = column.json();
    ++forms[json.begin().key()];
    ASSERT_EQ(cells_of(json, rows), wanted) << json.dump();
  }
  EXPECT_EQ(forms.size(), 4U);  // value, words, i32, f64
}

TEST(PageColumnTest, HasNumbersThatFitIn32BitsAsSuch) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t last : {kMost, kMost + 1, -kMost, -kMost - 1}) {
    PageColumn column;
    for (std::int64_t i = 0; i < 300; ++i) column.add(i);
    column.add(last);
    const Json json = column.json();
    EXPECT_EQ(json.begin().key(), std::abs(last) == kMost ? "i32" : "f64") << last;
    EXPECT_EQ(cells_of(json, 301).back(), last);
  }
}

TEST(PageTextsTest, GivesTextsOfDifferentLengthsBack) {
  const std::vector<std::string> texts = {"weft matmul 8 8 8", "weft run lenet5", "", "a  b ",
                                          "weft matmul 8 9 8 --x 1"};
  PageTexts column;
  for (const std::string& text : texts) column.add(text);
  const Json json = column.json();
  std::vector<std::string> joined(texts.size());
  std::vector<bool> begun(texts.size());
  for (const Json& words : json) {
    const std::vector<Json> cells = cells_of(words, texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (cells[i].is_null()) continue;
      joined[i] += (begun[i] ? " " : "") + cells[i].get<std::string>();
      begun[i] = true;
    }
  }
  EXPECT_EQ(joined, texts);
}

// --- Samples -------------------------------------------------------------------------------------

constexpr std::uint64_t kWorks = 3;

/// A database with random figures of few values, so that many are equal. Every ninth point failed.
std::vector<std::vector<Cell>> fill(sweep::Store& store, std::mt19937_64& random,
                                    std::uint64_t points) {
  std::vector<std::vector<Cell>> rows;
  for (std::uint64_t i = 0; i < points; ++i) {
    std::vector<Cell> row(sweep::columns().size());
    const auto set = [&](std::string_view column, Cell cell) {
      row[sweep::column_index(column)] = std::move(cell);
    };
    set("identity", fmt::format("point {}", i));
    set("command", fmt::format("weft matmul 8 8 8 --clock_mhz {}", i));
    set("workload", fmt::format("work {}", i % kWorks));
    for (const sweep::Metric& metric : sweep::metrics()) {
      set(metric.column, static_cast<std::int64_t>(1 + random() % 50));
    }
    if (random() % 9 == 0) set("error", "too small");
    store.add(row);
    rows.push_back(std::move(row));
  }
  store.commit();
  return rows;
}

/// The costs of the rows that no other row of the same work beats, in two metrics.
std::set<std::pair<double, double>> naive_front(const std::vector<std::vector<Cell>>& rows,
                                                std::uint64_t work, const sweep::Metric& x,
                                                const sweep::Metric& y) {
  std::vector<std::pair<double, double>> costs;
  const auto value = [](const std::vector<Cell>& row, const sweep::Metric& metric) {
    const auto whole = std::get<std::int64_t>(row[sweep::column_index(metric.column)]);
    return static_cast<double>(metric.more_is_better ? -whole : whole);
  };
  for (std::uint64_t i = work; i < rows.size(); i += kWorks) {
    const bool failed = std::holds_alternative<std::string>(rows[i][sweep::column_index("error")]);
    if (!failed) costs.emplace_back(value(rows[i], x), value(rows[i], y));
  }
  std::set<std::pair<double, double>> front;
  for (const auto& one : costs) {
    const bool beaten = std::ranges::any_of(costs, [&](const auto& other) {
      return other.first <= one.first && other.second <= one.second && other != one;
    });
    if (!beaten) front.insert(one);
  }
  return front;
}

TEST(PageSampleTest, HasThePointsOfAllFrontsAndAnEvenShareOfTheOthers) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  sweep::Store store;
  const auto rows = fill(store, random, 3 * 900);
  std::uint64_t read = 0;
  const PageSample sample = sample_rows(store, 1500, [&](std::uint64_t many) { read = many; });
  EXPECT_EQ(read, rows.size());
  ASSERT_TRUE(sample.has_fronts);
  ASSERT_EQ(sample.rows.size(), 1500U);
  EXPECT_TRUE(std::ranges::adjacent_find(sample.rows, std::ranges::greater_equal()) ==
              sample.rows.end());
  std::vector<std::vector<Cell>> kept;
  for (const std::uint64_t row : sample.rows) kept.push_back(rows[row]);
  // The rows of each work, in places where naive_front looks for them.
  for (std::uint64_t work = 0; work < kWorks; ++work) {
    std::vector<std::vector<Cell>> of_work;
    for (const std::uint64_t row : sample.rows) {
      if (row % kWorks != work) continue;
      for (std::uint64_t i = 0; i < kWorks; ++i) of_work.push_back(rows[row]);
    }
    for (const sweep::Metric& x : sweep::metrics()) {
      for (const sweep::Metric& y : sweep::metrics()) {
        if (&x == &y) continue;
        EXPECT_EQ(naive_front(of_work, 0, x, y), naive_front(rows, work, x, y))
            << x.name << ' ' << y.name;
      }
    }
  }
  // Each hundredth of the database has its share.
  for (std::uint64_t begin = 0; begin < rows.size(); begin += 270) {
    const auto first = std::ranges::lower_bound(sample.rows, begin);
    const auto last = std::ranges::lower_bound(sample.rows, begin + 270);
    EXPECT_NEAR(static_cast<double>(last - first), 150, 40);
  }
}

TEST(PageSampleTest, IsAnEvenShareIfMorePointsAreOnFronts) {
  std::mt19937_64 random(1);
  sweep::Store store;
  fill(store, random, 300);
  const PageSample few = sample_rows(store, 10, [](std::uint64_t) {});
  EXPECT_FALSE(few.has_fronts);
  EXPECT_EQ(few.rows, (std::vector<std::uint64_t>{29, 59, 89, 119, 149, 179, 209, 239, 269, 299}));
}

TEST(SweepPageTest, SaysWhatASampleLeavesOut) {
  std::mt19937_64 random(2);
  sweep::Store store;
  const auto rows = fill(store, random, 600);
  const auto failed = std::ranges::count_if(rows, [](const std::vector<Cell>& row) {
    return std::holds_alternative<std::string>(row[sweep::column_index("error")]);
  });
  const std::vector<sweep::Metric> front = {sweep::find_metric("time"), sweep::find_metric("macs")};
  double share = 0;
  const auto progress = [&](double now) {
    EXPECT_GE(now, share);
    share = now;
  };
  const Json data = sweep_page_data(store, front, "weft sweep --report x", progress, 500);
  EXPECT_EQ(share, 1);
  const Json& points = data["points"];
  EXPECT_EQ(points["count"], 500);
  EXPECT_EQ(points["of"], 600);
  EXPECT_EQ(points["failed"], failed);
  EXPECT_EQ(points["front"], (Json{"time_s", "peak_macs"}));
  ASSERT_EQ(data["notes"].size(), 1U);
  EXPECT_TRUE(data["notes"][0].get<std::string>().starts_with(
      "The database has 600 points. The page lists 500 of them: all points on a Pareto front"));
  // The numbers of the listed points are those of the database, from 1.
  const std::vector<Json> numbers = cells_of(points["number"], 500);
  const std::vector<Json> clocks = cells_of(points["command"].back(), 500);
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(std::to_string(numbers[i].get<int>() - 1), clocks[i].get<std::string>());
  }
  const Json whole = sweep_page_data(
      store, front, "", [](double) {}, 600);
  EXPECT_EQ(whole["points"]["count"], 600);
  EXPECT_TRUE(whole["notes"].empty());
  EXPECT_FALSE(whole["points"].contains("number"));
}

}  // namespace
}  // namespace weft::report
