// The lessons of examples/: commands print what the pages show, the numbers are right, and each
// lesson has two exercises.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "tests/examples/lesson_figures.h"
#include "tests/examples/lesson_pages.h"

namespace weft {
namespace {

using test::kLessons;

class LessonTest : public testing::TestWithParam<int> {
 protected:
  static std::string page() { return kLessons.at(static_cast<std::size_t>(GetParam())); }

  test::LessonFolder folder_;
};

TEST_P(LessonTest, CommandsPrintWhatThePageSays) {
  const std::vector<test::ConsoleExample> found = test::console_examples(test::page_path(page()));
  EXPECT_GE(found.size(), 3U);
  for (const test::ConsoleExample& example : found) test::expect_as_printed(example);
}

// A number without a formula in the test, or a formula without a number, fails too.
TEST_P(LessonTest, NumbersInBoldAreWhatTheFormulasGive) {
  std::vector<std::string> expected;
  const std::string printed = test::printed_by(page());
  for (const test::Figure& figure : test::figures_of(GetParam())) {
    expected.push_back(figure.text);
    if (figure.printed.empty()) continue;
    const std::string words = fmt::format(fmt::runtime(figure.printed), figure.text);
    EXPECT_NE(printed.find(words), std::string::npos) << figure.what << ": " << words;
  }
  EXPECT_EQ(test::bold_numbers(page()), expected);
}

TEST_P(LessonTest, EndsWithTwoExercisesAndTheirAnswersAsCommands) {
  const std::vector<std::string> lines = test::lines_of(page());
  auto at = std::ranges::find(lines, "## Exercises");
  ASSERT_NE(at, lines.end());
  // The required lines in order. Each line of the page may match the first one still missing.
  const std::vector<std::string> wanted = {
      "1. ", "2. ",        "<details><summary>Answer 1</summary>", "```console",
      "$ ",  "</details>", "<details><summary>Answer 2</summary>", "```console",
      "$ ",  "</details>"};
  std::size_t met = 0;
  for (; at != lines.end() && met < wanted.size(); ++at) {
    if (at->starts_with(wanted[met])) ++met;
  }
  EXPECT_EQ(met, wanted.size()) << "missing: " << wanted.at(std::min(met, wanted.size() - 1));
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.starts_with("<details>"); }),
            2);
}

TEST_P(LessonTest, StandsInTheIndexWithItsTitleAndQuestion) {
  const std::vector<std::string> lines = test::lines_of(page());
  ASSERT_GE(lines.size(), 3U);
  ASSERT_TRUE(lines[0].starts_with(fmt::format("# {}. ", GetParam()))) << lines[0];
  ASSERT_TRUE(lines[2].ends_with("?")) << lines[2];
  const std::string row = fmt::format("| [{}]({}) | {} |", lines[0].substr(2), page(), lines[2]);
  const std::vector<std::string> index = test::lines_of("README.md");
  EXPECT_EQ(std::ranges::count_if(index, [&](const auto& line) { return line.starts_with(row); }),
            1)
      << row;
}

INSTANTIATE_TEST_SUITE_P(Pages, LessonTest, testing::Range(1, static_cast<int>(kLessons.size())));

/// The speed in TOP/s: "17.3" in "speed      17.3 TOP/s of ...".
std::vector<double> speeds(const std::string& printed) {
  static const std::regex kSpeed("speed +([0-9.]+) TOP/s of 91.8");
  std::vector<double> found;
  for (std::sregex_iterator at(printed.begin(), printed.end(), kSpeed), end; at != end; ++at) {
    found.push_back(std::stod((*at)[1]) * 1e12);
  }
  return found;
}

TEST(RooflineLessonTest, RunsStayBelowTheRoofByAtMostOneAndAHalfPercent) {
  const std::vector<double> found = speeds(test::printed_by(kLessons[8]));
  const std::vector<std::uint64_t> rows = {256, 675, 1350, 2700};
  ASSERT_GE(found.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double roof = test::tpu_v1_roof(rows[i]);
    EXPECT_LE(found[i], roof) << rows[i];
    EXPECT_GE(found[i], 0.985 * roof) << rows[i];
  }
}

}  // namespace
}  // namespace weft
