// A text in place of whose template lines stand the files that they include, as Timeloop's front
// end takes them:
//
//   {{include_text('../problem_base.yaml')}}
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::imports {

class SplicedText {
 public:
  /// Paths are relative to the file that includes. Throws InputError as read_text_file(), and for
  /// other templates, and files that include one another in a circle or too much.
  SplicedText(const std::string& file, std::string_view what);

  const std::string& text() const { return text_; }
  /// "FILE:12" for a line of text().
  std::string place(std::size_t line) const;

 private:
  struct Origin {
    std::size_t file = 0;  // index in files_
    std::size_t line = 0;
  };

  void splice(const std::string& file, std::string_view what, std::size_t depth);
  std::string included(std::string_view line, const Origin& at) const;

  std::vector<std::string> files_;
  std::vector<Origin> origins_;  // of each line of text_
  std::string text_;
};

}  // namespace weft::imports
