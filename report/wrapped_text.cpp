#include "report/wrapped_text.h"

#include <sstream>

namespace weft::report {

std::string wrapped(const std::string& sentence, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string text;
  std::string line;
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
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
