#include "runtime/network_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "compiler/emit/emit_segment.h"
#include "compiler/schedule/product/product_segment.h"
#include "runtime/run_bounds.h"
#include "sim/analysis/group_ledger.h"
#include "sim/simulate.h"

namespace weft::runtime {
namespace {

// `after` counts and the positions of instructions in their unit have 32 bits.
constexpr std::size_t kMostStreamed = std::numeric_limits<std::uint32_t>::max();

// What a run holds for each instruction since the last matmul: its times with their paths for the
// clock (32 bytes) and its interval for the ledger (16), three times over while a ring grows to
// twice its size; and 64 for events of the critical path, while the recorder looks for those to
// forget.
constexpr std::uint64_t kBytesSinceMatmul = 3 * (32 + 16) + 64;

/// Times each instruction and forgets it.
class TimedSink final : public compiler::InstructionSink {
 public:
  /// `began`, if given, is called with each layer that begins, before its first instruction.
  /// `tile`, if given, holds the numbers of the instruction that the observer is told of.
  TimedSink(const MachineConfig& config, std::uint64_t memory_bytes, RunObserver& observer,
            std::function<void(std::uint32_t)> began = {}, compiler::TileNumbers* tile = nullptr)
      : most_since_matmul_(memory_bytes / kBytesSinceMatmul),
        run_(config, &observer),
        began_(std::move(began)),
        tile_(tile) {}

  void add(const Instruction& instruction, std::uint32_t layer,
           const compiler::TileNumbers& tile) override {
    if (tile_ != nullptr) *tile_ = tile;
    if (layer != layer_) {
      run_.begin_group(layer);
      if (began_) began_(layer);
    }
    layer_ = layer;
    if (instruction.opcode() == Opcode::kMatmul) since_matmul_ = 0;
    if (++since_matmul_ > most_since_matmul_) refuse();
    run_.accept(instruction);
  }
  Result finish() { return run_.finish(); }
  /// After finish(): the critical path of each of `layers` layers.
  std::vector<CriticalPath> paths(std::size_t layers) const {
    std::vector<CriticalPath> paths = run_.paths();
    paths.resize(layers);
    return paths;
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError(fmt::format(
        "the network takes more than {} instructions between two matmuls, the most that the memory "
        "of this computer has room for; choose a smaller input or batch",
        most_since_matmul_));
  }

  const std::uint64_t most_since_matmul_;
  std::uint64_t since_matmul_ = 0;
  StreamedRun run_;
  std::function<void(std::uint32_t)> began_;
  compiler::TileNumbers* tile_;
  std::uint32_t layer_ = 0;
};

std::size_t layers_of(const compiler::ScheduledNetwork& network) {
  std::size_t layers = 0;
  for (const auto& step : network.steps) {
    const auto* segment = std::get_if<compiler::ScheduledSegment>(&step);
    if (segment != nullptr) layers += segment->segment.layers.size();
  }
  return layers;
}

class NetworkTiming {
 public:
  /// Programs are written for `config` and run on `machine`.
  NetworkTiming(const compiler::ScheduledNetwork& network, const MachineConfig& config,
                const MachineConfig& machine, const std::function<void(double)>& progress,
                std::uint64_t memory_bytes)
      : network_(network),
        config_(config),
        machine_(machine),
        progress_(progress),
        memory_bytes_(memory_bytes),
        layers_(layers_of(network)) {}

  NetworkRun run() {
    for (const auto& step : network_.steps) {
      if (const auto* host = std::get_if<compiler::HostStep>(&step)) {
        run_.layers.push_back(host_layer(network_.graph, *host));
      } else {
        add(std::get<compiler::ScheduledSegment>(step));
      }
    }
    tell_apart(run_.layers);
    return std::move(run_);
  }

 private:
  void add(const compiler::ScheduledSegment& scheduled) {
    const compiler::Segment& segment = scheduled.segment;
    const compiler::Schedule& schedule = scheduled.schedule;
    if (is_product(schedule)) {
      const Result result = simulate(machine_, *product_stream(segment, schedule, config_));
      const compiler::LayerInfo info = product_layer(segment, schedule, config_);
      add_program(run_, result,
                  layer_runs({&info, 1}, {&result.ledger, 1}, {&result.events, 1},
                             {&result.critical_path, 1}));
    } else {
      GroupLedger groups(machine_);
      TimedSink sink(machine_, memory_bytes_, groups, [&](std::uint32_t layer) {
        groups.begin_group(layer);
        report(layer);
      });
      const compiler::MachineStep step =
          emit_segment(segment, schedule, config_, kMostStreamed, sink);
      const Result result = sink.finish();
      std::vector<CycleLedger> ledgers = groups.ledgers();
      ledgers.resize(step.layers.size());
      std::vector<EventCounts> events = groups.events();
      events.resize(step.layers.size());
      add_program(run_, result,
                  layer_runs(step.layers, ledgers, events, sink.paths(step.layers.size())));
    }
    done_ += segment.layers.size();
    report(0);
  }

  /// Layers that come back for other images are not further than the last one so far.
  void report(std::size_t layer) {
    furthest_ = std::max(furthest_, done_ + layer);
    if (progress_) progress_(static_cast<double>(furthest_) / static_cast<double>(layers_));
  }

  const compiler::ScheduledNetwork& network_;
  const MachineConfig& config_;
  const MachineConfig& machine_;
  const std::function<void(double)>& progress_;
  const std::uint64_t memory_bytes_;
  const std::size_t layers_;
  std::size_t done_ = 0;  // layers of the programs before
  std::size_t furthest_ = 0;
  NetworkRun run_;
};

}  // namespace

NetworkRun time_network(const compiler::ScheduledNetwork& network, const MachineConfig& config,
                        const std::function<void(double)>& progress, std::uint64_t memory_bytes) {
  NetworkRun run = NetworkTiming(network, config, config, progress, memory_bytes).run();
  add_bounds(run, network, config);
  return run;
}

NetworkRun time_network_on(const compiler::ScheduledNetwork& network, const MachineConfig& made_for,
                           const MachineConfig& machine, std::uint64_t memory_bytes) {
  const std::function<void(double)> no_progress;
  return NetworkTiming(network, made_for, machine, no_progress, memory_bytes).run();
}

Result time_segment(const compiler::ScheduledSegment& scheduled, const MachineConfig& config,
                    RunObserver& observer, compiler::TileNumbers& tile,
                    std::uint64_t memory_bytes) {
  const compiler::Segment& segment = scheduled.segment;
  const compiler::Schedule& schedule = scheduled.schedule;
  if (is_product(schedule)) {
    return simulate(config, *product_stream(segment, schedule, config), &observer);
  }
  TimedSink sink(config, memory_bytes, observer, {}, &tile);
  emit_segment(segment, schedule, config, kMostStreamed, sink);
  return sink.finish();
}

}  // namespace weft::runtime
