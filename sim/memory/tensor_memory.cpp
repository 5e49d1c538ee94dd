#include "sim/memory/tensor_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/printable.h"

namespace weft {
namespace {

const Program& validated(const Program& program) {
  validate_tensors(program);
  return program;
}

void check_matrix(const TensorDecl& tensor, const Matrix& matrix) {
  if (matrix.type() == tensor.type && matrix.rows() == tensor.rows &&
      matrix.cols() == tensor.cols) {
    return;
  }
  throw InputError(fmt::format("tensor '{}': expected {} of {} x {}, but was given {} of {} x {}",
                               tensor.name, to_string(tensor.type), tensor.rows, tensor.cols,
                               to_string(matrix.type()), matrix.rows(), matrix.cols()));
}

/// The piece of a matrix row that lies in one UB row; the rest of the UB row is padding.
struct Piece {
  std::uint64_t row = 0;
  std::uint64_t byte = 0;  // from the start of the matrix row
  std::uint64_t bytes = 0;
};

/// Finds the piece that lies in UB row `offset` of a tensor.
class RowLayout {
 public:
  RowLayout(const TensorDecl& tensor, std::uint64_t row_bytes, std::uint64_t array_cols,
            std::uint64_t row_rows)
      : rows_(tensor.rows),
        matrix_row_bytes_(tensor.cols * element_bytes(tensor.type)),
        row_bytes_(row_bytes) {
    if (tensor.role == TensorRole::kImage) {  // one matrix row, cut into blocks of one UB row
      matrix_row_bytes_ *= std::exchange(rows_, 1);
    }
    const bool is_narrow = tensor.role != TensorRole::kBias && tensor.role != TensorRole::kResult;
    // A block is the part of a matrix row that belongs to one k tile or n tile. It takes
    // `rows_per_block_` UB rows.
    rows_per_block_ = is_narrow ? 1 : row_rows;
    block_bytes_ = is_narrow ? row_bytes : array_cols * element_bytes(tensor.type);
  }

  Piece piece(std::uint64_t offset) const {
    const std::uint64_t block = offset / (rows_ * rows_per_block_);
    const std::uint64_t in_block = offset % rows_per_block_ * row_bytes_;
    const std::uint64_t start = block * block_bytes_ + in_block;
    const std::uint64_t end = std::min((block + 1) * block_bytes_, matrix_row_bytes_);
    const std::uint64_t bytes = start < end ? std::min(end - start, row_bytes_) : 0;
    return {offset / rows_per_block_ % rows_, start, bytes};
  }

