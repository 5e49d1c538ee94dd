// The pages of the lessons, and a place to run their commands in.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/console_examples.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {

/// By number, from 1 on; [0] is no lesson.
inline constexpr std::array kLessons = {
    "",
    "01-one-pe.md",
    "02-a-dot-product-down-a-column.md",
    "03-two-arrays-by-hand.md",
    "04-tiling.md",
    "05-padding.md",
    "06-batching.md",
    "07-double-buffering.md",
    "08-roofline.md",
    "09-convolution.md",
    "10-number-formats.md",
    "11-reading-a-waveform.md",
    "12-why-a-gpu-pads-too.md",
};

/// While it lives, the current folder is a fresh one in which the commands of the lessons run as
/// they do at the top of the project: with `examples`, and a folder `build` for what they write.
class LessonFolder {
 public:
  LessonFolder();
  ~LessonFolder();
  LessonFolder(const LessonFolder&) = delete;
  LessonFolder& operator=(const LessonFolder&) = delete;

 private:
  std::filesystem::path project_;
  TemporaryFolder folder_;
};

/// Of the top of the project, or of a LessonFolder.
std::string page_path(const std::string& page);

std::vector<std::string> lines_of(const std::string& page);

/// Those that are not inside a fence, so neither commands nor drawings.
std::vector<std::string> prose_of(const std::string& page);

/// The numbers in bold, in the order of the page: "1,024" for **1,024**.
std::vector<std::string> bold_numbers(const std::string& page);

/// What the page says that its commands print, all of it.
std::string printed_by(const std::string& page);

}  // namespace weft::test
