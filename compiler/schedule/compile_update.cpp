#include "compiler/schedule/compile_update.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/emit/staging_ring.h"
#include "compiler/emit/vector/vector_rows.h"
#include "compiler/emit/weights.h"
#include "compiler/program/machine_step.h"
#include "compiler/program/schedule.h"
#include "compiler/program/stream.h"
#include "compiler/rows/ceil_div.h"
#include "compiler/segments/update_groups.h"
#include "sim/isa/check/tensor_layout.h"

namespace weft::compiler {
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
        step_(new_step(config)),
        stream_(config, step_, sink_, kMaxInstructions),
        producers_(graph::producers(graph)),
        groups_(update_groups(graph)),
        schedule_(schedule()),
        staging_(schedule_.buffer) {}

  MachineStep run() {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      lower_group(groups_[i], schedule_.layers[i]);
    }
    sink_.finish(step_);
    step_.schedule = std::move(schedule_);
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

  // --- Schedule ---

  /// Chunks of rows for each group.
  Schedule schedule() const {
    Schedule schedule;
    schedule.buffer = {0, number_rows(), config_.unified_buffer_rows()};
    for (const UpdateGroup& group : groups_) {
      Mapping mapping;
      mapping.unit = MappedUnit::kVectorUnit;
      mapping.column_tiles = 1;
      mapping.chunk_rows = chunk_rows(group, schedule.buffer.staging_rows());
      schedule.layers.push_back({{mapping}, {}});
    }
    return schedule;
  }

  std::int64_t rows_of(const UpdateGroup& group) const {
    return ceil_div(group.elements, std::int64_t{config_.array_cols});
  }

  /// Two chunks fit side by side in `room` rows if at least two rows do.
  std::uint32_t chunk_rows(const UpdateGroup& group, std::uint64_t room) const {
    if (group.elements == 1) return 1;
    const std::uint64_t row = group.values.size() * row_rows_;
    if (row > room) refuse_buffer("one row of each value of an update", row);
    const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(room / 2 / row));
    return static_cast<std::uint32_t>(std::min({rows_of(group), most, kMostRows}));
  }

  /// Rows in which single numbers stay: a wide row for each.
  std::uint64_t number_rows() const {
    std::vector<ValueId> numbers;
    for (const UpdateGroup& group : groups_) {
      for (const LaneOperation& operation : group.operations) {
        for (const ValueId value : {operation.a, operation.b, operation.result}) {
          if (value != kNoValue && is_number(value)) numbers.push_back(value);
        }
      }
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    const std::uint64_t taken = numbers.size() * row_rows_;
    const std::uint64_t there = config_.unified_buffer_rows();
    if (taken >= there) refuse_buffer("the single numbers of an update", taken);
    return taken;
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
    at->second = next_number_row_;
    next_number_row_ += row_rows_;
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

  void lower_group(const UpdateGroup& group, const LayerSchedule& schedule) {
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
    const std::int64_t rows = rows_of(group);
    const std::int64_t step = schedule.mappings.front().chunk_rows;
    for (std::int64_t row = 0; row < rows; row += step) {
      lower_chunk(group, host, row, std::min(step, rows - row));
    }
    step_.layers.back().chunks = static_cast<std::uint64_t>(ceil_div(rows, step));
  }

  void lower_chunk(const UpdateGroup& group, const std::map<ValueId, std::uint64_t>& host,
                   std::int64_t first, std::int64_t rows) {
    const auto wide = static_cast<std::uint32_t>(rows) * row_rows_;
    const auto offset = static_cast<std::uint64_t>(first) * row_rows_;
    staging_.begin_use(group.values.size() * wide);
    std::map<ValueId, std::uint32_t> places;
    for (const ValueId value : group.values) {
      places[value] = staging_.stage(wide);
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
  MachineStep step_;
  ProgramSink sink_;
  Stream stream_;
  const std::vector<std::size_t> producers_;
  const std::vector<UpdateGroup> groups_;
  Schedule schedule_;
  StagingRing staging_;
  std::uint32_t next_number_row_ = 0;
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

}  // namespace weft::compiler
