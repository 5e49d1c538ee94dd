#include "compiler/schedule/compile_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/emit/buffer_rows.h"
#include "compiler/emit/lower_layer.h"
#include "compiler/emit/vector/vector_rows.h"
#include "compiler/emit/weights.h"
#include "compiler/program/machine_step.h"
#include "compiler/program/stream.h"
#include "compiler/rows/ceil_div.h"
#include "compiler/segments/update_groups.h"
#include "sim/isa/check/tensor_layout.h"

namespace weft::network {
namespace {

using graph::kNoValue;
using graph::ValueId;

// Rows of a chunk: enough to make latencies small, few enough that loads, arithmetic and stores of
// several chunks overlap.
constexpr std::int64_t kMostRows = 512;

class UpdateLowering {
 public:
  UpdateLowering(const graph::Graph& graph, const MachineConfig& config)
      : graph_(graph),
        config_(config),
        row_rows_(config.result_row_rows()),
        stream_(kMaxInstructions),
        step_(new_step(config)),
        producers_(graph::producers(graph)),
        groups_(update_groups(graph)),
        rows_(config.unified_buffer_rows(), 0, staging_rows()) {}

  MachineStep run() {
    for (const UpdateGroup& group : groups_) lower_group(group);
    finish_step(stream_, step_, config_);
    return std::move(step_);
  }

 private:
  bool is_number(ValueId value) const {
    return graph::element_count(graph_.type(value).shape) == 1;
  }
  bool is_output(ValueId value) const {
    return std::ranges::find(graph_.outputs, value, &graph::Output::value) != graph_.outputs.end();
  }
  bool is_computed(ValueId value) const { return producers_[value] != graph::kNoProducer; }

  /// Rows left for staging: each single number keeps a wide row in the unified buffer.
  std::uint64_t staging_rows() const {
    std::vector<ValueId> numbers;
    for (const UpdateGroup& group : groups_) {
      for (const LaneOperation& operation : group.operations) {
        for (const ValueId value : {operation.a, operation.b, operation.result}) {
          if (value != kNoValue && is_number(value)) numbers.push_back(value);
        }
      }
    }
    std::ranges::sort(numbers);
    const auto repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
    const std::uint64_t taken = numbers.size() * row_rows_;
    const std::uint64_t there = config_.unified_buffer_rows();
    if (taken >= there) refuse_buffer("the single numbers of an update", taken);
    return there - taken;
  }

  [[noreturn]] void refuse_buffer(std::string_view what, std::uint64_t rows) const {
    throw ConfigError(fmt::format(
        "unified_buffer.kib = {}: too small for {}: they take {} rows, and there are {}; enlarge "
        "the buffer",
        config_.unified_buffer_kib, what, rows, config_.unified_buffer_rows()));
  }

  // --- Host memory ---

  std::uint64_t add_tensor(TensorRole role, std::int64_t words, HostTensor behind) {
    TensorDecl decl{fmt::format("t{}", step_.program.tensors.size()),
                    role,
                    ElementType::kFloat32,
                    1,
                    static_cast<std::uint64_t>(words),
                    next_host_row_};
    next_host_row_ += tensor_extent(decl, step_.program);
    const std::uint64_t base = decl.base;
    step_.program.tensors.push_back(std::move(decl));
    step_.tensors.push_back(std::move(behind));
    return base;
  }

  /// A number fills every lane of its row.
  std::int64_t words_of(ValueId value) const {
    return is_number(value) ? config_.array_cols : graph::element_count(graph_.type(value).shape);
  }

  std::uint64_t source_of(ValueId value) {
    HostTensor behind;
    behind.value = value;
    behind.kind = HostTensor::Kind::kInput;
    if (graph_.is_constant(value)) {
      behind.kind = HostTensor::Kind::kConstant;
      behind.make = [constant = *graph_.values[value].constant, words = words_of(value)] {
        return pack_words(constant.tensor(), words);
      };
    }
    return add_tensor(TensorRole::kBias, words_of(value), std::move(behind));
  }

  std::uint64_t sink_of(ValueId value) {
    const std::int64_t count = graph::element_count(graph_.type(value).shape);
    HostTensor behind;
    behind.value = value;
    behind.results.push_back({value, View{0, 0, 0, {{count, 0, 1}}}, {}, false});
    return add_tensor(TensorRole::kResult, words_of(value), std::move(behind));
  }

  // --- Rows ---

  /// The row of a number. Loads the number on its first use, unless the machine computes it.
  std::uint32_t number_row(ValueId value) {
    const auto [at, is_new] = number_rows_.try_emplace(value, 0);
    if (!is_new) return at->second;
    at->second = *rows_.take(row_rows_);
    if (!is_computed(value)) stream_.emit(Load{source_of(value), at->second, row_rows_});
    return at->second;
  }

