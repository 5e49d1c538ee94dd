#include "runtime/analysis/value_sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/decimal.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "base/similar.h"
#include "runtime/analysis/axis_values.h"
#include "sim/config/config_keys.h"

namespace weft::runtime {
namespace {

constexpr std::string_view kBatch = "batch";
constexpr std::uint64_t kMostBatch = 65536;

[[noreturn]] void fail(std::string_view text, std::string_view why) {
  throw InputError(fmt::format("--sweep {}: {}", printable(text), why));
}

/// Throws InputError unless `name` is a number of the machine, or batch.
void check_name(std::string_view name, std::string_view text) {
  if (name == kBatch) return;
  std::vector<std::string> known = {"m", "k", "n", std::string(kBatch)};
  for (const ConfigKey& key : config_keys()) {
    if (key.name == name) {
      if (key.decimals) return;
      fail(text,
           fmt::format("{} is no number; run once for each of its values, {}", name, key.range));
    }
    if (key.decimals) known.push_back(key.name);
  }
  constexpr std::size_t kShortName = 3;  // every short name is similar to m, k and n
  const std::string meant = name.size() > kShortName ? most_similar(name, known) : "";
  fail(text, meant.empty()
                 ? "must be m=LO..HI, k=LO..HI or n=LO..HI, batch=VALUES or KEY=VALUES with a key "
                   "that `weft machines NAME` prints; VALUES are as in `weft sweep`"
                 : fmt::format("there is no {}; did you mean {}?", printable(name), meant));
}

std::uint64_t number(std::string_view part, std::string_view text) {
  const auto value = parse_decimal(part, kAxisDecimals);
  if (!value) fail(text, fmt::format("{} is no number", printable(part)));
  return *value;
}

void check_batch(const ValueSweepRequest& request) {
  if (request.name != kBatch) return;
  for (const std::string& value : request.values) parse_number(value, "batch", 1, kMostBatch);
}

[[noreturn]] void fail_too_many(std::string_view text) {
  fail(text, fmt::format("would be more than {} points; choose a larger step", kMostSweepPoints));
}

/// LO..HI or LO..HI:STEP; `dots` is where the two dots are. Without a step it takes few points.
void add_range(std::string_view text, std::size_t begin, std::size_t dots,
               ValueSweepRequest& request) {
  const std::size_t colon = std::min(text.find(':', dots), text.size());
  const std::uint64_t low = number(text.substr(begin, dots - begin), text);
  const std::uint64_t high = number(text.substr(dots + 2, colon - dots - 2), text);
  if (low > high) fail(text, "ends before it begins; give the smaller value first");
  request.step_chosen = colon == text.size();
  const std::uint64_t step = request.step_chosen
                                 ? ((high - low) / kAxisOne / kChosenSweepPoints + 1) * kAxisOne
                                 : number(text.substr(colon + 1), text);
  if (step == 0) fail(text, "the step is 0; give a larger one");
  if ((high - low) / step >= kMostSweepPoints) fail_too_many(text);
  for (std::uint64_t value = low; value <= high && value >= low; value += step) {
    request.values.push_back(print_decimal(value, kAxisDecimals));
  }
  request.step = print_decimal(step, kAxisDecimals);
  const std::string last = print_decimal(high, kAxisDecimals);
  if (request.step_chosen && request.values.back() != last) request.values.push_back(last);
}

/// The values of an axis of `weft sweep`.
void add_values(std::string_view text, std::size_t begin, ValueSweepRequest& request) {
  request.values = parse_values(text.substr(begin), "--sweep " + request.name);
  if (request.values.size() > kMostSweepPoints) fail_too_many(text);
  for (const std::string& value : request.values) number(value, text);
}

SweepPoint point_of(const NetworkRun& run, const MachineConfig& config,
                    std::optional<std::int64_t> batch) {
  SweepPoint point;
  for (const LayerRun& layer : run.layers) {
    if (layer.info.issued_macs > 0) point.folds += layer.info.fetches;
  }
  point.cycles = static_cast<std::uint64_t>(run.total);
  point.seconds = static_cast<double>(run.total) / static_cast<double>(config.clock_hz);
  if (run.issued_macs > 0) {
    point.waste = 1 - static_cast<double>(run.useful_macs) / static_cast<double>(run.issued_macs);
  }
  if (run.total > 0) {
    point.utilization = static_cast<double>(run.useful_macs) /
                        (static_cast<double>(run.total) * config.array_rows * config.array_cols);
  }
  if (batch) point.cycles_per_image = static_cast<double>(run.total) / static_cast<double>(*batch);
  return point;
}

/// "array.rows = 5000: must be 1..4096", whether or not the reason begins with name and value.
std::string failure(const std::string& name, const SweepPoint& point) {
  for (const std::string& value : {point.value, printable(point.value)}) {
    const std::string prefix = fmt::format("{} = {}: ", name, value);
    if (!point.why.starts_with(prefix)) continue;
    return fmt::format("{} = {}: {}", name, point.value, point.why.substr(prefix.size()));
  }
  return fmt::format("{} = {}: {}", name, point.value, point.why);
}

class ValueSweep {
 public:
  ValueSweep(const SweptRuns& workload, const ValueSweepRequest& request,
             const MachineConfig& config)
      : workload_(workload), request_(request), config_(config) {}

