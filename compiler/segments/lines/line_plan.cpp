#include "compiler/segments/lines/line_plan.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/rows/ceil_div.h"
#include "compiler/segments/lines/image_nodes.h"
#include "compiler/segments/lines/joined_lines.h"

namespace weft::compiler {
namespace {

using graph::Op;
using graph::ValueId;

/// Rows of a chunk of this many times the array's rows are usual. The estimate does not ask how
/// many the accumulators hold, so that a machine with more has the layers of one with fewer.
constexpr std::int64_t kChunk = 8;

/// Images that layers read and write lane by lane, so all have the same lines joined.
struct Images {
  std::vector<ImageLines> choices = {ImageLines{}};
  std::int64_t rows = 0;  // of an image, without joined lines
  std::int64_t channels = 1;
  std::int64_t steps = 0;  // lane-by-lane operators
};

class LinePlanner {
 public:
  LinePlanner(const graph::Graph& graph, const MachineConfig& config, const MappingOptions& options)
      : graph_(graph),
        config_(config),
        options_(options),
        leader_(graph.values.size()),
        is_shared_(graph.values.size(), false),
        is_joinable_(graph.values.size(), false),
        is_read_(graph.values.size(), false),
        is_given_(graph.values.size(), false),
        is_single_(graph.values.size(), false),
        is_used_(graph.values.size(), false) {
    std::iota(leader_.begin(), leader_.end(), ValueId{0});
    for (const ValueId input : graph.inputs) is_given_[input] = true;
    for (const graph::Node& node : graph.nodes) {
      for (const ValueId input : node.inputs) {
        if (input != graph::kNoValue) is_used_[input] = true;
      }
    }
  }

  std::vector<ImageLines> run() {
    for (const graph::Node& node : graph_.nodes) add(node);
    for (const graph::Node& node : graph_.nodes) {
      if (!joins(node)) note_unjoined(node);
    }
    std::vector<ImageLines> lines(graph_.values.size());
    if (!find_images()) return lines;
    improve();
    for (ValueId value = 0; value < lines.size(); ++value) lines[value] = lines_of(value);
    return lines;
  }

 private:
  // --- What can be joined ---

  const Shape& shape(ValueId value) const { return graph_.type(value).shape; }
  bool is_image(ValueId value) const { return compiler::is_image(graph_, value); }

  bool joins(const graph::Node& node) const {
    return image_convolution(graph_, node) || is_lane_by_lane(graph_, node) ||
           image_max_pool(graph_, node);
  }

  ValueId find(ValueId value) const {
    while (leader_[value] != value) value = leader_[value];
    return value;
  }
  void unite(ValueId a, ValueId b) {
    is_shared_[a] = is_shared_[b] = true;
    leader_[find(a)] = find(b);
  }

  void add(const graph::Node& node) {
    if (auto found = image_convolution(graph_, node)) {
      found->from_host =
          is_given_[found->x] && found->groups == 1 && options_.packed_taps.value_or(true);
      convolutions_.push_back(*found);
      is_joinable_[found->y] = true;
      if (node.op == Op::kConv && is_image(node.input(3))) unite(node.input(3), found->y);
      return;
    }
    if (const auto found = image_max_pool(graph_, node)) {
      pools_.push_back(*found);
      is_joinable_[found->y] = true;
      return;
    }
    if (!is_lane_by_lane(graph_, node)) {
      for (const ValueId output : node.outputs) {
        if (is_image(output)) is_joinable_[output] = is_single_[output] = true;
      }
      return;
    }
    if (node.op == Op::kQuantizeLinear && is_given_[node.input(0)]) {
      is_given_[node.outputs[0]] = true;  // by the host
    }
    is_joinable_[node.outputs[0]] = true;
    for (const ValueId input : node.inputs) {
      if (is_image(input)) unite(input, node.outputs[0]);
    }
    steps_.push_back(node.outputs[0]);
  }

  /// The operands of a node that reads lines one by one.
  void note_unjoined(const graph::Node& node) {
    for (const ValueId input : node.inputs) {
      if (is_image(input)) is_read_[input] = true;
    }
  }

  /// False if there is nothing to choose.
  bool find_images() {
    images_.resize(leader_.size());
    std::vector<bool> joinable(leader_.size(), true);
    for (ValueId value = 0; value < leader_.size(); ++value) {
      if (is_image(value) && !is_joinable_[value]) joinable[find(value)] = false;
    }
    for (const graph::Output& output : graph_.outputs) {
      // Results for the host alone are 32-bit words.
      if (is_image(output.value) && !is_used_[output.value]) joinable[find(output.value)] = false;
    }
    const std::int64_t lanes = config_.array_cols;
    for (ValueId value = 0; value < leader_.size(); ++value) {
      if (!is_image(value) || find(value) != value) continue;
      const Shape& own = shape(value);
      Images& images = images_[value];
      images.rows = own[2] * own[3];
      images.channels = own[1];
      const std::int64_t most_border = joinable[value] ? useful_border(value) : -1;
      for (std::int64_t lines = 2; joinable[value] && lines * own[1] <= lanes; ++lines) {
        if (lines > own[2]) break;
        for (std::int64_t border = 0; border <= std::min(most_border, lines - 1); ++border) {
          const ImageLines choice{lines, border};
          if (choice.has_border(own[2])) images.choices.push_back(choice);
        }
        if (own[2] % lines == 0) images.choices.push_back({lines});
      }
    }
    for (const ValueId value : steps_) ++images_[find(value)].steps;
    chosen_.assign(leader_.size(), {});
    return std::ranges::any_of(images_, [](const Images& each) { return each.choices.size() > 1; });
  }

