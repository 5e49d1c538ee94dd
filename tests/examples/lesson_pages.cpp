#include "tests/examples/lesson_pages.h"

#include <fstream>
#include <regex>

namespace weft::test {

LessonFolder::LessonFolder() : project_(std::filesystem::current_path()) {
  std::filesystem::create_directory_symlink(project_ / "examples", folder_.file("examples"));
  std::filesystem::create_directory(folder_.file("build"));
  std::filesystem::current_path(folder_.file(""));
}

LessonFolder::~LessonFolder() {
  std::error_code ignored;
  std::filesystem::current_path(project_, ignored);
}

std::string page_path(const std::string& page) {
  return "examples/" + page;
}

std::vector<std::string> lines_of(const std::string& page) {
  std::ifstream in(page_path(page));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> prose_of(const std::string& page) {
  std::vector<std::string> prose;
  bool fenced = false;
  for (const std::string& line : lines_of(page)) {
    const bool fence = line.starts_with("```");
    fenced = fenced != fence;
    if (!fenced && !fence) prose.push_back(line);
  }
  return prose;
}

std::vector<std::string> bold_numbers(const std::string& page) {
  static const std::regex kBold(R"(\*\*([0-9][0-9,.]*)\*\*)");
  std::vector<std::string> numbers;
  for (const std::string& line : prose_of(page)) {
    for (std::sregex_iterator at(line.begin(), line.end(), kBold), end; at != end; ++at) {
      numbers.push_back((*at)[1]);
    }
  }
  return numbers;
}

std::string printed_by(const std::string& page) {
  std::string printed;
  for (const ConsoleExample& example : console_examples(page_path(page))) printed += example.output;
  return printed;
}

}  // namespace weft::test
