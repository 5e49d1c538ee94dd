// Parses the command line of one command with Boost.Program_options. Option names cannot be
// shortened, and only composing options can be repeated. Negative numbers count as values, so that
// the message can say what is wrong with them.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

namespace po = boost::program_options;

struct Arguments {
  std::vector<std::string> words;  // as they were typed
  po::variables_map values;
  std::vector<std::string> positionals;

  bool has(const std::string& name) const { return values.count(name) > 0; }
  /// Returns the option's value; nullopt if it was not given.
  std::optional<std::string> text(const std::string& name) const;
};

/// An option with a value, which the help text calls `name`.
inline po::typed_value<std::string>* text_value(const char* name) {
  return po::value<std::string>()->value_name(name);
}

/// Parses the words after the command's name. Throws InputError for an unknown option (with a
/// similar one, if any) and as check_files_apart() does, and boost::program_options::error for a
/// repeated or incomplete option.
Arguments parse_arguments(const std::vector<std::string>& words,
                          const po::options_description& options);

/// The options in a help text. A stream shows them section by section, but a HelpRecorder keeps
/// them as they are, for what follows from the same definitions: manual pages and completion.
struct HelpOptions {
  po::options_description options;
};
std::ostream& operator<<(std::ostream& out, const HelpOptions& help);

class HelpRecorder : public std::ostringstream {
 public:
  std::vector<po::options_description> recorded;
};

/// What --help shows of the options.
inline HelpOptions help_text(const po::options_description& options) {
  return {options};
}

/// Returns the command line as a shell would read it: words with special characters are quoted.
std::string command_line(std::string_view command, const std::vector<std::string>& words);

/// `words` without these options and their values.
std::vector<std::string> words_without(const std::vector<std::string>& words,
                                       std::initializer_list<std::string_view> options);

}  // namespace weft::cli
