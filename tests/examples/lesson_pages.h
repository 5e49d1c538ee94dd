// The pages of the lessons, and a folder to run their commands in.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/console_examples.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {

/// Lessons by number, from 1 on; [0] is unused.
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
    "13-five-mappings.md",
    "14-what-a-picojoule-buys.md",
    "15-your-gpu-beside-an-array.md",
};

/// Makes a fresh current folder for its lifetime. The commands of the lessons run there as at the
/// top of the project: it has `examples`, and a folder `build` for output files.
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

/// The path of a page at the top of the project or in a LessonFolder.
std::string page_path(const std::string& page);

std::vector<std::string> lines_of(const std::string& page);

/// The lines outside fences, so without commands and drawings.
std::vector<std::string> prose_of(const std::string& page);

/// The bold numbers in page order: "1,024" for **1,024**.
std::vector<std::string> bold_numbers(const std::string& page);

/// All command output that the page shows.
std::string printed_by(const std::string& page);

}  // namespace weft::test
