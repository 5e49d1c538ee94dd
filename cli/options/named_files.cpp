#include "cli/options/named_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/any.hpp>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/input_path.h"
#include "base/printable.h"

namespace weft::cli {
namespace {

/// A plan and a database are read where they are there, and written where they are not.
constexpr std::string_view kOutputs[] = {"plan",       "db",   "out",        "output", "save",
                                         "checkpoint", "log",  "json",       "csv",    "vcd",
                                         "trace",      "html", "machine-out"};

struct NamedFile {
  std::string option;  // empty for a positional argument
  std::string file;
};

bool is_file(const std::string& word) {
  std::error_code error;
  return std::filesystem::is_regular_file(word, error);
}

/// The text, and what is between the separators of lists (a.ini,b.ini) and names (x=x.npy).
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts = {text};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(",=", begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::string> texts_of(const po::variable_value& value) {
  if (const auto* text = boost::any_cast<std::string>(&value.value())) return {*text};
  const auto* texts = boost::any_cast<std::vector<std::string>>(&value.value());
  return texts == nullptr ? std::vector<std::string>() : *texts;
}

std::vector<NamedFile> inputs_of(const Arguments& arguments) {
  std::vector<NamedFile> inputs;
  const auto add = [&](const std::string& option, const std::string& text) {
    for (const std::string& part : parts_of(text)) {
      if (is_file(part)) inputs.push_back({option, part});
    }
  };
  for (const std::string& word : arguments.positionals) add("", word);
  for (const auto& [name, value] : arguments.values) {
    if (name == "(positional)" || std::ranges::find(kOutputs, name) != std::end(kOutputs)) continue;
    for (const std::string& text : texts_of(value)) add("--" + name, text);
  }
  return inputs;
}

}  // namespace

void check_files_apart(const Arguments& arguments) {
  std::vector<NamedFile> named = inputs_of(arguments);
  for (const std::string_view output : kOutputs) {
    const std::string name(output);
    const auto file = arguments.text(name);
    if (!file || file->empty()) continue;
    for (const NamedFile& other : named) {
      if (*file == "-" && other.file == "-") {
        throw InputError(fmt::format("{} - and --{} -: only one can go to stdout; name a file",
                                     other.option, output));
      }
      if (*file == "-" || other.file == "-" || !same_file(*file, other.file)) continue;
      if (other.option.empty()) {
        throw InputError(fmt::format("{}: --{} would replace it; choose another file",
                                     printable(*file), output));
      }
      throw InputError(fmt::format("{}: named by both {} and --{}; choose two files",
                                   printable(*file), other.option, output));
    }
    named.push_back({"--" + name, *file});
  }
}

}  // namespace weft::cli