  /// The most lines of padding before the first of the image that can save a fold; -1 if the image
  /// can have none. It can if a convolution gives it to other convolutions and to nothing else, and
  /// if its padding is what these put around it.
  std::int64_t useful_border(ValueId value) const {
    if (!options_.line_borders.value_or(true)) return -1;
    const auto maker = std::ranges::find(convolutions_, value, &ImageConvolution::y);
    if (maker == convolutions_.end() || is_read_[value] || is_shared_[value]) return -1;
    if (std::ranges::find(pools_, value, &ImageMaxPool::x) != pools_.end()) return -1;
    if (std::ranges::find(graph_.outputs, value, &graph::Output::value) != graph_.outputs.end()) {
      return -1;
    }
    std::int64_t most = maker->lines.pad_begin;
    for (const ImageConvolution& conv : convolutions_) {
      if (conv.x != value) continue;
      if (!same_constant(graph_, maker->y_zero, conv.x_zero)) return -1;
      most = std::max(most, conv.lines.pad_begin);
    }
    return most;
  }

  // --- What an image costs. So a batch can have the lines of one image, and repeat its schedule
  // ---

  ImageLines lines_of(ValueId value) const {
    return is_image(value) ? chosen_[find(value)] : ImageLines{};
  }

  /// Cycles of a fetch, which the images of a large batch share.
  double tile_fetch() const {
    if (config_.memory_kind == MemoryKind::kIdeal || options_.joined_lines) return 0;
    return static_cast<double>(config_.tile_bytes()) * static_cast<double>(config_.clock_hz) /
           static_cast<double>(config_.memory_bytes_per_s);
  }

  /// Cycles of `folds` tiles that meet `rows` rows each, `columns` tiles of them side by side.
  double folds(std::int64_t count, std::int64_t rows) const {
    const std::int64_t chunk = kChunk * config_.array_rows;
    const auto chunks = static_cast<double>(ceil_div(rows, chunk));
    const double pushes = chunks * config_.array_rows;
    return static_cast<double>(count) *
           std::max({static_cast<double>(rows), pushes, chunks * tile_fetch()});
  }

  /// Rows that the vector unit writes into the border of the result.
  static std::int64_t padded(const ImageConvolution& conv, const ImageLines& lines) {
    const std::int64_t ends =
        (lines.border > 0 ? 1 : 0) + (lines.border_after(conv.lines.output) > 0 ? 1 : 0);
    return ends * conv.columns.output;
  }

  double cost(const ImageConvolution& conv) const {
    JoinedLines lines{lines_of(conv.x), lines_of(conv.y)};
    if (!can_join(conv.lines, lines)) lines.in = {};
    const graph::WindowDim y = joined_window(conv.lines, lines);
    const std::int64_t rows = y.output * conv.columns.output;
    const std::int64_t array_rows = config_.array_rows;
    const std::int64_t columns =
        ceil_div(lines.out.joined * conv.n, std::int64_t{config_.array_cols});
    const std::int64_t planes = ceil_div(lines.in.joined * conv.k, array_rows);
    const std::int64_t taps = y.kernel * conv.columns.kernel;
    const auto drained = static_cast<double>(rows * columns + padded(conv, lines.out));
    if (conv.from_host) {
      const std::int64_t packed = ceil_div(taps * conv.k, array_rows);
      const std::int64_t count = std::min(packed, taps * planes);
      return std::max(folds(count * columns, rows), drained) +
             static_cast<double>(packed * rows);  // the load writes a row a cycle
    }
    if (lines.any()) return std::max(folds(taps * planes * columns, rows), drained);
    const std::int64_t line = conv.columns.kernel;
    const bool fits = line > 1 && (conv.groups == 1 || (conv.is_depthwise() && columns == 1));
    const double apart = conv.is_depthwise() ? folds(taps * std::max(columns, planes), rows)
                                             : folds(taps * planes * columns, rows);
    double best = std::max(apart, drained);
    if (fits) {
      const std::int64_t packed = y.kernel * ceil_div(line * conv.k, array_rows);
      const auto copied = static_cast<double>(y.input * conv.columns.output * line);
      best = std::min(best, std::max(folds(packed * columns, rows), drained + copied));
    }
    if (conv.is_depthwise()) best = std::min(best, static_cast<double>(taps + 1) * drained);
    return best;
  }

