#include "runtime/sweep/points/figures.h"

#include <cstring>

#include "base/error.h"

namespace weft::sweep {
namespace {

struct Fixed {
  std::uint64_t number;
  double seconds;
  bool missing;
  Figures figures;
};

}  // namespace

std::string to_bytes(const Outcome& outcome) {
  const Fixed fixed{outcome.number, outcome.seconds, outcome.missing, outcome.figures};
  std::string bytes(sizeof(fixed), '\0');
  std::memcpy(bytes.data(), &fixed, sizeof(fixed));
  return bytes + outcome.error;
}

Outcome outcome_of(std::string_view bytes) {
  Fixed fixed;
  if (bytes.size() < sizeof(fixed)) throw SimulationError("a worker sent half an outcome");
  std::memcpy(&fixed, bytes.data(), sizeof(fixed));
  return {fixed.number, fixed.figures, fixed.seconds, std::string(bytes.substr(sizeof(fixed))),
          fixed.missing};
}

}  // namespace weft::sweep
