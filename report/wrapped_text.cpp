#include "report/wrapped_text.h"

#include <sstream>

namespace weft::report {
namespace {

/// A percent sign stays with its number.
std::vector<std::string> words_of(const std::string& sentence) {
  std::vector<std::string> words;
  std::istringstream stream(sentence);
  for (std::string word; stream >> word;) {
    if (word.starts_with('%') && !words.empty()) {
      words.back() += ' ' + word;
    } else {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace

std::string wrapped(const std::string& sentence, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string text;
  std::string line;
  for (const std::string& word : words_of(sentence)) {
    if (!line.empty() && line.size() + 1 + word.size() > kPageWidth) {
      text += line + '\n';
      line.clear();
    }
    if (line.empty()) {
      line = margin + (text.empty() ? "" : "  ") + word;
    } else {
      line += ' ' + word;
    }
  }
  return text + line + '\n';
}

std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace weft::report
