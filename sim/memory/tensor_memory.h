// Host and weight memory made of a program's tensors: rows and tiles are gathered straight from
// row-major matrices, and results scattered into them, as the layouts of sim/isa/program.h say.
//
//   activation [M,K], R = 4          host rows
//       k: 0123 4567 89              base      +0   m0: 0123      base+M    m0: 4567
//   m0     .... .... ..                        +1   m1: 0123           ...
//   m1     .... .... ..              base+2*M  +0   m0: 89 0 0    zero-padded
//
// No matrix is copied into a second layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/isa/program.h"
#include "sim/isa/tensor_layout.h"
#include "sim/memory/host_memory.h"
#include "sim/memory/matrix.h"

namespace weft {

class TensorMemory : public HostMemory {
 public:
  /// The tensors of `program`, of which none is bound yet. Throws InputError as validate_tensors().
  explicit TensorMemory(const Program& program);

  /// Puts `matrix` behind the input tensor `name`; it must outlive this memory. Throws InputError
  /// naming expected and actual if there is no such input, or its type or shape differ.
  void bind(std::string_view name, const Matrix& matrix);
  void bind(std::string_view name, Matrix&& matrix) = delete;

  /// Puts `matrix` behind the result or narrow tensor `name`; it must outlive this memory and is
  /// written to. Throws InputError as bind().
  void bind_result(std::string_view name, Matrix& matrix);

  /// Throws InputError that names the first tensor without a matrix. Reads and writes of such a
  /// tensor throw too; this finds it before the run.
  void check_all_bound() const;

  /// Throw InputError if a row or tile lies in no tensor of the program, or in one without a
  /// matrix; write_rows() also if the tensor is no output (is_output()).
  void read_rows(std::uint64_t host_row, std::span<std::byte> out) const override;
  void read_tile(std::uint64_t tile, std::span<std::byte> out) const override;
  void write_rows(std::uint64_t host_row, std::span<const std::byte> in) override;

 private:
  struct Binding {
    TensorDecl tensor;
    const Matrix* source = nullptr;
    Matrix* sink = nullptr;  // the same matrix, for an output
  };

  Binding& find(std::string_view name, bool output);
  const Binding& locate(const TensorMap& map, std::uint64_t address, std::string_view what) const;
  std::size_t row_bytes() const { return row_bytes_; }

  std::vector<Binding> bindings_;
  TensorMap host_;
  TensorMap weights_;
  std::uint32_t array_rows_;
  std::uint32_t array_cols_;
  std::uint32_t element_bytes_;
  std::size_t row_bytes_;
  std::uint32_t row_rows_;  // UB rows of one row of C results
};

}  // namespace weft
