#include <exception>
#include <memory>
#include <systemc>
#include <utility>

#include "base/error.h"
#include "rtl/cosim/rtl_models.h"
#include "sim/analysis/summary.h"
#include "sim/array/stepped_datapath.h"
#include "sim/machine/clocked_matmul_unit.h"
#include "sim/machine/datapaths/lockstep_datapath.h"
#include "sim/machine/datapaths/recorded_datapath.h"
#include "sim/machine/datapaths/traced_datapath.h"
#include "sim/machine/machine_library.h"
#include "sim/machine/memory_channel.h"
#include "sim/machine/sequencer.h"
#include "sim/machine/timed_matmul_unit.h"
#include "sim/machine/transfer_unit.h"
#include "sim/machine/vector_unit.h"
#include "sim/timing/stall_report.h"

// libsystemc.so needs the symbol sc_main; it is never called in a program with its own main().
extern "C" __attribute__((visibility("default"))) int sc_main(int, char*[]) {
  return 0;
}

namespace weft {
namespace {

// SystemC has one global simulation. Each run makes a new one and restores the previous one.
class SimulationContext {
 public:
  SimulationContext()
      : context_(std::make_unique<sc_core::sc_simcontext>()),
        previous_(std::exchange(sc_core::sc_curr_simcontext, context_.get())),
        previous_default_(std::exchange(sc_core::sc_default_global_context, context_.get())) {}
  ~SimulationContext() {
    sc_core::sc_curr_simcontext = previous_;
    sc_core::sc_default_global_context = previous_default_;
  }
  SimulationContext(const SimulationContext&) = delete;
  SimulationContext& operator=(const SimulationContext&) = delete;

 private:
  std::unique_ptr<sc_core::sc_simcontext> context_;
  sc_core::sc_simcontext* previous_;
  sc_core::sc_simcontext* previous_default_;
};

class Machine {
 public:
  Machine(const MachineConfig& config, const Program& program, HostMemory* memory,
          MachineValues* values)
      : streams_(program),
        // NOLINTNEXTLINE(bugprone-throw-keyword-missing): it holds an exception_ptr
        context_{config, program, timeline_, {}, {}},
        load_("load", context_, values),
        fetch_("fetch", context_, values),
        vector_("vector", context_, values),
        store_("store", context_, values),
        sequencer_("sequencer", context_),
        weight_channel_("weight_channel", config, channel_of(Opcode::kFetch, config.memory_kind),
                        memory) {
    timeline_.instructions.resize(program.code.size());
    fetch_.socket.bind(weight_channel_.socket);
    connect_host(memory);
  }

  template <class MatmulUnit, class... Arguments>
  void install_matmul_unit(Arguments&&... arguments) {
    matmul_ =
        std::make_unique<MatmulUnit>("matmul", context_, std::forward<Arguments>(arguments)...);
    context_.units = {{&load_, &fetch_, matmul_.get(), &vector_, &store_}};
  }

  const UnitStreams& streams() const { return streams_; }

  /// Runs only cycles [0, end), or all cycles if there are fewer.
  void run_until(Cycle end) {
    sc_core::sc_start(ticks(moment(end, 0)), sc_core::SC_EXIT_ON_STARVATION);
    if (context_.failure) std::rethrow_exception(context_.failure);
  }

  Timeline run() {
    sc_core::sc_start();
    if (context_.failure) std::rethrow_exception(context_.failure);
    const RunProgress reached = progress();
    for (const Unit unit : kUnits) {
      if (reached.started[unit] == streams_[unit].size()) continue;
      throw DeadlockError(stall_report(context_.config, context_.program, streams_, reached,
                                       total_cycles(timeline_) - 1));
    }
    return std::move(timeline_);
  }

 private:
  // Only split memory has a separate host link; otherwise loads and stores use the weight channel.
  void connect_host(HostMemory* memory) {
    MemoryChannel* host = &weight_channel_;
    if (context_.config.memory_kind == MemoryKind::kSplit) {
      host_channel_ =
          std::make_unique<MemoryChannel>("host_channel", context_.config, Channel::kHost, memory);
      host = host_channel_.get();
    }
    load_.socket.bind(host->socket);
    store_.socket.bind(host->socket);
  }

