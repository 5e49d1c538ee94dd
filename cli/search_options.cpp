#include "cli/search_options.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/printable.h"

namespace weft::cli {

po::options_description search_flags() {
  po::options_description flags("Compiler");
  flags.add_options()("optimize", po::value<std::string>()->value_name("LEVEL"),
                      "search for a schedule: 0: none, estimates only; 1 (default): about a "
                      "second; 2: up to a minute or so");
  return flags;
}

compiler::SearchEffort read_effort(const Arguments& arguments) {
  using enum compiler::SearchEffort;
  const std::string level = arguments.text("optimize").value_or("1");
  if (level == "0") return kNone;
  if (level == "1") return kNormal;
  if (level == "2") return kThorough;
  throw InputError(fmt::format("--optimize {}: must be 0, 1 or 2", printable(level)));
}

}  // namespace weft::cli
