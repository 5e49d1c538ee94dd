#include "report/explain/conv_explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/explain/account_text.h"
#include "report/explain/conv_advice.h"
#include "report/explain/product_explanation.h"
#include "report/explain/sweep_report.h"
#include "report/explain/tile_drawing.h"
#include "report/json.h"
#include "report/machine_text.h"
#include "report/report_json.h"
#include "report/wrapped_text.h"
#include "runtime/analysis/fold_count.h"
#include "runtime/analysis/span_excess.h"
#include "runtime/job/analytic_run.h"
#include "runtime/network_timing.h"
#include "runtime/workload/run_options.h"

namespace weft::report {
namespace {

runtime::ContractionShape conv_shape(const runtime::ConvSpec& spec,
                                     const compiler::ScheduledSegment& scheduled) {
  const Mapping& mapping = scheduled.schedule.layers.front().mappings.front();
  runtime::ContractionShape shape;
  shape.taps_y = runtime::unsigned_of(spec.kernel[0]);
  shape.taps_x = runtime::unsigned_of(spec.kernel[1]);
  shape.channels = runtime::unsigned_of(spec.input[1]);
  shape.n = runtime::unsigned_of(spec.filters);
  shape.is_convolution = true;
  shape.is_packed = mapping.packed_taps > 1;
  const auto* layer =
      std::get_if<compiler::ContractionLayer>(&scheduled.segment.layers.front().body);
  if (layer == nullptr || !layer->join.lines.out.any()) return shape;
  const auto& patches = scheduled.segment.sheets[layer->a.sheet].patches;
  shape.taps_y = runtime::unsigned_of(patches ? patches->y.kernel : layer->walk.y.kernel);
  shape.lines = runtime::unsigned_of(layer->join.lines.out.joined);
  shape.n *= shape.lines;
  return shape;
}

/// Everything that the explanation reads from the run, while it happens.
class ConvObserver final : public RunObserver {
 public:
  ConvObserver(const runtime::ContractionShape& shape, const MachineConfig& config,
               std::uint64_t steps, runtime::AccountObserver::BufferedTile buffered_tile)
      : account_(shape, config, steps, std::move(buffered_tile)),
        folds_(config),
        border_(shape, config) {}

  void accepted(const Instruction& instruction) override {
    account_.accepted(instruction);
    folds_.add(instruction);
    border_.add(instruction);
  }
  void pushed(Cycle cycle) override { account_.pushed(cycle); }
  void streamed(const MatmulWait& wait, const Matmul& matmul, const CycleLedger& ledger) override {
    account_.streamed(wait, matmul, ledger);
  }

  runtime::Account account(const Result& result) { return account_.account(result); }
  const runtime::FoldCount& folds() const { return folds_; }
  const std::vector<std::uint64_t>& border_rows() const { return border_.rows(); }