  RunProgress progress() const {
    RunProgress progress;
    progress.dispatched = sequencer_.dispatched_count();
    for (const Unit unit : kUnits) {
      progress.started[unit] = context_.units[unit]->started_count();
    }
    progress.tiles_pushed = static_cast<std::uint32_t>(timeline_.pushes.size());
    return progress;
  }

  Timeline timeline_;
  const UnitStreams streams_;
  MachineContext context_;
  TransferUnit load_;
  TransferUnit fetch_;
  VectorUnit vector_;
  TransferUnit store_;
  Sequencer sequencer_;
  MemoryChannel weight_channel_;
  std::unique_ptr<MemoryChannel> host_channel_;
  std::unique_ptr<UnitModule> matmul_;
};

Timeline run_timed(const MachineConfig& config, const Program& program) {
  const SimulationContext context;
  Machine machine(config, program, nullptr, nullptr);
  machine.install_matmul_unit<TimedMatmulUnit>(machine.streams());
  return machine.run();
}

template <class Arithmetic>
Timeline run_with_datapath(const ClockedRun& run, Datapath<Arithmetic>& datapath) {
  ProgressMeter meter(run.program, run.progress);
  const SimulationContext context;
  TypedMachineValues<Arithmetic> values(run.config, datapath);
  Machine machine(run.config, run.program, &run.memory, &values);
  machine.install_matmul_unit<ClockedMatmulUnit<Arithmetic>>(values, datapath, meter);
  return machine.run();
}

template <class Arithmetic>
Timeline run_traced(const ClockedRun& run, Datapath<Arithmetic>& datapath) {
  if (run.vcd == nullptr) return run_with_datapath(run, datapath);
  TracedDatapath<Arithmetic> traced(datapath, run.config.clock_hz, run.vcd_cycles, *run.vcd);
  Timeline timeline = run_with_datapath<Arithmetic>(run, traced);
  traced.finish();
  return timeline;
}

/// If a difference leads to a failure of the machine, throws the difference, not the failure.
template <class Arithmetic>
ClockedResult run_lockstep(const ClockedRun& run, Datapath<Arithmetic>& rtl) {
  SteppedDatapath<Arithmetic> stepped(run.config);
  LockstepDatapath<Arithmetic> pair(stepped, rtl, run.config.clock_hz);
  ClockedResult result;
  try {
    result.timeline = run_traced<Arithmetic>(run, pair);
  } catch (const SimulationError&) {
    pair.finish();
    throw;
  }
  pair.finish();
  result.compared_cycles = pair.cycles();
  return result;
}

ArrayRecording record_clocked(const MachineConfig& config, const Program& program,
                              HostMemory& memory, Cycle cycles) {
  return with_arithmetic(config.dtype, [&]<class Arithmetic>(Arithmetic) {
    ArrayRecording recording{config.array_rows, config.array_cols, config.dtype, cycles};
    SteppedDatapath<Arithmetic> stepped(config);
    RecordedDatapath<Arithmetic> recorded(stepped, recording);
    const std::function<void(double)> nobody;
    ProgressMeter meter(program, nobody);
    const SimulationContext context;
    TypedMachineValues<Arithmetic> values(config, recorded);
    Machine machine(config, program, &memory, &values);
    machine.install_matmul_unit<ClockedMatmulUnit<Arithmetic>>(values, recorded, meter);
    machine.run_until(cycles);
    return recording;
  });
}

ClockedResult run_clocked(const ClockedRun& run) {
  return with_arithmetic(run.config.dtype, [&]<class Arithmetic>(Arithmetic) -> ClockedResult {
    if (run.array == ArrayModel::kStepped) {
      SteppedDatapath<Arithmetic> stepped(run.config);
      return {run_traced<Arithmetic>(run, stepped), 0};
    }
    const auto rtl = make_rtl_datapath<Arithmetic>(run.config);
    if (run.lockstep) return run_lockstep(run, *rtl);
    return {run_traced(run, *rtl), 0};
  });
}

}  // namespace
}  // namespace weft

// NOLINTNEXTLINE(readability-identifier-naming): a symbol of C
extern "C" __attribute__((visibility("default"))) const weft::MachineLibrary weft_machine{
    WEFT_MACHINE_INTERFACE, weft::run_timed, weft::record_clocked, weft::run_clocked};
