#include "tests/compiler/interpreter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <stdexcept>

namespace weft::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

void require(bool holds, const char* what) {
  if (!holds) throw std::out_of_range(what);
}

std::uint64_t tiles_of(std::uint64_t size, std::uint64_t tile) {
  return (size + tile - 1) / tile;
}

const TensorDecl& tensor(const Program& program, TensorRole role) {
  for (const TensorDecl& declared : program.tensors) {
    if (declared.role == role) return declared;
  }
  throw std::out_of_range("no such tensor");
}

class Interpreter {
 public:
  Interpreter(const Program& program, const MachineConfig& config, const Operands& operands)
      : program_(program),
        config_(config),
        operands_(operands),
        buffer_(config.unified_buffer_rows() * config.row_bytes()),
        accumulators_(config.accumulator_rows, std::vector<std::int32_t>(config.array_cols)),
        history_(config.accumulator_rows) {
    const TensorDecl& out = tensor(program, TensorRole::kResult);
    outcome_.out = {out.rows, out.cols, std::vector<std::int32_t>(out.rows * out.cols)};
  }

  Outcome run() {
    for (const Instruction& instruction : program_.code) {
      std::visit([this](const auto& op) { execute(op); }, instruction.operation);
    }
    require(fifo_.empty(), "a tile is left in the FIFO");
    return std::move(outcome_);
  }

 private:
  // Returns one host row of the activations or of the bias.
  Bytes host_row(std::uint64_t row) const {
    Bytes bytes(config_.row_bytes());
    const TensorDecl& a = tensor(program_, TensorRole::kActivation);
    const std::uint64_t k_tiles = tiles_of(a.cols, config_.array_rows);
    if (row >= a.base && row < a.base + k_tiles * a.rows) {
      const std::uint64_t k_tile = (row - a.base) / a.rows;
      const std::uint64_t m = (row - a.base) % a.rows;
      for (std::uint64_t r = 0; r < config_.array_rows; ++r) {
        const std::uint64_t k = k_tile * config_.array_rows + r;
        put_element(bytes, r, k < a.cols ? operands_.a.at(m, k) : 0);
      }
      return bytes;
    }
    return bias_row(row);
  }
  Bytes bias_row(std::uint64_t row) const {
    const TensorDecl& bias = tensor(program_, TensorRole::kBias);
    const std::uint64_t rr = config_.result_row_rows();
    require(row >= bias.base && row < bias.base + tiles_of(bias.cols, config_.array_cols) * rr,
            "load outside the tensors");
    const std::uint64_t n_tile = (row - bias.base) / rr;
    Bytes all(rr * config_.row_bytes());
    for (std::uint64_t c = 0; c < config_.array_cols; ++c) {
      const std::uint64_t n = n_tile * config_.array_cols + c;
      const std::int32_t value = n < bias.cols ? operands_.bias.at(0, n) : 0;
      std::memcpy(&all[c * 4], &value, 4);
    }
    const auto begin = static_cast<std::ptrdiff_t>((row - bias.base) % rr * config_.row_bytes());
    return {all.begin() + begin, all.begin() + begin + config_.row_bytes()};
  }

  void put_element(Bytes& bytes, std::uint64_t index, std::int32_t value) const {
    if (config_.dtype == ElementType::kInt8) {
      bytes[index] = static_cast<std::uint8_t>(value);
    } else {
      const auto half = static_cast<std::int16_t>(value);
      std::memcpy(&bytes[index * 2], &half, 2);
    }
  }
  std::int32_t element(std::uint64_t ub_row, std::uint64_t index) const {
    const std::uint8_t* row = &buffer_.at(ub_row * config_.row_bytes());
    if (config_.dtype == ElementType::kInt8) return static_cast<std::int8_t>(row[index]);
    std::int16_t half = 0;
    std::memcpy(&half, row + index * 2, 2);
    return half;
  }

  void execute(const Load& load) {
    for (std::uint64_t i = 0; i < load.rows; ++i) {
      const Bytes row = host_row(load.host + i);
      require((load.ub + i + 1) * row.size() <= buffer_.size(), "load outside the UB");
      std::copy(row.begin(), row.end(),
                buffer_.begin() + static_cast<std::ptrdiff_t>((load.ub + i) * row.size()));
    }
  }
  void execute(const Fetch& fetch) { fifo_.push_back(fetch.tile); }

