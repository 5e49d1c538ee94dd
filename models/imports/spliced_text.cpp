#include "models/imports/spliced_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "models/imports/text_file.h"

namespace weft::imports {
namespace {

constexpr std::size_t kDeepestInclude = 8;
constexpr std::size_t kMostFiles =
    64;  // files that include others twice would double at each depth
constexpr std::size_t kLargestBytes = std::size_t{1} << 20U;  // a problem has a few hundred
constexpr std::string_view kBegin = "{{include_text('";
constexpr std::string_view kEnd = "')}}";

/// True for a line that a template engine replaces.
bool is_template(std::string_view line) {
  return line.starts_with("{{") || line.starts_with("{%");
}

}  // namespace

SplicedText::SplicedText(const std::string& file, std::string_view what) {
  splice(file, what, 0);
}

std::string SplicedText::place(std::size_t line) const {
  const Origin& origin = origins_[std::min(line, origins_.size() - 1)];
  return place_of(files_[origin.file], origin.line);
}

void SplicedText::splice(const std::string& file, std::string_view what, std::size_t depth) {
  const std::string text = read_text_file(file, what);
  const std::size_t index = files_.size();
  if (index == kMostFiles) {
    throw InputError(fmt::format("{}: includes more than {} files", files_.front(), kMostFiles));
  }
  files_.push_back(file);
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Origin at = {index, i};
    if (is_template(trimmed(lines[i]))) {
      const std::string other = included(trimmed(lines[i]), at);
      if (depth == kDeepestInclude) {
        throw InputError(fmt::format("{}: includes a file more than {} files deep",
                                     place_of(file, i), kDeepestInclude));
      }
      splice(other, what, depth + 1);
      continue;
    }
    origins_.push_back(at);
    text_ += lines[i];
    text_ += '\n';
    if (text_.size() > kLargestBytes) {
      throw InputError(fmt::format("{}: with what it includes it is larger than {} MiB",
                                   files_.front(), kLargestBytes >> 20U));
    }
  }
}

std::string SplicedText::included(std::string_view line, const Origin& at) const {
  if (!line.starts_with(kBegin) || !line.ends_with(kEnd) ||
      line.size() <= kBegin.size() + kEnd.size()) {
    throw InputError(
        fmt::format("{}: {} is a template; of these only {{{{include_text('FILE')}}}} "
                    "is known",
                    place_of(files_[at.file], at.line), printable(line)));
  }
  line.remove_prefix(kBegin.size());
  line.remove_suffix(kEnd.size());
  return (std::filesystem::path(files_[at.file]).parent_path() / line).string();
}

}  // namespace weft::imports
