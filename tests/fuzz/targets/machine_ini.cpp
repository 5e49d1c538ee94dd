// Machine files: what is accepted is a valid machine, and can be written and read again.
#include <sstream>

#include "sim/config/config_keys.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool machine_ini(std::string_view bytes) {
  return accepts([&] {
    std::istringstream in{std::string(bytes)};
    const MachineConfig machine = parse_ini(in, "fuzz");
    validate(machine);
    std::istringstream written(to_ini(machine));
    require(parse_ini(written, "written") == machine, "a written machine is read as it was");
  });
}

}  // namespace weft::fuzz
