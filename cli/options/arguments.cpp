#include "cli/options/arguments.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/printable.h"
#include "base/similar.h"
#include "cli/options/named_files.h"

namespace weft::cli {
namespace {

bool is_negative_number(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

/// Takes a leading "-5" as a positional value; otherwise Boost reads it as an unknown option.
std::vector<po::option> negative_number(std::vector<std::string>& words) {
  if (words.empty() || !is_negative_number(words.front())) return {};
  po::option option;
  option.value = {words.front()};
  option.original_tokens = {words.front()};
  words.erase(words.begin());
  return {option};
}

[[noreturn]] void fail_unknown(const std::string& option, const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& known : options.options()) names.push_back("--" + known->long_name());
  const std::string meant = most_similar(option, names);
  throw InputError(fmt::format("unknown option {}; {}", printable(option),
                               meant.empty() ? "see --help" : "did you mean " + meant + "?"));
}

/// The option whose whole name is `word`, such as --engine or -o.
const po::option_description* option_named(const std::string& word,
                                           const po::options_description& options) {
  if (!word.starts_with('-')) return nullptr;
  const auto is = [&](const auto& option) {
    return word == "--" + option->long_name() ||
           word == option->canonical_display_name(po::command_line_style::allow_dash_for_short);
  };
  const auto found = std::ranges::find_if(options.options(), is);
  return found == options.options().end() ? nullptr : found->get();
}

/// Boost would take the next option as the value.
void check_values_given(const std::vector<std::string>& words,
                        const po::options_description& options) {
  for (std::size_t i = 0; i + 1 < words.size() && words[i] != "--"; ++i) {
    const po::option_description* const option = option_named(words[i], options);
    if (option == nullptr || option->semantic()->min_tokens() == 0) continue;
    if (option_named(words[i + 1].substr(0, words[i + 1].find('=')), options) == nullptr) continue;
    throw InputError(fmt::format("{}: {} is missing before {}", words[i],
                                 option->semantic()->name(), printable(words[i + 1])));
  }
}

/// What --help shows of the options, section by section.
std::string shown(const po::options_description& options) {
  std::istringstream lines(fmt::format("{}", fmt::streamed(options)));
  std::string text;
  std::string line;
  // Boost begins with an empty line and fills the first line of some options with spaces.
  while (std::getline(lines, line)) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty() || (!text.empty() && !text.ends_with("\n\n"))) text += line + '\n';
  }
  return text;
}

}  // namespace

std::optional<std::string> Arguments::text(const std::string& name) const {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  return found->second.as<std::string>();
}

Arguments parse_arguments(const std::vector<std::string>& words,
                          const po::options_description& options) {
  namespace style = po::command_line_style;
  check_values_given(words, options);
  po::options_description all(options);
  all.add_options()("(positional)", po::value<std::vector<std::string>>());
  po::positional_options_description positionals;
  positionals.add("(positional)", -1);
  po::command_line_parser parser(words);
  parser.options(all)
      .positional(positionals)
      .style(style::unix_style ^ style::allow_guessing)
      .extra_style_parser(negative_number);
  Arguments arguments;
  arguments.words = words;
  try {
    po::store(parser.run(), arguments.values);
  } catch (const po::unknown_option& error) {
    fail_unknown(error.get_option_name(), options);
  }
  if (arguments.has("(positional)")) {
    arguments.positionals = arguments.values["(positional)"].as<std::vector<std::string>>();
  }
  check_files_apart(arguments);
  return arguments;
}

std::ostream& operator<<(std::ostream& out, const HelpOptions& help) {
  if (auto* recorder = dynamic_cast<HelpRecorder*>(&out)) {
    recorder->recorded.push_back(help.options);
    return out;
  }
  return out << shown(help.options);
}

std::string command_line(std::string_view command, const std::vector<std::string>& words) {
  std::string line = fmt::format("weft {}", command);
  if (!words.empty()) line += ' ' + shell_line(words);
  return line;
}

std::vector<std::string> words_without(const std::vector<std::string>& words,
                                       std::initializer_list<std::string_view> options) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto is = [&](std::string_view option) {
      return word.substr(0, std::min(word.find('='), word.size())) == option;
    };
    if (std::ranges::none_of(options, is)) {
      kept.push_back(words[i]);
    } else if (word.find('=') == std::string_view::npos) {
      ++i;  // its value
    }
  }
  return kept;
}

}  // namespace weft::cli
