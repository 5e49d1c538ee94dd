// A program: the instructions, the machine for which they are laid out, and the tensors to which
// their host rows and tile numbers belong. Its text form is a `.weft` file.
//
// Layouts. Host memory is addressed in UB rows (R elements), weight memory in tiles (R x C);
// elements outside the matrix are zero:
//   activation [M,K]  host row base + kt*M + m          = elements [m][kt*R .. kt*R+R)
//   weights    [K,N]  tile     base + nt*ceil(K/R) + kt = elements [kt*R ..][nt*C ..]
//   bias       [1,N]  host row base + nt*rr ..          = 32-bit words [nt*C .. nt*C+C)
//   result     [M,N]  host row base + (nt*M + m)*rr ..  = 32-bit words [m][nt*C .. nt*C+C)
//   narrow     [M,N]  like activation; stores write it, and loads may read it back
//   image      [M,N]  host row base + i/R, element i%R   = element i of M*N, row-major
// with rr = MachineConfig::result_row_rows(). Counted in bytes, host row h begins at h *
// row_bytes(), and tile t at kWeightMemory + t * tile_bytes().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pe/element_type.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/program_source.h"

namespace weft {

/// The byte address of tile 0: each of the two memories has half of a 64-bit address space.
inline constexpr std::uint64_t kWeightMemory = std::uint64_t{1} << 63U;

enum class TensorRole : std::uint8_t { kActivation, kWeights, kBias, kResult, kNarrow, kImage };

/// True for the tensors that stores write: results, and narrow ones.
constexpr bool is_output(TensorRole role) {
  return role == TensorRole::kResult || role == TensorRole::kNarrow;
}

/// A matrix [rows, cols] and where its layout begins (a host row, or a tile for weights).
struct TensorDecl {
  std::string name;
  TensorRole role = TensorRole::kActivation;
  ElementType type = ElementType::kInt8;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t base = 0;
  friend bool operator==(const TensorDecl&, const TensorDecl&) = default;
};

enum class Activation : std::uint8_t { kNone, kRelu, kRelu6 };

/// "none", "relu" or "relu6".
std::string_view to_string(Activation activation);
/// Returns the activation with this name. Throws InputError; `what` names the value in its message.
Activation parse_activation(std::string_view name, std::string_view what = "activation");

/// The tensor that holds "b" again as rows, in a program that loads some of its tiles through the
/// unified buffer.
inline constexpr std::string_view kWeightRows = "b_rows";

/// What a program computes, so that a run can be checked: out = activation(a*b + bias) with the
/// tensors "a" [M,K], "b" [K,N], "bias" [1,N] (if there is one) and "out" [M,N]. An activation
/// "b_rows" [K,N], if there is one, is b again.
struct MatmulSpec {
  std::uint64_t m = 0;
  std::uint64_t k = 0;
  std::uint64_t n = 0;
  bool bias = false;
  Activation activation = Activation::kNone;
  friend bool operator==(const MatmulSpec&, const MatmulSpec&) = default;
};

/// The most instructions that a program may have: at 216 bytes each, 13.5 GiB.
inline constexpr std::size_t kMaxInstructions = std::size_t{1} << 26U;

struct Program {
  std::uint32_t array_rows = 0;  // tiles and rows are laid out for this R, C and type
  std::uint32_t array_cols = 0;
  ElementType dtype = ElementType::kInt8;
  std::vector<TensorDecl> tensors;
  std::optional<MatmulSpec> computes;
  std::vector<Instruction> code;
  ProgramSource source = {};  // for messages only

  /// The same program; the source may differ.
  friend bool operator==(const Program& a, const Program& b) {
    return a.array_rows == b.array_rows && a.array_cols == b.array_cols && a.dtype == b.dtype &&
           a.tensors == b.tensors && a.computes == b.computes && a.code == b.code;
  }
};

/// True if the tensor holds the weights of a product again (kWeightRows).
bool is_weight_rows(const Program& program, const TensorDecl& tensor);

/// Host rows (or tiles, for weights) that `tensor` occupies from its base on. Throws InputError if
/// the number overflows, or the program has no array.
std::uint64_t tensor_extent(const TensorDecl& tensor, const Program& program);

/// UB rows that one row of C 32-bit results occupies, like MachineConfig::result_row_rows().
std::uint32_t result_row_rows(const Program& program);

/// Throws InputError if a name is empty or used twice, a size is zero or overflows, a type does not
/// suit its role, two tensors overlap, or the tensors do not have the shapes that `computes` needs.
/// The message names the tensor, and its line if the program has a source.
void validate_tensors(const Program& program);

/// Throws InputError naming line, instruction and operand if the program cannot run on this machine
/// with any timing: another R, C or type, a row or a tile outside its memory, zero rows, operands
/// that contradict each other (sim/isa/check/operand_check.h), an `after` count that no unit can
/// reach, a matmul that keeps weights before any was loaded. Includes validate_tensors(). A load
/// may read a result or a narrow tensor only where an earlier store wrote it. If a program has no
/// tensors, its host rows and tiles are not checked; its HostMemory defines them.
void validate(const Program& program, const MachineConfig& config);

}  // namespace weft