  std::int32_t weight(std::uint64_t r, std::uint64_t c) const {
    const Grid& b = operands_.b;
    const std::uint64_t k_tiles = tiles_of(b.rows, config_.array_rows);
    const std::uint64_t k = current_tile_ % k_tiles * config_.array_rows + r;
    const std::uint64_t n = current_tile_ / k_tiles * config_.array_cols + c;
    return k < b.rows && n < b.cols ? b.at(k, n) : 0;
  }
  void execute(const Matmul& matmul) {
    if (matmul.next_weights) {
      require(!fifo_.empty(), "no tile in the FIFO");
      current_tile_ = fifo_.front();
      fifo_.pop_front();
    }
    require(matmul.ub.loops[0].count >= matmul.rows && matmul.ub.loops[0].stride == 1,
            "a matmul of a matmul streams neighboring rows");
    for (std::uint64_t i = 0; i < matmul.rows; ++i) stream_row(matmul, i);
  }
  void stream_row(const Matmul& matmul, std::uint64_t i) {
    auto& sums = accumulators_.at(matmul.acc + i);
    auto& tiles = history_.at(matmul.acc + i);
    if (!matmul.accumulate) tiles.clear();
    tiles.push_back(current_tile_);
    for (std::uint64_t c = 0; c < config_.array_cols; ++c) {
      std::int32_t sum = matmul.accumulate ? sums[c] : 0;
      for (std::uint64_t r = 0; r < config_.array_rows; ++r) {
        sum += element(matmul.ub.base + i, r) * weight(r, c);
      }
      sums[c] = sum;
    }
  }

  std::int32_t bound(std::uint32_t bits) const {
    if (config_.dtype == ElementType::kInt8) return static_cast<std::int32_t>(bits);
    return static_cast<std::int32_t>(std::bit_cast<float>(bits));
  }
  std::int32_t activate(const Vector& vector, std::int32_t value) const {
    if (vector.op == VectorOp::kRelu) return std::max(value, 0);
    if (vector.op == VectorOp::kClamp)
      return std::clamp(value, bound(vector.low), bound(vector.high));
    return value;
  }
  void execute(const Vector& vector) {
    const std::uint64_t stride = std::uint64_t{config_.result_row_rows()} * config_.row_bytes();
    outcome_.uses.push_back({history_.at(vector.acc), vector.rows});
    for (std::uint64_t i = 0; i < vector.rows; ++i) {
      require(history_.at(vector.acc + i) == history_[vector.acc], "rows of different tiles");
      const std::uint64_t at = std::uint64_t{vector.ub} * config_.row_bytes() + i * stride;
      require(at + stride <= buffer_.size(), "vector outside the UB");
      for (std::uint64_t c = 0; c < config_.array_cols; ++c) {
        std::int32_t value = accumulators_[vector.acc + i][c];
        std::int32_t bias = 0;
        if (vector.has_bias) {
          std::memcpy(&bias, &buffer_.at(std::uint64_t{vector.bias} * config_.row_bytes() + c * 4),
                      4);
        }
        value = activate(vector, value + bias);
        std::memcpy(&buffer_[at + c * 4], &value, 4);
      }
    }
  }

  void execute(const Store& store) {
    const TensorDecl& out = tensor(program_, TensorRole::kResult);
    const std::uint64_t rr = config_.result_row_rows();
    require(store.rows % rr == 0 && (store.host - out.base) % rr == 0, "part of a result row");
    for (std::uint64_t i = 0; i < store.rows; ++i) ++outcome_.host_writes[store.host + i];
    for (std::uint64_t i = 0; i < store.rows / rr; ++i) {
      const std::uint64_t result = (store.host - out.base) / rr + i;
      const std::uint64_t at = (store.ub + i * rr) * config_.row_bytes();
      for (std::uint64_t c = 0; c < config_.array_cols; ++c) {
        const std::uint64_t n = result / out.rows * config_.array_cols + c;
        require(result / out.rows < tiles_of(out.cols, config_.array_cols), "store outside out");
        if (n >= out.cols) continue;
        std::memcpy(&outcome_.out.values[result % out.rows * out.cols + n], &buffer_.at(at + c * 4),
                    4);
      }
    }
  }

  const Program& program_;
  const MachineConfig& config_;
  const Operands& operands_;
  Bytes buffer_;
  std::vector<std::vector<std::int32_t>> accumulators_;
  std::vector<std::vector<std::uint64_t>> history_;
  std::deque<std::uint64_t> fifo_;
  std::uint64_t current_tile_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome interpret(const Program& program, const MachineConfig& config, const Operands& operands) {
  return Interpreter(program, config, operands).run();
}

}  // namespace weft::test
