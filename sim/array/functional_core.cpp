#include "sim/array/functional_core.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sim/array/buffer_tile.h"
#include "sim/array/progress_meter.h"
#include "sim/array/tile_product.h"
#include "sim/array/vector_lanes.h"
#include "sim/isa/row_access.h"
#include "sim/isa/row_generator.h"
#include "sim/memory/accumulators.h"
#include "sim/memory/patch_reader.h"
#include "sim/memory/unified_buffer.h"

namespace weft {
namespace {

template <class Arithmetic>
class FunctionalCore {
 public:
  using Element = typename Arithmetic::Element;
  using Psum = typename Arithmetic::Psum;

  FunctionalCore(const MachineConfig& config, HostMemory& memory, unsigned threads)
      : config_(config),
        memory_(memory),
        buffer_(config),
        accumulators_(config),
        tile_(std::size_t{config.array_rows} * config.array_cols),
        product_(config.array_rows, config.array_cols, threads),
        lanes_(config) {}

  const UnifiedBuffer& buffer() const { return buffer_; }

  void execute(const Load& load) {
    read_load(memory_, load, config_, buffer_.rows_from(load.ub, load.rows));
  }

  // A tile of weight memory is read when a matmul takes it; until then the FIFO holds its number.
  // A tile of the buffer is read at once, because the buffer may change before a matmul takes it.
  void execute(const Fetch& fetch) {
    if (!fetch.buffer) return void(fifo_.emplace_back(fetch.tile));
    std::vector<Element> tile(tile_.size());
    const auto reads = static_cast<std::uint32_t>(buffer_tile_reads(*fetch.buffer, config_));
    for (std::uint32_t index = 0; index < reads; ++index) {
      read_tile_row(*fetch.buffer, index, config_, buffer_,
                    std::as_writable_bytes(std::span(tile)));
    }
    fifo_.emplace_back(std::move(tile));
  }

  void execute(const Matmul& matmul) {
    if (matmul.next_weights) take_tile();
    gather_rows(matmul);
    product_.multiply(act_rows_, accumulators_.rows_from(matmul.acc, matmul.rows),
                      matmul.accumulate);
  }

  void execute(const Vector& vector) {
    lanes_.begin(vector);
    for (std::uint32_t row = 0; row < vector.rows; ++row) {
      const Psum* sums = vector.source ? nullptr : accumulators_.row(vector.acc + row).data();
      write_vector_row(vector, row, lanes_.compute(row, sums, buffer_), config_, buffer_);
    }
  }

  void execute(const Store& store) {
    memory_.write_rows(store.host, buffer_.rows_from(store.ub, store.rows));
  }

 private:
  void take_tile() {
    if (const auto* number = std::get_if<std::uint64_t>(&fifo_.front())) {
      memory_.read_tile(*number, std::as_writable_bytes(std::span(tile_)));
    } else {
      tile_ = std::get<std::vector<Element>>(std::move(fifo_.front()));
    }
    fifo_.pop_front();
    product_.load_tile(tile_);
  }

  void gather_rows(const Matmul& matmul) {
    pad_row_.assign(config_.array_rows, Arithmetic::from_bits(matmul.ub.pad));
    act_rows_.clear();
    for_each_row(matmul.ub, matmul.rows, [this](auto, std::optional<std::int64_t> row) {
      act_rows_.push_back(row ? elements(static_cast<std::uint64_t>(*row)) : pad_row_.data());
    });
  }

  const Element* elements(std::uint64_t row) const {
    return reinterpret_cast<const Element*>(buffer_.row(row).data());
  }

  const MachineConfig& config_;
  HostMemory& memory_;
  UnifiedBuffer buffer_;
  Accumulators<Arithmetic> accumulators_;
  std::deque<std::variant<std::uint64_t, std::vector<Element>>> fifo_;  // a number, or the tile
  std::vector<Element> tile_;
  std::vector<Element> pad_row_;
  std::vector<const Element*> act_rows_;
  TileProduct<Arithmetic> product_;
  VectorLanes<Arithmetic> lanes_;
};

}  // namespace

void execute_values(const MachineConfig& config, const Program& program, HostMemory& memory,
                    const ExecuteOptions& options) {
  ProgressMeter meter(program, options.progress);
  with_arithmetic(config.dtype, [&]<class Arithmetic>(Arithmetic) {
    FunctionalCore<Arithmetic> core(config, memory, options.threads);
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      std::visit([&](const auto& operation) { core.execute(operation); },
                 program.code[i].operation);
      if (options.observe) options.observe(i, core.buffer());
      meter.done(program.code[i]);
    }
  });
}

}  // namespace weft
