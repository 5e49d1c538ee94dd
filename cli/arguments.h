// The command line of one command, on Boost.Program_options: no guessing of shortened names, no
// option twice, and negative numbers are values, so that the message can say what is wrong with
// them.
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
  /// The option's value, if it was given.
  std::optional<std::string> text(const std::string& name) const;
};

/// Parses what follows the command's name. Throws InputError for an unknown option (with a
/// similar one, if any) and boost::program_options::error for a repeated or incomplete one.
Arguments parse_arguments(const std::vector<std::string>& words,
                          const po::options_description& options);

/// What was typed, for a person to type again: words that a shell would change stand in quotes.
std::string command_line(std::string_view command, const std::vector<std::string>& words);

/// A whole number from low to high in decimal digits. Throws InputError naming `what`, the text and
/// the range.
std::uint64_t parse_number(std::string_view text, std::string_view what, std::uint64_t low,
                           std::uint64_t high);

/// A size of a matrix, 1 to 2^40. Throws InputError.
std::uint64_t parse_size(std::string_view text, std::string_view what);

}  // namespace weft::cli
