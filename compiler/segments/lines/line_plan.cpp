#include "compiler/segments/lines/line_plan.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "compiler/rows/ceil_div.h"
#include "compiler/segments/lines/image_nodes.h"
#include "compiler/segments/lines/joined_lines.h"
#include "compiler/segments/lines/line_costs.h"

namespace weft::compiler {
namespace {

using graph::Op;
using graph::ValueId;

/// The most lines that a slice of the channels is tried with.
constexpr std::int64_t kMostSliceLines = 16;

/// Images that layers read and write lane by lane, so all have the same lines joined.
struct Images {
  std::vector<ImageLines> choices = {ImageLines{}};
  std::int64_t rows = 0;  // of an image, without joined lines
  std::int64_t channels = 1;
  std::int64_t steps = 0;  // lane-by-lane operators
  /// Cycles until a row has left for the host, if one of them is a result that no node uses.
  std::optional<double> leaving = {};
};

class LinePlanner {
 public:
  LinePlanner(const graph::Graph& graph, const MachineConfig& config, const MappingOptions& options)
      : graph_(graph),
        config_(config),
        options_(options),
        costs_(config, options),
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
      if (!reads_joined_lines(graph_, node)) note_unjoined(node);
    }
    std::vector<ImageLines> lines(graph_.values.size());
    if (!find_images()) return lines;
    find_costs();
    improve();
    for (ValueId value = 0; value < lines.size(); ++value) lines[value] = lines_of(value);
    return lines;
  }

 private:
  // --- What can be joined ---

