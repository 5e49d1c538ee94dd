// Host and weight memory that consist of a program's tensors. Reads gather rows and tiles directly
// from row-major matrices, and writes scatter results into them. sim/isa/program.h has the layouts.
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

#include "sim/isa/check/tensor_layout.h"
#include "sim/isa/program.h"
#include "sim/memory/host_memory.h"
#include "sim/memory/matrix.h"

namespace weft {

class TensorMemory : public HostMemory {
 public:
  /// Takes the tensors of `program`; none has a matrix yet. Throws InputError like
  /// validate_tensors().
  explicit TensorMemory(const Program& program);

  /// Gives `matrix` to the input tensor `name`; it must outlive this memory. Throws InputError if
  /// there is no such input, or if type or shape differ (the message names expected and actual).
  /// The weights of a product are also given to the tensor that holds them again.
  void bind(std::string_view name, const Matrix& matrix);
  void bind(std::string_view name, Matrix&& matrix) = delete;

  /// Gives `matrix` to the result or narrow tensor `name`. It must outlive this memory; the run
  /// writes to it. Throws InputError like bind().
  void bind_result(std::string_view name, Matrix& matrix);

  /// Throws InputError that names the first tensor without a matrix, before a read or write of it
  /// throws during the run.
  void check_all_bound() const;

  /// These throw InputError if a row or tile lies in no tensor of the program, or in a tensor
  /// without a matrix. write_rows() also throws if the tensor is not an output (is_output()).
  void read_rows(std::uint64_t host_row, std::span<std::byte> out) const override;
  void read_tile(std::uint64_t tile, std::span<std::byte> out) const override;
  void write_rows(std::uint64_t host_row, std::span<const std::byte> in) override;

 private:
  struct Binding {
    TensorDecl tensor;
    const Matrix* source = nullptr;
    Matrix* sink = nullptr;            // the same matrix, for an output
    bool holds_weights_again = false;  // is_weight_rows()
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
