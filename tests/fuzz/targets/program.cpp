// Programs: what is accepted can be written and read again. If it suits a machine and is short, the
// machine runs it: a run ends with a result, or says what is wrong.
#include <sstream>

#include "sim/config/config_keys.h"
#include "sim/isa/text/text.h"
#include "sim/simulate.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

constexpr std::size_t kMostRun = 64;  // instructions

/// The machine `tiny` with the array that the program is for, if that is small.
MachineConfig machine_for(const Program& program) {
  MachineConfig machine = load_preset("tiny");
  if (program.array_rows > 16 || program.array_cols > 16) return machine;
  machine.array_rows = program.array_rows;
  machine.array_cols = program.array_cols;
  machine.dtype = program.dtype;
  return machine;
}

}  // namespace

bool program(std::string_view bytes) {
  return accepts([&] {
    std::istringstream in{std::string(bytes)};
    const Program read = assemble(in, "fuzz");
    std::istringstream written(disassemble(read));
    require(assemble(written, "written") == read, "a written program is read as it was");
    const MachineConfig machine = machine_for(read);
    accepts([&] {
      validate(machine);
      validate(read, machine);
      if (read.code.size() <= kMostRun) simulate(machine, read, nullptr, {Engine::kAnalytic});
    });
  });
}

}  // namespace weft::fuzz