  SweepPoint at(const std::string& value) {
    SweepPoint point;
    try {
      point = run(value);
    } catch (const ConfigError& error) {
      point.why = error.what();
    } catch (const InputError& error) {
      point.why = error.what();
    }
    point.value = value;
    return point;
  }

  std::uint64_t instructions() const { return instructions_; }

 private:
  SweepPoint run(const std::string& value) {
    MachineConfig config = config_;
    std::optional<std::int64_t> batch;
    if (request_.name == kBatch) {
      batch = static_cast<std::int64_t>(parse_number(value, "batch", 1, kMostBatch));
    } else {
      set_key(config, request_.name, value);
      validate(config);
    }
    const NetworkRun run = workload_.run(config, batch);
    instructions_ += run.instructions;
    return point_of(run, config, batch);
  }

  const SweptRuns& workload_;
  const ValueSweepRequest& request_;
  const MachineConfig& config_;
  std::uint64_t instructions_ = 0;
};

}  // namespace

bool sweeps_size(std::string_view text) {
  return text.size() > 1 && text[1] == '=' &&
         std::string_view("mkn").find(text.front()) != std::string_view::npos;
}

ValueSweepRequest parse_value_sweep(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::size_t begin = std::min(equals + 1, text.size());
  const std::size_t dots = text.find("..", begin);
  ValueSweepRequest request{std::string(text.substr(0, equals))};
  check_name(request.name, text);
  if (text.find_first_of(",*+", begin) != std::string_view::npos) {
    add_values(text, begin, request);
  } else if (dots != std::string_view::npos) {
    add_range(text, begin, dots, request);
  } else {
    fail(text, "has no range; give LO..HI, LO..HI:STEP, LO..HI*FACTOR or a list such as 64,128");
  }
  check_batch(request);
  return request;
}

Sweep run_value_sweep(const SweptRuns& workload, const ValueSweepRequest& request,
                      const MachineConfig& config, const std::function<void(double)>& progress) {
  if (request.name == kBatch && !workload.has_batch) {
    throw InputError(fmt::format("--sweep batch: a {} has none; sweep m", workload.kind));
  }
  Sweep sweep{request.name, workload.kind, workload.title, ""};
  sweep.is_value = true;
  sweep.value_step = request.step;
  sweep.step_chosen = request.step_chosen;
  ValueSweep points(workload, request, config);
  for (const std::string& value : request.values) {
    sweep.points.push_back(points.at(value));
    if (points.instructions() > kMostSweepInstructions &&
        sweep.points.size() < request.values.size()) {
      throw InputError(
          fmt::format("--sweep: its programs have more than {} instructions up to {} = {}; choose "
                      "fewer values or a smaller workload",
                      kMostSweepInstructions, request.name, value));
    }
    progress(static_cast<double>(sweep.points.size()) / static_cast<double>(request.values.size()));
  }
  const auto failed = [](const SweepPoint& point) { return !point.why.empty(); };
  if (std::ranges::all_of(sweep.points, failed)) {
    throw InputError(
        fmt::format("--sweep: no value runs; {}", failure(request.name, sweep.points.front())));
  }
  return sweep;
}

}  // namespace weft::runtime
