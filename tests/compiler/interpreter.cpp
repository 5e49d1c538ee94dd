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
        loaded_from_(config.unified_buffer_rows()),
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
  // Returns one host row of the activations, of the weights as rows, or of the bias.
  Bytes host_row(std::uint64_t row) const {
    const TensorDecl& a = program_.tensors.front();
    if (holds(a, row)) return row_of(a, operands_.a, row);
    const TensorDecl& last = program_.tensors.back();
    if (last.name == kWeightRows && holds(last, row)) return row_of(last, operands_.b, row);
    return bias_row(row);
  }
  bool holds(const TensorDecl& matrix, std::uint64_t row) const {
    const std::uint64_t planes = tiles_of(matrix.cols, config_.array_rows);
    return row >= matrix.base && row < matrix.base + planes * matrix.rows;
  }
  Bytes row_of(const TensorDecl& matrix, const Grid& values, std::uint64_t row) const {
    Bytes bytes(config_.row_bytes());
    const std::uint64_t plane = (row - matrix.base) / matrix.rows;
    for (std::uint64_t r = 0; r < config_.array_rows; ++r) {
      const std::uint64_t col = plane * config_.array_rows + r;
      put_element(bytes, r,
                  col < matrix.cols ? values.at((row - matrix.base) % matrix.rows, col) : 0);
    }
    return bytes;
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
      loaded_from_.at(load.ub + i) = load.host + i;
    }
  }

  struct Tile {
    std::uint64_t number = 0;
    std::vector<std::int32_t> weights = {};  // row-major
  };

  void execute(const Fetch& fetch) {
    fifo_.push_back(fetch.buffer ? tile_in_buffer(*fetch.buffer) : tile_in_memory(fetch.tile));
  }
  Tile tile_in_memory(std::uint64_t number) const {
    const Grid& b = operands_.b;
    const std::uint64_t k_tiles = tiles_of(b.rows, config_.array_rows);
    Tile tile{number};
    for (std::uint64_t r = 0; r < config_.array_rows; ++r) {
      for (std::uint64_t c = 0; c < config_.array_cols; ++c) {
        const std::uint64_t k = number % k_tiles * config_.array_rows + r;
        const std::uint64_t n = number / k_tiles * config_.array_cols + c;
        tile.weights.push_back(k < b.rows && n < b.cols ? b.at(k, n) : 0);
      }
    }
    return tile;
  }
  // Its number follows from where its first row was loaded from.
  Tile tile_in_buffer(const BufferTile& block) const {
    const TensorDecl& rows = program_.tensors.back();
    require(rows.name == kWeightRows && !block.transpose && block.at == 0, "another block");
    const std::uint64_t row = loaded_from_.at(block.row) - rows.base;
    const std::uint64_t first = row / rows.rows * config_.array_rows + block.window.column;
    require(first % config_.array_cols == 0, "a tile begins with another column");
    const std::uint64_t k_tiles = tiles_of(rows.rows, config_.array_rows);
    Tile tile{first / config_.array_cols * k_tiles + row % rows.rows / config_.array_rows};
    for (std::uint64_t r = 0; r < config_.array_rows; ++r) {
      for (std::uint64_t c = 0; c < config_.array_cols; ++c) {
        const std::uint64_t lane = block.window.column + c;
        const std::uint64_t plane = lane / config_.array_rows * block.window.plane;
        const bool inside = r < block.rows && c < block.lanes;
        tile.weights.push_back(inside ? element(block.row + plane + r, lane % config_.array_rows)
                                      : 0);
      }
    }
    return tile;
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
    tiles.push_back(current_tile_.number);
    for (std::uint64_t c = 0; c < config_.array_cols; ++c) {
      std::int32_t sum = matmul.accumulate ? sums[c] : 0;
      for (std::uint64_t r = 0; r < config_.array_rows; ++r) {
        sum += element(matmul.ub.base + i, r) * current_tile_.weights[r * config_.array_cols + c];
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
    for (std::uint64_t i = 0; i < store.rows; ++i) {
      ++outcome_.host_writes[store.host + i];
      store_row(store.ub + i, store.host + i);
    }
  }
  // Byte by byte, since a row may end within a word.
  void store_row(std::uint64_t ub, std::uint64_t host) {
    const TensorDecl& out = tensor(program_, TensorRole::kResult);
    const std::uint64_t rr = config_.result_row_rows();
    const std::uint64_t result = (host - out.base) / rr;
    const std::uint64_t first = (host - out.base) % rr * config_.row_bytes();
    require(result / out.rows < tiles_of(out.cols, config_.array_cols), "store outside out");
    auto* bytes = reinterpret_cast<std::uint8_t*>(outcome_.out.values.data());
    for (std::uint64_t i = 0; i < config_.row_bytes(); ++i) {
      const std::uint64_t column = (first + i) / 4;
      const std::uint64_t n = result / out.rows * config_.array_cols + column;
      if (column >= config_.array_cols || n >= out.cols) return;
      bytes[(result % out.rows * out.cols + n) * 4 + (first + i) % 4] =
          buffer_.at(ub * config_.row_bytes() + i);
    }
  }

  const Program& program_;
  const MachineConfig& config_;
  const Operands& operands_;
  Bytes buffer_;
  std::vector<std::uint64_t> loaded_from_;  // host row, of each UB row
  std::vector<std::vector<std::int32_t>> accumulators_;
  std::vector<std::vector<std::uint64_t>> history_;
  std::deque<Tile> fifo_;
  Tile current_tile_;
  Outcome outcome_;
};

}  // namespace

Outcome interpret(const Program& program, const MachineConfig& config, const Operands& operands) {
  return Interpreter(program, config, operands).run();
}

}  // namespace weft::test
