// Reads back trace files of random runs. Viewers must accept the bars, and every figure is present.
#include "sim/trace/trace_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/analysis/ledger.h"
#include "sim/analysis/occupancy.h"
#include "sim/analysis/summary.h"
#include "sim/isa/text/text.h"
#include "sim/timing/analytic.h"
#include "sim/timing/transfers.h"
#include "tests/analysis/race_free_program.h"

namespace weft {
namespace {

using nlohmann::json;
using testing::Random;

/// Events by the name of their track or counter.
struct ReadTrace {
  json facts;
  std::map<std::string, std::vector<json>> tracks;
  std::map<std::string, std::vector<json>> counters;

  explicit ReadTrace(const std::string& text) {
    const json file = json::parse(text);
    facts = file["otherData"];
    std::map<int, std::string> names;
    for (const json& event : file["traceEvents"]) {
      if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
    }
    for (const json& event : file["traceEvents"]) {
      if (event["ph"] == "X" || event["ph"] == "i") tracks[names.at(event["tid"])].push_back(event);
      if (event["ph"] == "C") counters[event["name"]].push_back(event);
    }
  }
};

Cycle begin_of(const json& bar) {
  return bar["ts"].get<Cycle>();
}
Cycle end_of(const json& bar) {
  return begin_of(bar) + bar["dur"].get<Cycle>();
}

std::string write_trace(const MachineConfig& config, const Program& program,
                        const Timeline& timeline, const std::vector<Cycle>& begins) {
  std::ostringstream out;
  TraceEvents events(out, config, "a run");
  for (const Cycle begin : begins) {
    events.add_program(program, timeline, begin, [](std::size_t instruction, TraceArguments& args) {
      args.add("tenfold", instruction * 10);
    });
  }
  events.finish();
  return out.str();
}

void expect_apart(const ReadTrace& trace) {
  for (const auto& [name, bars] : trace.tracks) {
    for (std::size_t i = 1; i < bars.size(); ++i) {
      ASSERT_GE(begin_of(bars[i]), end_of(bars[i - 1])) << name;
    }
  }
}

/// Total cycles of the bars on `track`, by bar name.
std::map<std::string, Cycle> cycles_by_name(const ReadTrace& trace, const std::string& track) {
  std::map<std::string, Cycle> cycles;
  const auto bars = trace.tracks.find(track);
  if (bars == trace.tracks.end()) return cycles;
  for (const json& bar : bars->second) cycles[bar["name"]] += bar["dur"].get<Cycle>();
  return cycles;
}

void expect_ledger(const ReadTrace& trace, const CycleLedger& ledger) {
  auto cycles = cycles_by_name(trace, "ledger");
  for (const LedgerClass& entry : kLedgerClasses) {
    ASSERT_EQ(cycles[std::string(entry.name)], ledger.*entry.cycles) << entry.name;
  }
}

/// Expects each instruction once, at its start, with its text and the caller's argument.
void expect_instructions(const ReadTrace& trace, const Program& program, const Timeline& timeline) {
  std::vector<int> seen(program.code.size());
  for (const auto& [name, bars] : trace.tracks) {
    if (name == "ledger" || name == "weight push") continue;
    for (const json& bar : bars) {
      if (bar["name"] == "wait") continue;
      const auto index = bar["args"]["index"].get<std::size_t>();
      ++seen.at(index);
      const InstructionTiming& timing = timeline.instructions[index];
      ASSERT_EQ(begin_of(bar), timing.started);
      ASSERT_EQ(bar["args"]["dispatched"], timing.dispatched);
      ASSERT_EQ(bar["args"]["retired"], timing.retired);
      ASSERT_EQ(bar["args"]["text"], format(program.code[index]));
      ASSERT_EQ(bar["args"]["tenfold"], index * 10);
    }
  }
  ASSERT_EQ(seen, std::vector<int>(program.code.size(), 1));
}

/// The value of a counter in each cycle: it stays at the last sample or moves evenly to the next.
std::vector<std::int64_t> curve(const std::vector<json>& samples, const std::string& series,
                                const std::vector<std::int64_t>& truth) {
  std::vector<std::int64_t> values(truth.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto from = samples[i]["ts"].get<std::size_t>();
    const auto value = samples[i]["args"][series].get<std::int64_t>();
    const bool last = i + 1 == samples.size();
    const auto to = last ? values.size() : samples[i + 1]["ts"].get<std::size_t>();
    const auto next = last ? value : samples[i + 1]["args"][series].get<std::int64_t>();
    const auto distance = static_cast<std::int64_t>(to - from);
    const bool even = !last && (next - value) % distance == 0 && truth.at(from + 1) != value;
    const std::int64_t step = even ? (next - value) / distance : 0;
    for (std::size_t t = from; t < to; ++t) {
      values.at(t) = value + step * static_cast<std::int64_t>(t - from);
    }
  }
  return values;
}

std::vector<std::int64_t> expand(const Staircase& points, Cycle total) {
  std::vector<std::int64_t> counts;
  auto next = points.begin();
  StaircasePoint now;
  for (Cycle t = 0; t <= total; ++t) {
    if (next != points.end() && next->cycle == t) now = *next++;
    counts.push_back(now.at(t));
  }
  return counts;
}

void expect_counter(const ReadTrace& trace, const std::string& name, const std::string& series,
                    const Staircase& points, Cycle total) {
  const std::vector<std::int64_t> counts = expand(points, total);
  const std::vector<json>& samples = trace.counters.at(name);
  ASSERT_EQ(curve(samples, series, counts), counts) << name;
  std::int64_t largest = 0;
  for (const json& sample : samples) {
    largest = std::max(largest, sample["args"][series].get<std::int64_t>());
  }
  ASSERT_EQ(largest, std::ranges::max(counts)) << name << ": no sample shows the peak";
}

/// The area under the curves of all channels, in bytes.
double bytes_of(const ReadTrace& trace) {
  double bytes = 0;
  for (const std::string name : {"memory", "weight memory", "host link"}) {
    const auto samples = trace.counters.find(name);
    if (samples == trace.counters.end()) continue;
    for (std::size_t i = 0; i + 1 < samples->second.size(); ++i) {
      const json& sample = samples->second[i];
      bytes += sample["args"]["bytes per cycle"].get<double>() *
               static_cast<double>(begin_of(samples->second[i + 1]) - begin_of(sample));
    }
  }
  return bytes;
}

double traffic_of(const MachineConfig& config, const Program& program) {
  double bytes = 0;
  for (const Instruction& instruction : program.code) {
    const auto request = transfer_request(instruction.operation, config);
    if (request) bytes += static_cast<double>(request->bytes);
  }
  return config.memory_kind == MemoryKind::kIdeal ? 0 : bytes;
}

TEST(TraceEventsTest, HoldTheWholeRunOfRandomPrograms) {
  std::map<std::string, int> tracks;
  std::map<std::string, int> counters;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::race_free_machine(random);
    const testing::RaceFreeProgram made(config, random);
    const Program& program = made.program();
    const Timeline timeline = analytic_timeline(config, program);
    const Cycle total = total_cycles(timeline);
    const ReadTrace trace(write_trace(config, program, timeline, {0}));
    for (const auto& entry : trace.tracks) ++tracks[entry.first];
    for (const auto& entry : trace.counters) ++counters[entry.first];

    expect_apart(trace);
    expect_instructions(trace, program, timeline);
    const CycleLedger sums = ledger(config, program, timeline, total);
    expect_ledger(trace, sums);
    ASSERT_EQ(cycles_by_name(trace, "matmul")["matmul"], sums.array_active);
    const std::vector<json>& pushes = trace.tracks.at("weight push");
    ASSERT_EQ(pushes.size(), timeline.pushes.size());
    for (std::size_t i = 0; i < pushes.size(); ++i) {
      ASSERT_EQ(begin_of(pushes[i]), timeline.pushes[i]);
      ASSERT_EQ(end_of(pushes[i]), timeline.pushes[i] + config.array_rows);
    }
    expect_counter(trace, "unified buffer", "rows", buffer_occupancy(config, program, timeline),
                   total);
    expect_counter(trace, "accumulators", "rows", accumulator_occupancy(config, program, timeline),
                   total);
    expect_counter(trace, "weight FIFO", "tiles", fifo_occupancy(config, program, timeline), total);
    // The file has nine digits.
    ASSERT_NEAR(bytes_of(trace), traffic_of(config, program), traffic_of(config, program) * 1e-8);
    if (::testing::Test::HasFatalFailure()) return;
  }
  for (const char* name : {"ledger", "load", "fetch", "fetch from buffer", "weight push", "matmul",
                           "vector", "store"}) {
    EXPECT_GT(tracks[name], 100) << name;
  }
  for (const char* name : {"memory", "weight memory", "host link"}) {
    EXPECT_GT(counters[name], 100) << name;
  }
}

TEST(TraceEventsTest, ProgramsFollowEachOtherAndLayersHaveTheirNames) {
  Random random(3);
  MachineConfig config = testing::race_free_machine(random);
  config.name = "</script>";
  const testing::RaceFreeProgram made(config, random);
  const Timeline timeline = analytic_timeline(config, made.program());
  const Cycle total = total_cycles(timeline);
  const ReadTrace once(write_trace(config, made.program(), timeline, {0}));
  const ReadTrace twice(write_trace(config, made.program(), timeline, {0, total + 5}));
  EXPECT_EQ(twice.facts["machine"], "</script>");
  EXPECT_EQ(twice.facts["clock_hz"], config.clock_hz);
  expect_apart(twice);
  for (const auto& [name, bars] : once.tracks) {
    const std::vector<json>& both = twice.tracks.at(name);
    ASSERT_EQ(both.size(), 2 * bars.size()) << name;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      EXPECT_EQ(both[i], bars[i]);
      EXPECT_EQ(begin_of(both[bars.size() + i]), begin_of(bars[i]) + total + 5);
    }
  }
  for (const auto& [name, samples] : once.counters) {
    const std::vector<json>& both = twice.counters.at(name);
    ASSERT_EQ(both.size(), 2 * samples.size()) << name;
    EXPECT_EQ(begin_of(both.back()), begin_of(samples.back()) + total + 5);
  }

  std::ostringstream out;
  TraceEvents events(out, config, "a run");
  events.add_layer("</script>\"\n", 0, 7, TraceArguments().add("op", "Conv"));
  events.add_host_node("soft\xFF", 7, {});
  events.finish();
  EXPECT_EQ(out.str().find("</"), std::string::npos);
  const ReadTrace named(out.str());
  EXPECT_EQ(named.tracks.at("layers").front()["name"], "</script>\"\n");
  EXPECT_EQ(named.tracks.at("layers").front()["args"]["op"], "Conv");
  EXPECT_EQ(named.tracks.at("host").front()["name"], "soft\xEF\xBF\xBD");
}

}  // namespace
}  // namespace weft
