// Energy tables: every value that is accepted lies in its key's range.
#include "sim/config/energy_table.h"

#include <sstream>

#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool energy_table(std::string_view bytes) {
  return accepts([&] {
    std::istringstream in{std::string(bytes)};
    const EnergyTable table = parse_energy_table(in, "fuzz");
    for (const EnergyKey& key : energy_keys()) {
      if (key.area != nullptr && !(table.*key.area)) continue;
      const double value = key.area != nullptr ? *(table.*key.area) : table.*key.value;
      require(value >= key.low && value <= key.high, "a value in its range");
    }
  });
}

}  // namespace weft::fuzz