 private:
  std::uint64_t rows_;
  std::uint64_t matrix_row_bytes_;
  std::uint64_t row_bytes_;
  std::uint64_t rows_per_block_ = 1;
  std::uint64_t block_bytes_ = 0;
};

void read_piece(const Matrix& matrix, const Piece& piece, std::span<std::byte> out) {
  if (piece.bytes > 0) {
    std::memcpy(out.data(), matrix.row_from(piece.row, 0).data() + piece.byte, piece.bytes);
  }
  std::ranges::fill(out.subspan(piece.bytes), std::byte{0});
}

}  // namespace

TensorMemory::TensorMemory(const Program& program)
    : host_(validated(program), false),
      weights_(program, true),
      array_rows_(program.array_rows),
      array_cols_(program.array_cols),
      element_bytes_(element_bytes(program.dtype)),
      row_bytes_(std::size_t{program.array_rows} * element_bytes_),
      row_rows_(result_row_rows(program)) {
  for (const TensorDecl& tensor : program.tensors) {
    bindings_.push_back({tensor, nullptr, nullptr, is_weight_rows(program, tensor)});
  }
}

TensorMemory::Binding& TensorMemory::find(std::string_view name, bool output) {
  for (Binding& binding : bindings_) {
    if (binding.tensor.name == name && is_output(binding.tensor.role) == output) return binding;
  }
  throw InputError(
      fmt::format("the program has no {} tensor {}", output ? "result" : "input", printable(name)));
}

void TensorMemory::bind(std::string_view name, const Matrix& matrix) {
  Binding& binding = find(name, /*output=*/false);
  check_matrix(binding.tensor, matrix);
  binding.source = &matrix;
  if (binding.tensor.role != TensorRole::kWeights) return;
  for (Binding& other : bindings_) {
    if (other.holds_weights_again && other.source == nullptr) other.source = &matrix;
  }
}

void TensorMemory::bind_result(std::string_view name, Matrix& matrix) {
  Binding& binding = find(name, /*output=*/true);
  check_matrix(binding.tensor, matrix);
  binding.source = &matrix;
  binding.sink = &matrix;
}

void TensorMemory::check_all_bound() const {
  for (const Binding& binding : bindings_) {
    if (binding.source != nullptr) continue;
    throw InputError(fmt::format("tensor '{}': no {} of {} x {} was given", binding.tensor.name,
                                 to_string(binding.tensor.type), binding.tensor.rows,
                                 binding.tensor.cols));
  }
}

const TensorMemory::Binding& TensorMemory::locate(const TensorMap& map, std::uint64_t address,
                                                  std::string_view what) const {
  const TensorSpan* span = map.find(address, 1);
  if (span == nullptr) {
    throw InputError(fmt::format(
        "{} {} lies in no tensor; declare a tensor there to give it values", what, address));
  }
  const Binding& binding = bindings_[span->index];
  if (binding.source == nullptr) {
    throw InputError(fmt::format("{} {} lies in tensor '{}', to which no matrix was given", what,
                                 address, binding.tensor.name));
  }
  return binding;
}

void TensorMemory::read_rows(std::uint64_t host_row, std::span<std::byte> out) const {
  assert(out.size() % row_bytes() == 0);
  for (; !out.empty(); out = out.subspan(row_bytes()), ++host_row) {
    const Binding& binding = locate(host_, host_row, "host row");
    const RowLayout layout(binding.tensor, row_bytes(), array_cols_, row_rows_);
    read_piece(*binding.source, layout.piece(host_row - binding.tensor.base),
               out.first(row_bytes()));
  }
}

void TensorMemory::write_rows(std::uint64_t host_row, std::span<const std::byte> in) {
  assert(in.size() % row_bytes() == 0);
  for (; !in.empty(); in = in.subspan(row_bytes()), ++host_row) {
    const Binding& binding = locate(host_, host_row, "host row");
    if (binding.sink == nullptr) {
      throw InputError(fmt::format("host row {} lies in tensor '{}', which is not a result",
                                   host_row, binding.tensor.name));
    }
    const RowLayout layout(binding.tensor, row_bytes(), array_cols_, row_rows_);
    const Piece piece = layout.piece(host_row - binding.tensor.base);
    if (piece.bytes == 0) continue;
    std::memcpy(binding.sink->row_from(piece.row, 0).data() + piece.byte, in.data(), piece.bytes);
  }
}

void TensorMemory::read_tile(std::uint64_t tile, std::span<std::byte> out) const {
  assert(out.size() == row_bytes() * array_cols_);
  const Binding& binding = locate(weights_, tile, "tile");
  const TensorDecl& tensor = binding.tensor;
  const std::uint64_t k_tiles = ceil_div(tensor.rows, array_rows_);
  const std::uint64_t first_row = (tile - tensor.base) % k_tiles * array_rows_;
  const std::uint64_t first_col = (tile - tensor.base) / k_tiles * array_cols_;
  const std::uint64_t cols = std::min<std::uint64_t>(array_cols_, tensor.cols - first_col);
  const std::size_t tile_row_bytes = std::size_t{array_cols_} * element_bytes_;
  for (std::uint64_t r = 0; r < array_rows_; ++r) {
    const bool inside = first_row + r < tensor.rows;
    const Piece piece{first_row + r, first_col * element_bytes_,
                      inside ? cols * element_bytes_ : 0};
    read_piece(*binding.source, piece, out.subspan(r * tile_row_bytes, tile_row_bytes));
  }
}

}  // namespace weft