  const Shape& shape(ValueId value) const { return graph_.type(value).shape; }
  bool is_image(ValueId value) const { return compiler::is_image(graph_, value); }

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
      const bool leaves = is_image(output.value) && !is_used_[output.value];
      if (leaves) images_[find(output.value)].leaving = costs_.leaving();
    }
    const std::int64_t lanes = config_.array_cols;
    for (ValueId value = 0; value < leader_.size(); ++value) {
      if (!is_image(value) || find(value) != value) continue;
      const Shape& own = shape(value);
      Images& images = images_[value];
      images.rows = own[2] * own[3];
      images.channels = own[1];
      if (!joinable[value]) continue;
      const std::int64_t most_border = useful_border(value);
      for (std::int64_t lines = 2; lines * own[1] <= lanes && lines <= own[2]; ++lines) {
        // The host takes no lines apart.
        if (images.leaving && own[2] % lines != 0) continue;
        add_choices({.joined = lines}, most_border, own[2], images);
      }
      if (can_slice(value)) add_slices(most_border, own, images);
    }
    for (const ValueId value : steps_) ++images_[find(value)].steps;
    chosen_.assign(leader_.size(), {});
    return std::ranges::any_of(images_, [](const Images& each) { return each.choices.size() > 1; });
  }

  /// The lines with each border that is of use.
  static void add_choices(ImageLines lines, std::int64_t most_border, std::int64_t height,
                          Images& images) {
    for (lines.border = 0; lines.border <= std::min(most_border, lines.joined - 1);
         ++lines.border) {
      if (lines.has_border(height)) images.choices.push_back(lines);
    }
    lines.border = 0;
    if (!lines.has_border(height)) images.choices.push_back(lines);
  }

  /// A slice takes the columns of one tile. Its lanes should lie in few planes of rows.
  bool can_slice(ValueId value) const {
    const std::int64_t rows = config_.array_rows;
    const std::int64_t lanes = config_.array_cols;
    return options_.line_slices.value_or(true) && is_between_convolutions(value) &&
           (rows % lanes == 0 || lanes % rows == 0);
  }

  void add_slices(std::int64_t most_border, const Shape& own, Images& images) {
    const std::int64_t lanes = config_.array_cols;
    for (std::int64_t parts = 2; parts <= kMostSliceLines && parts <= lanes; parts *= 2) {
      const std::int64_t slice = lanes / parts;
      if (slice >= own[1]) continue;
      for (std::int64_t lines = parts; lines >= 2; lines /= 2) {
        if (lines > own[2]) continue;
        add_choices({.joined = lines, .slice = slice, .pitch = lanes}, most_border, own[2], images);
      }
    }
  }

  /// True if a convolution gives the image to other convolutions and to nothing else.
  bool is_between_convolutions(ValueId value) const {
    const auto maker = std::ranges::find(convolutions_, value, &ImageConvolution::y);
    return maker != convolutions_.end() && !is_read_[value] && !is_shared_[value] &&
           std::ranges::find(pools_, value, &ImageMaxPool::x) == pools_.end() &&
           std::ranges::find(graph_.outputs, value, &graph::Output::value) == graph_.outputs.end();
  }

  /// The most lines of padding before the first of the image that can save a fold; -1 if the image
  /// can have none. It can if a convolution gives it to other convolutions and to nothing else, and
  /// if its padding is what these put around it.
  std::int64_t useful_border(ValueId value) const {
    if (!options_.line_borders.value_or(true) || !is_between_convolutions(value)) return -1;
    const auto maker = std::ranges::find(convolutions_, value, &ImageConvolution::y);
    std::int64_t most = maker->lines.pad_begin;
    for (const ImageConvolution& conv : convolutions_) {
      if (conv.x != value) continue;
      if (!same_constant(graph_, maker->y_zero, conv.x_zero)) return -1;
      most = std::max(most, conv.lines.pad_begin);
    }
    return most;
  }

  // --- What an image costs ---
  // Not a batch, so that a batch can have the lines of one image and repeat its schedule.

  ImageLines lines_of(ValueId value) const {
    return is_image(value) ? chosen_[find(value)] : ImageLines{};
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

  /// What the value adds to what the nodes take.
  double cost(ValueId value) const {
    const ImageLines lines = lines_of(value);
    const Images& images = images_[value];
    double sum = 0;
    if (find(value) == value) {
      sum += static_cast<double>(images.steps * images.rows / lines.joined *
                                 ceil_div(lines.lanes(images.channels), config_.array_cols));
      sum += images.leaving.value_or(0) * static_cast<double>(images.rows / lines.joined);
    }
    // The single lines of a copy are still there.
    if (lines.any() && (is_copied(value) || is_apart(value))) {
      sum += static_cast<double>(images_[find(value)].rows);
    }
    return sum;
  }

  // --- The sum of these costs. Other lines of one image change few of them ---

  /// Lists the costs. For each leader it notes the costs that depend on its lines.
  void find_costs() {
    const auto depend = [&](ValueId value) { changed_by_[find(value)].push_back(terms_.size()); };
    changed_by_.resize(leader_.size());
    for (const ImageConvolution& conv : convolutions_) {
      for (const ValueId each : {conv.x, conv.y}) depend(each);
      terms_.push_back({[this, &conv] {
        return costs_.cycles(conv, {lines_of(conv.x), lines_of(conv.y)});
      }});
    }
    for (const ImageMaxPool& pool : pools_) {
      for (const ValueId each : {pool.x, pool.y}) depend(each);
      terms_.push_back({[this, &pool] { return costs_.cycles(pool, joined(pool)); }});
    }
    for (ValueId value = 0; value < leader_.size(); ++value) {
      if (!is_image(value)) continue;
      depend(value);
      for (const ImageConvolution& conv : convolutions_) {
        if (conv.x == value) depend(conv.y);
      }
      for (const ImageMaxPool& pool : pools_) {
        if (pool.x == value) depend(pool.y);
        if (pool.y == value) depend(pool.x);
      }
      terms_.push_back({[this, value] { return cost(value); }});
    }
  }

  void count(std::span<const std::size_t> terms) {
    for (const std::size_t term : terms) terms_[term].cycles = terms_[term].count();
  }

  double total() const {
    double sum = 0;
    for (const Term& term : terms_) sum += term.cycles;
    return sum;
  }

  /// Changes the lines of one image after the other as long as that saves cycles, from no joined
  /// lines on, from as many as possible on, and from up to several numbers on: what one image saves
  /// depends on how many lines those before and after it have.
  void improve() {
    double least = descend();
    improve_from(std::numeric_limits<std::int64_t>::max(), least);
    for (std::int64_t most = kMostSliceLines; most >= 2; most /= 2) improve_from(most, least);
  }

  /// Keeps what it finds if that takes less than `least`.
  void improve_from(std::int64_t most, double& least) {
    const std::vector<ImageLines> before = chosen_;
    for (ValueId value = 0; value < leader_.size(); ++value) {
      chosen_[value] = most_lines(value, most);
    }
    if (const double found = descend(); found < least) {
      least = found;
    } else {
      chosen_ = before;
    }
  }

  /// The choice without a border that joins the most lines, at most `most`.
  ImageLines most_lines(ValueId value, std::int64_t most) const {
    ImageLines found;
    if (!is_image(value)) return found;
    for (const ImageLines& each : images_[value].choices) {
      if (each.joined > found.joined && each.joined <= most && !each.has_border(shape(value)[2])) {
        found = each;
      }
    }
    return found;
  }

  /// Returns the estimate of what it chose.
  double descend() {
    for (Term& term : terms_) term.cycles = term.count();
    double best = total();
    for (bool changed = true; changed;) {
      changed = false;
      for (ValueId value = 0; value < leader_.size(); ++value) {
        if (find(value) != value) continue;
        for (const ImageLines& lines : images_[value].choices) {
          if (lines == chosen_[value]) continue;
          const ImageLines before = std::exchange(chosen_[value], lines);
          count(changed_by_[value]);
          const double cost = total();
          if (cost < best) {
            best = cost;
            changed = true;
          } else {
            chosen_[value] = before;
            count(changed_by_[value]);
          }
        }
      }
    }
    return best;
  }

  const graph::Graph& graph_;
  const MachineConfig& config_;
  const MappingOptions& options_;
  const LineCosts costs_;
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
  /// A part of the estimate.
  struct Term {
    std::function<double()> count;
    double cycles = 0;
  };
  std::vector<Term> terms_;
  std::vector<std::vector<std::size_t>> changed_by_;  // terms, by leader
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