 private:
  runtime::AccountObserver account_;
  runtime::FoldCount folds_;
  runtime::BorderRows border_;
};

ArrayConv on_array(const runtime::ConvSpec& spec, const MachineConfig& config,
                   const compiler::ScheduledSegment& segment, const compiler::LayerInfo& info,
                   std::uint64_t steps) {
  const graph::Shape& shape = info.result.shape;
  ArrayConv conv;
  conv.shape = conv_shape(spec, segment);
  conv.rows = runtime::unsigned_of(shape[0] * shape[2] * shape[3]) / conv.shape.lines;
  conv.chunks = info.chunks;
  compiler::TileNumbers tile;
  const bool in_rings = !segment.choices;
  const auto buffered_tile = [&](std::uint64_t fetch) {
    if (in_rings) return fetch % (info.k_tiles * info.n_tiles);
    return static_cast<std::uint64_t>(tile.n_tile) * conv.shape.k_blocks(config) +
           static_cast<std::uint64_t>(tile.k_tile);
  };
  ConvObserver observer(conv.shape, config, steps, buffered_tile);
  conv.result = runtime::time_segment(segment, config, observer, tile);
  conv.chunk_rows = observer.folds().most_rows();
  conv.folds = observer.folds().folds();
  conv.formula = observer.folds().formula();
  conv.border_rows = observer.border_rows();
  conv.excess = runtime::excess_sentence(
      conv.result.array_span, conv.formula_cycles(),
      runtime::span_excess(config, conv.result.span_ledger, conv.formula_cycles(), conv.folds));
  conv.account = observer.account(conv.result);
  return conv;
}

std::uint64_t padded(std::uint64_t size, std::uint64_t tile) {
  return (size + tile - 1) / tile * tile;
}

std::uint64_t padded_k(const runtime::ContractionShape& shape, const MachineConfig& config) {
  return shape.k_blocks(config) * config.array_rows;
}

double waste(std::uint64_t used, std::uint64_t whole) {
  return 1 - static_cast<double>(used) / static_cast<double>(whole);
}

std::string dimension_table(const ArrayConv& conv, const MachineConfig& config) {
  const runtime::ContractionShape& shape = conv.shape;
  const std::uint64_t k = shape.taps() * shape.channels;
  const std::uint64_t k_padded = padded_k(shape, config);
  const std::uint64_t n_padded = padded(shape.n, config.array_cols);
  Table table("llrrrr");
  table.add({"", "", "size", "cut into", "padded", "waste"});
  const bool joined = shape.lines > 1;
  table.add({"M", joined ? fmt::format("rows of {} pixels", shape.lines) : "pixels",
             grouped(conv.rows),
             fmt::format("{} x {}", grouped(conv.chunks), grouped(conv.chunk_rows)),
             grouped(conv.rows), percent(0)});
  table.add({"K",
             fmt::format("{} x {}", counted(shape.taps(), joined ? "pixel" : "tap"),
                         counted(shape.channels, "channel")),
             grouped(k),
             shape.is_packed
                 ? fmt::format("{} x {}", grouped(shape.k_blocks(config)), config.array_rows)
                 : fmt::format("{} x {} x {}", grouped(shape.taps()),
                               grouped(shape.part_blocks(config)), config.array_rows),
             grouped(k_padded), percent(waste(k, k_padded))});
  table.add(
      {"N",
       joined ? fmt::format("{} lines x {}", shape.lines, counted(shape.n / shape.lines, "filter"))
              : "filters",
       grouped(shape.n),
       fmt::format("{} x {}", grouped(n_padded / config.array_cols), config.array_cols),
       grouped(n_padded), percent(waste(shape.n, n_padded))});
  return table.text(2);
}

std::string channels(std::uint64_t first, std::uint64_t last) {
  return first + 1 == last ? fmt::format("channel {}", first)
                           : fmt::format("channels {}-{}", first, last - 1);
}

/// What joined lines do to the blocks.
std::string joined_words(const runtime::ContractionShape& shape) {
  return fmt::format(
      " {} lines of the result lie side by side in a row: each filter has a column for each of "
      "them, with zeros for what its windows do not reach.",
      shape.lines);
}

/// Says which K blocks belong to a tap, and why.
std::string block_words(const ArrayConv& conv, const MachineConfig& config) {
  const runtime::ContractionShape& shape = conv.shape;
  const std::uint64_t blocks = shape.part_blocks(config);
  if (shape.is_packed && shape.lines > 1) {
    return fmt::format(
        "All pixels that the windows of {} lines reach lie side by side in {}. A row holds their "
        "{} elements, channel by channel and pixel by pixel: the load cuts them out of the image.",
        shape.lines, counted(blocks, "K block"), grouped(shape.part_rows()));
  }
  if (shape.is_packed) {
    return fmt::format(
        "All taps lie side by side in {}. A row of pixels holds the {} elements of one window, "
        "channel by channel and tap by tap: the load cuts them out of the image.",
        counted(blocks, "K block"), grouped(shape.part_rows()));
  }
  if (blocks == 1) {
    return fmt::format(
        "Each tap is one K block, with {}: the rows of a block read the pixel that the tap shifts "
        "to.",
        channels(0, shape.channels));
  }
  return fmt::format(
      "Each tap is {}, from {} to {}: the rows of a block read the pixel that the tap shifts to.",
      counted(blocks, "K block"), channels(0, config.array_rows),
      channels((blocks - 1) * config.array_rows, shape.channels));
}

/// A grid with the number of border pixels that each tap reads; empty without a border.
std::string border_grid(const ArrayConv& conv) {
  constexpr std::uint64_t kMostTaps = 13;  // along a side
  const runtime::ContractionShape& shape = conv.shape;
  const std::uint64_t most = *std::ranges::max_element(conv.border_rows);
  if (most == 0) return "";
  const std::string text = wrapped(fmt::format(
      "Rows that the row generator takes from the border instead of the unified buffer, out of {} "
      "at each tap:",
      grouped(conv.rows)));
  if (shape.taps_y > kMostTaps || shape.taps_x > kMostTaps) {
    return text + wrapped(fmt::format("up to {}", grouped(most)));
  }
  Table table(std::string(shape.taps_x + 1, 'r'));
  std::vector<std::string> heading = {"tap y\\x"};
  for (std::uint64_t x = 0; x < shape.taps_x; ++x) heading.push_back(grouped(x));
  table.add(std::move(heading));
  for (std::uint64_t y = 0; y < shape.taps_y; ++y) {
    std::vector<std::string> row = {grouped(y)};
    for (std::uint64_t x = 0; x < shape.taps_x; ++x) {
      row.push_back(grouped(conv.border_rows[y * shape.taps_x + x]));
    }
    table.add(std::move(row));
  }
  return text + table.text(4);
}

std::string plan_table(const ArrayConv& conv, const compiler::LayerInfo& info) {
  Table table("lr");
  table.add({"folds (tiles swapped in)", grouped(conv.folds)});
  table.add({"useful MACs", grouped(info.macs)});
  table.add({"issued MACs", grouped(info.issued_macs)});
  table.add({"  of them padding", percent(waste(info.macs, info.issued_macs))});
  return table.text(2);
}

DrawnProduct drawn(const ArrayConv& conv) {
  DrawnProduct product;
  product.a = "pixels";
  product.b = "weights";
  product.rows_name = "pixels";
  product.m = conv.rows;
  product.channels = conv.shape.part_rows();
  product.taps = conv.shape.parts();
  product.n = conv.shape.n;
  product.chunk_rows = conv.chunk_rows;
  return product;
}

/// "stride 2,2; padding 1,1,1,1".
std::string settings(const runtime::ConvSpec& spec) {
  const std::string pads =
      spec.pads ? fmt::format("{}", fmt::join(*spec.pads, ",")) : std::string("same");
  return fmt::format("stride {}, padding {}, dilation {}", fmt::join(spec.strides, ","), pads,
                     fmt::join(spec.dilations, ","));
}

void print_array(const ConvExplanation& explanation, const Streams& streams) {
  const ArrayConv& conv = *explanation.array;
  const MachineConfig& config = explanation.report.machine;
  const compiler::LayerInfo& info = explanation.report.run.layers.front().info;
  streams.out << dimension_table(conv, config) << '\n';
  if (explanation.spec.groups == 1) streams.out << draw_tiles(drawn(conv), config) << '\n';
  const std::string words =
      block_words(conv, config) + (conv.shape.lines > 1 ? joined_words(conv.shape) : "");
  streams.out << wrapped(words) << border_grid(conv) << '\n' << plan_table(conv, info);
  if (!info.note.empty()) streams.out << wrapped(info.note);
  streams.out << '\n'
              << streams.style.bold("cycles") << '\n'
              << cycle_table(conv.formula, conv.result.array_span, conv.result.total,
                             explanation.report.run.bound)
              << (conv.excess.empty() ? "" : wrapped(conv.excess))
              << critical_path_line(explanation.report) << '\n'
              << account_section(conv.account, conv.shape, config, streams.style) << '\n';
}

Json plan_json(const ArrayConv& conv, const MachineConfig& config,
               const compiler::LayerInfo& info) {
  return {{"pixels", conv.rows * conv.shape.lines},
          {"joined_lines", conv.shape.lines},
          {"taps", Json::array({conv.shape.taps_y, conv.shape.taps_x})},
          {"channels", conv.shape.channels},
          {"packed", conv.shape.is_packed},
          {"filters", conv.shape.n / conv.shape.lines},
          {"k_tiles", conv.shape.k_blocks(config)},
          {"n_tiles", padded(conv.shape.n, config.array_cols) / config.array_cols},
          {"m_chunks", conv.chunks},
          {"folds", conv.folds},
          {"padded_k", padded_k(conv.shape, config)},
          {"padded_n", padded(conv.shape.n, config.array_cols)},
          {"padding_waste", waste(info.macs, info.issued_macs)},
          {"border_rows", conv.border_rows},
          {"formula_cycles", conv.formula_cycles()},
          {"chunk_rows", conv.chunk_rows},
          {"formula_terms", formula_json(conv.formula)}};
}

/// A convolution that does not use the array.
void print_elsewhere(const RunReport& report, const Streams& streams) {
  const bool any = std::ranges::any_of(
      report.run.layers, [](const runtime::LayerRun& layer) { return layer.info.fetches > 0; });
  streams.out << wrapped(
      any ? "Only a part of the layer runs on the array, so its folds are not explained here."
          : "No tile of weights enters the array, so there are no folds.");
  for (const runtime::LayerRun& layer : report.run.layers) {
    const std::string_view place = place_of(layer);
    streams.out << wrapped(fmt::format(
        "{} runs on the {}, {}", layer.info.op, place == "vector" ? "vector unit" : place,
        layer.on_host ? "in time that is not simulated"
                      : counted(runtime::unsigned_of(layer.cycles), "cycle")));
    for (const std::string& note : notes_of(layer)) streams.out << wrapped(note);
  }
}

}  // namespace

ConvExplanation explain_conv(const runtime::ConvSpec& spec, const MachineConfig& config,
                             std::uint64_t steps) {
  runtime::AnalyticRun done = runtime::analytic_conv(spec, config);
  ConvExplanation explanation;
  explanation.spec = spec;
  explanation.report =
      describe_network("explain", runtime::to_text(spec), spec.input.front(), done.graph);
  explanation.report.engine = Engine::kAnalytic;
  explanation.report.machine = config;
  explanation.report.network().conv = spec;
  explanation.report.run = std::move(done.run);
  explanation.report.notes = std::move(done.notes);
  explanation.report.wall_seconds = done.wall_seconds;
  if (const compiler::ScheduledSegment* segment = runtime::array_segment(done.network)) {
    explanation.array =
        on_array(spec, config, *segment, explanation.report.run.layers.front().info, steps);
    explanation.advice =
        conv_advice(spec, config, explanation.report.run.total, explanation.array->shape);
  }
  explanation.graph = std::move(done.graph);
  explanation.network = std::move(done.network);
  return explanation;
}

void add_candidates(ConvExplanation& explanation, const std::function<void(double)>& progress) {
  const RunReport& report = explanation.report;
  if (report.run.layers.front().on_host) return;
  const runtime::ConvSpec& spec = explanation.spec;
  const runtime::LargerBatch batch{spec.input.front(), [&] {
                                     runtime::ConvSpec twice = spec;
                                     twice.input.front() *= 2;
                                     return runtime::conv_graph(twice, report.machine.dtype,
                                                                runtime::kDefaultSeed);
                                   }};
  explanation.candidates =
      compare_candidates({explanation.graph, report.machine, runtime::mapping_of(spec),
                          explanation.network, report.run, 0},
                         batch, progress);
}

Json conv_explanation_json(const ConvExplanation& explanation) {
  Json json = report_json(explanation.report);
  json["plan"] = nullptr;
  json["account"] = nullptr;
  if (explanation.array) {
    const ArrayConv& conv = *explanation.array;
    json["cycles"]["array_span"] = conv.result.array_span;
    json["plan"] =
        plan_json(conv, explanation.report.machine, explanation.report.run.layers.front().info);
    json["account"] = account_json(conv.account, conv.shape);
  }
  json["advice"] = fmt::format("{}", fmt::join(explanation.advice, " "));
  json["candidates"] = explanation.candidates
                           ? candidates_json(*explanation.candidates, explanation.report.machine)
                           : Json(nullptr);
  if (explanation.sweep) json["sweep"] = sweep_json(*explanation.sweep);
  return json;
}

void print_conv(const ConvExplanation& explanation, const Streams& streams) {
  const RunReport& report = explanation.report;
  streams.out << machine_heading(report.machine, report.machine_file, streams.style)
              << wrapped(fmt::format("{}; {}", report.network().name, settings(explanation.spec)));
  for (const std::string& note : report.notes) streams.out << wrapped(note);
  streams.out << '\n';
  if (explanation.sweep) {
    streams.out << sweep_text(*explanation.sweep);
    return;
  }
  if (explanation.array) {
    print_array(explanation, streams);
    streams.out << advice_section(explanation.advice, streams.style);
  } else {
    print_elsewhere(report, streams);
  }
  if (explanation.candidates) {
    streams.out << '\n' << candidates_text(*explanation.candidates, streams.style);
  }
  streams.out << cost_section(report, streams.style);
}

}  // namespace weft::report
