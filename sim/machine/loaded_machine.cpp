#include "base/loaded_library.h"
#include "sim/machine/machine_library.h"

namespace weft {
namespace {

const MachineLibrary& machine_library() {
  static const MachineLibrary& loaded = load_library<MachineLibrary>(
      library_folder() / "machine.so", "weft_machine", WEFT_MACHINE_INTERFACE);
  return loaded;
}

}  // namespace

Timeline run_timed_machine(const MachineConfig& config, const Program& program) {
  return machine_library().run_timed(config, program);
}

ArrayRecording record_clocked_machine(const MachineConfig& config, const Program& program,
                                      HostMemory& memory, Cycle cycles) {
  return machine_library().record_clocked(config, program, memory, cycles);
}

ClockedResult run_clocked_machine(const ClockedRun& run) {
  return machine_library().run_clocked(run);
}

}  // namespace weft
