#include "runtime/network_timing.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/emit/emit_segment.h"
#include "compiler/schedule/product_segment.h"
#include "sim/analysis/group_ledger.h"
#include "sim/simulate.h"

namespace weft::runtime {
namespace {

// `after` counts and the positions of instructions in their unit have 32 bits.
constexpr std::size_t kMostStreamed = std::numeric_limits<std::uint32_t>::max();

/// Times each instruction and forgets it.
class TimedSink final : public network::InstructionSink {
 public:
  /// `began`, if given, is called with each layer that begins.
  TimedSink(const MachineConfig& config, std::function<void(std::uint32_t)> began)
      : groups_(config), run_(config, &groups_), began_(std::move(began)) {}

  void add(const Instruction& instruction, std::uint32_t layer,
           const network::TileNumbers&) override {
    if (layer != layer_ && began_) began_(layer);
    layer_ = layer;
    groups_.begin_group(layer);
    run_.accept(instruction);
  }
  Result finish() { return run_.finish(); }
  /// The cycles of `layers` layers.
  std::vector<CycleLedger> ledgers(std::size_t layers) const {
    std::vector<CycleLedger> ledgers = groups_.ledgers();
    ledgers.resize(layers);
    return ledgers;
  }

 private:
  GroupLedger groups_;
  StreamedRun run_;
  std::function<void(std::uint32_t)> began_;
  std::uint32_t layer_ = 0;
};

std::size_t layers_of(const network::ScheduledNetwork& network) {
  std::size_t layers = 0;
  for (const auto& step : network.steps) {
    const auto* segment = std::get_if<network::ScheduledSegment>(&step);
    if (segment != nullptr) layers += segment->segment.layers.size();
  }
  return layers;
}

class NetworkTiming {
 public:
  NetworkTiming(const network::ScheduledNetwork& network, const MachineConfig& config,
                const std::function<void(double)>& progress)
      : network_(network), config_(config), progress_(progress), layers_(layers_of(network)) {}

  NetworkRun run() {
    for (const auto& step : network_.steps) {
      if (const auto* host = std::get_if<network::HostStep>(&step)) {
        run_.layers.push_back(host_layer(network_.graph, *host));
      } else {
        add(std::get<network::ScheduledSegment>(step));
      }
    }
    return std::move(run_);
  }

 private:
  void add(const network::ScheduledSegment& scheduled) {
    const auto& [segment, schedule] = scheduled;
    if (is_product(schedule)) {
      const Result result = simulate(config_, *product_stream(segment, schedule, config_));
      const network::LayerInfo info = product_layer(segment, schedule, config_);
      add_program(run_, result, layer_runs({&info, 1}, {&result.ledger, 1}));
    } else {
      TimedSink sink(config_, [this](std::uint32_t layer) { report(layer); });
      const network::MachineStep step =
          emit_segment(segment, schedule, config_, kMostStreamed, sink);
      const Result result = sink.finish();
      add_program(run_, result, layer_runs(step.layers, sink.ledgers(step.layers.size())));
    }
    done_ += segment.layers.size();
    report(0);
  }

  void report(std::size_t layer) const {
    if (progress_) progress_(static_cast<double>(done_ + layer) / static_cast<double>(layers_));
  }

  const network::ScheduledNetwork& network_;
  const MachineConfig& config_;
  const std::function<void(double)>& progress_;
  const std::size_t layers_;
  std::size_t done_ = 0;  // layers of the programs before
  NetworkRun run_;
};

}  // namespace

NetworkRun time_network(const network::ScheduledNetwork& network, const MachineConfig& config,
                        const std::function<void(double)>& progress) {
  return NetworkTiming(network, config, progress).run();
}

}  // namespace weft::runtime
