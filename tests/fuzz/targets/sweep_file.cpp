// Files of sweeps, which have the same options as the command line: what is accepted is a space of
// numbered points.
#include <algorithm>

#include "cli/sweep/sweep_options.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

constexpr std::uint64_t kMostPoints = 8;

void use_points(const sweep::Space& space) {
  for (std::uint64_t number = 0; number < std::min(space.size(), kMostPoints); ++number) {
    require(space.number(space.places(number)) == number, "places along the axes give the number");
    if (const auto point = space.point(number)) {
      space.identity(*point);
      space.command(*point);
    }
  }
}

}  // namespace

bool sweep_file(std::string_view bytes) {
  if (names_large_network(bytes) || has_long_range(bytes)) return false;
  const NamedFile file(bytes, ".ini");
  cli::Arguments arguments;
  arguments.positionals.push_back(file.path());
  return accepts([&] {
    const cli::Arguments read = cli::with_file(arguments);
    cli::read_sweep_flags(read);
    use_points(sweep::Space(cli::read_sweep_request(read)));
  });
}

}  // namespace weft::fuzz