  void begin_layer(const UpdateGroup& group) {
    const LaneOperation& last = group.operations.back();
    const graph::Node& node = graph_.nodes[producers_[last.result]];
    stream_.begin_layer(static_cast<std::uint32_t>(step_.layers.size()));
    LayerInfo info;
    info.name = node.name;
    info.op = "Update";
    info.result = graph_.type(last.result);
    info.note = fmt::format("{} operators in float32", group.operations.size());
    step_.layers.push_back(std::move(info));
    step_.results.emplace_back();  // empty: the values leave the machine unchanged
  }

  void lower_group(const UpdateGroup& group) {
    begin_layer(group);
    if (group.elements == 1) return lower_numbers(group);
    std::map<ValueId, std::uint64_t> host;
    for (const ValueId value : group.values) {
      if (!is_computed(value)) {
        host[value] = source_of(value);
      } else if (is_output(value)) {
        host[value] = sink_of(value);
      }
    }
    const std::int64_t rows = ceil_div(group.elements, std::int64_t{config_.array_cols});
    const std::int64_t step = chunk_rows(group, rows);
    for (std::int64_t row = 0; row < rows; row += step) {
      lower_chunk(group, host, row, std::min(step, rows - row));
    }
    step_.layers.back().chunks = static_cast<std::uint64_t>(ceil_div(rows, step));
  }

  /// Two chunks fit side by side if at least two rows do.
  std::int64_t chunk_rows(const UpdateGroup& group, std::int64_t rows) const {
    const std::uint64_t row = group.values.size() * row_rows_;
    const std::uint64_t room = rows_.staging_rows();
    if (row > room) refuse_buffer("one row of each value of an update", row);
    const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(room / 2 / row));
    return std::min({rows, most, kMostRows});
  }

  void lower_chunk(const UpdateGroup& group, const std::map<ValueId, std::uint64_t>& host,
                   std::int64_t first, std::int64_t rows) {
    const auto wide = static_cast<std::uint32_t>(rows) * row_rows_;
    const auto offset = static_cast<std::uint64_t>(first) * row_rows_;
    rows_.begin_use(group.values.size() * wide);
    std::map<ValueId, std::uint32_t> places;
    for (const ValueId value : group.values) {
      places[value] = rows_.stage(wide);
      if (!is_computed(value)) stream_.emit(Load{host.at(value) + offset, places[value], wide});
    }
    for (const LaneOperation& operation : group.operations) emit_rows(operation, places, rows);
    for (const ValueId value : group.values) {
      if (is_computed(value) && is_output(value)) {
        stream_.emit(Store{places[value], host.at(value) + offset, wide});
      }
    }
  }

  void lower_numbers(const UpdateGroup& group) {
    for (const LaneOperation& operation : group.operations) {
      emit_rows(operation, {}, 1);
      const ValueId value = operation.result;
      if (is_output(value)) stream_.emit(Store{number_row(value), sink_of(value), row_rows_});
    }
  }

  std::uint32_t place_of(ValueId value, const std::map<ValueId, std::uint32_t>& places) {
    return is_number(value) ? number_row(value) : places.at(value);
  }

  void emit_rows(const LaneOperation& operation, const std::map<ValueId, std::uint32_t>& places,
                 std::int64_t rows) {
    VectorSource source = wide_source(place_of(operation.a, places), rows, config_);
    if (is_number(operation.a)) source.rows.loops[0].stride = 0;
    Vector vector;
    vector.domain = VectorDomain::kFloat;
    vector.source = source;
    vector.op = operation.op;
    vector.combine = operation.combine;
    if (operation.b != kNoValue) {
      vector.operand = VectorOperand{.row = place_of(operation.b, places),
                                     .step = is_number(operation.b) ? 0 : row_rows_};
    }
    vector.ub = place_of(operation.result, places);
    vector.rows = static_cast<std::uint32_t>(rows);
    step_.layers.back().vector_rows += vector.rows;
    stream_.emit(std::move(vector));
  }

  const graph::Graph& graph_;
  const MachineConfig& config_;
  const std::uint32_t row_rows_;
  Stream stream_;
  MachineStep step_;
  const std::vector<std::size_t> producers_;
  const std::vector<UpdateGroup> groups_;
  BufferRows rows_;
  std::map<ValueId, std::uint32_t> number_rows_;
  std::uint64_t next_host_row_ = 0;
};

}  // namespace

NetworkProgram compile_update(graph::Graph graph, const MachineConfig& config) {
  if (config.dtype != ElementType::kBf16 && config.dtype != ElementType::kFp16) {
    throw InputError(
        "an update in float32 needs a bf16 or fp16 machine; choose --array.dtype bf16");
  }
  NetworkProgram program;
  program.graph = std::move(graph);
  if (program.graph.nodes.empty()) return program;
  program.steps.emplace_back(UpdateLowering(program.graph, config).run());
  return program;
}

}  // namespace weft::network