  /// The rows of the vector unit that a maximum takes.
  double cost(const ImageMaxPool& pool) const {
    const std::int64_t lanes = config_.array_cols;
    const std::int64_t results = pool.lines.output * pool.columns.output;
    const auto lines = joined(pool);
    if (!lines) {
      return static_cast<double>(results * pool.lines.kernel * pool.columns.kernel *
                                 ceil_div(pool.channels, lanes));
    }
    const std::int64_t rows = pool.lines.input / lines->in.joined * pool.columns.output;
    return static_cast<double>(rows * pool.columns.kernel *
                                   ceil_div(lines->in.joined * pool.channels, lanes) +
                               results * std::max<std::int64_t>(1, pool.lines.kernel - 1));
  }

  /// The joined lines between which the maximum runs; nullopt if it reads single lines.
  std::optional<JoinedLines> joined(const ImageMaxPool& pool) const {
    const ImageLines in = lines_of(pool.x);
    const JoinedLines lines{in, {in.joined / pool.lines.stride}};
    if (!in.any() || !can_pool_joined(pool.lines, lines)) return std::nullopt;
    if (lines.out.any() && lines.out != lines_of(pool.y)) return std::nullopt;
    return lines;
  }

  /// True if the image is computed in single lines, which copies join.
  bool is_copied(ValueId value) const {
    if (is_single_[value]) return true;
    return std::ranges::any_of(pools_, [&](const ImageMaxPool& pool) {
      if (pool.y != value) return false;
      const auto lines = joined(pool);
      return !lines || lines->out != lines_of(value);
    });
  }

  bool is_apart(ValueId value) const {
    return is_read_[value] ||
           std::ranges::any_of(convolutions_,
                               [&](const ImageConvolution& conv) {
                                 return conv.x == value &&
                                        !can_join(conv.lines, {lines_of(conv.x), lines_of(conv.y)});
                               }) ||
           std::ranges::any_of(
               pools_, [&](const ImageMaxPool& pool) { return pool.x == value && !joined(pool); });
  }

  double total() const {
    double sum = 0;
    for (const ImageConvolution& conv : convolutions_) sum += cost(conv);
    for (const ImageMaxPool& pool : pools_) sum += cost(pool);
    for (ValueId value = 0; value < leader_.size(); ++value) {
      const ImageLines lines = lines_of(value);
      const Images& images = images_[value];
      if (find(value) == value) {
        sum += static_cast<double>(images.steps * images.rows / lines.joined *
                                   ceil_div(lines.joined * images.channels, config_.array_cols));
      }
      if (!lines.any()) continue;
      const bool copied = is_copied(value);
      if (copied || is_apart(value)) {  // the single lines of a copy are still there
        sum += static_cast<double>(images_[find(value)].rows);
      }
    }
    return sum;
  }

  /// Changes the lines of one image after the other as long as that saves cycles, from no joined
  /// lines on and from as many as possible on.
  void improve() {
    const double least = descend();
    const std::vector<ImageLines> found = chosen_;
    for (ValueId value = 0; value < leader_.size(); ++value) {
      const auto& choices = images_[value].choices;
      chosen_[value] =
          *std::ranges::find_if(choices.rbegin(), choices.rend(), [&](const auto& each) {
            return is_image(value) ? !each.has_border(shape(value)[2]) : true;
          });
    }
    if (descend() >= least) chosen_ = found;
  }

  /// Returns the estimate of what it chose.
  double descend() {
    double best = total();
    for (bool changed = true; changed;) {
      changed = false;
      for (ValueId value = 0; value < leader_.size(); ++value) {
        if (find(value) != value) continue;
        for (const ImageLines& lines : images_[value].choices) {
          const ImageLines before = std::exchange(chosen_[value], lines);
          const double cost = total();
          if (cost < best) {
            best = cost;
            changed = true;
          } else {
            chosen_[value] = before;
          }
        }
      }
    }
    return best;
  }

  const graph::Graph& graph_;
  const MachineConfig& config_;
  const MappingOptions& options_;
  std::vector<ValueId> leader_;    // of values with the same lines joined
  std::vector<bool> is_shared_;    // another value has its lines
  std::vector<bool> is_joinable_;  // what computes the value can join its lines
  std::vector<bool> is_read_;      // something reads its lines one by one
  std::vector<bool> is_given_;     // the host has it
  std::vector<bool> is_single_;    // its lines are computed one by one
  std::vector<bool> is_used_;      // by a node
  std::vector<ImageConvolution> convolutions_;
  std::vector<ImageMaxPool> pools_;
  std::vector<ValueId> steps_;      // results of lane-by-lane operators
  std::vector<Images> images_;      // of leaders
  std::vector<ImageLines> chosen_;  // of leaders
};

}  // namespace

std::vector<ImageLines> plan_lines(const graph::Graph& graph, const MachineConfig& config,
                                   const MappingOptions& options) {
  if (!options.joined_lines.value_or(true)) {
    return std::vector<ImageLines>(graph.values.size());
  }
  return LinePlanner(graph, config, options).run();
}

}  // namespace weft::compiler
