#include "sim/array/functional_core.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "sim/array/progress_meter.h"
#include "sim/array/tile_product.h"
#include "sim/array/vector_op.h"
#include "sim/isa/row_generator.h"
#include "sim/memory/accumulators.h"
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
        product_(config.array_rows, config.array_cols, threads) {}

  void execute(const Load& load) {
    memory_.read_rows(load.host, buffer_.rows_from(load.ub, load.rows));
  }

  // The tile itself is read when a matmul takes it; until then the FIFO needs only its number.
  void execute(const Fetch& fetch) { fifo_.push_back(fetch.tile); }

  void execute(const Matmul& matmul) {
    if (matmul.next_weights) take_tile();
    gather_rows(matmul);
    product_.multiply(act_rows_, accumulators_.rows_from(matmul.acc, matmul.rows),
                      matmul.accumulate);
  }

  void execute(const Vector& vector) {
    const std::uint32_t width = config_.result_row_rows();
    const std::byte* bias = vector.has_bias ? buffer_.row(vector.bias).data() : nullptr;
    for (std::uint32_t row = 0; row < vector.rows; ++row) {
      apply_vector_op<Arithmetic>(vector, accumulators_.row(vector.acc + row), bias,
                                  buffer_.rows_from(vector.ub + row * width, width));
    }
  }

  void execute(const Store& store) {
    memory_.write_rows(store.host, buffer_.rows_from(store.ub, store.rows));
  }

 private:
  void take_tile() {
    memory_.read_tile(fifo_.front(), std::as_writable_bytes(std::span(tile_)));
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
  std::deque<std::uint64_t> fifo_;
  std::vector<Element> tile_;
  std::vector<Element> pad_row_;
  std::vector<const Element*> act_rows_;
  TileProduct<Arithmetic> product_;
};

}  // namespace

void execute_values(const MachineConfig& config, const Program& program, HostMemory& memory,
                    unsigned threads, const std::function<void(double)>& progress) {
  ProgressMeter meter(program, progress);
  with_arithmetic(config.dtype, [&]<class Arithmetic>(Arithmetic) {
    FunctionalCore<Arithmetic> core(config, memory, threads);
    for (const Instruction& instruction : program.code) {
      std::visit([&](const auto& operation) { core.execute(operation); }, instruction.operation);
      meter.done(instruction);
    }
  });
}

}  // namespace weft
