// Parses the command line of one command with Boost.Program_options. Option names cannot be
// shortened, and only composing options can be repeated. Negative numbers count as values, so that
// the message can say what is wrong with them.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <optional>
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

/// Parses the words after the command's name. Throws InputError for an unknown option (with a
/// similar one, if any) and boost::program_options::error for a repeated or incomplete one.
Arguments parse_arguments(const std::vector<std::string>& words,
                          const po::options_description& options);

/// Returns the command line as a shell would read it: words with special characters are quoted.
std::string command_line(std::string_view command, const std::vector<std::string>& words);

/// Parses a decimal whole number from `low` to `high`. Throws InputError with `what`, the text and
/// the range.
std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t low,
                           std::uint64_t high);

/// Parses the size of a matrix, 1 to 2^40. Throws InputError.
std::uint64_t parse_size(std::string_view text, std::string_view what);

}  // namespace weft::cli
