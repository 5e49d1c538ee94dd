// Files of arrays: what is accepted can be converted or is refused, and a tensor can be written
// and read again.
#include "runtime/npy/npy.h"

#include <array>

#include "runtime/npy/npy_tensor.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

constexpr std::array kOperands = {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16};
constexpr std::array kBiases = {ElementType::kInt32, ElementType::kFloat32};

void use_as_matrix(const runtime::NpyArray& array) {
  for (const ElementType type : kOperands) {
    accepts([&] { runtime::check_type(array, type); });
    accepts([&] { runtime::to_operand(array, type); });
  }
  for (const ElementType type : kBiases) {
    accepts([&] { runtime::check_type(array, type); });
    accepts([&] { runtime::to_bias(array, type); });
  }
  accepts([&] { runtime::matrix_shape(array); });
  accepts([&] { runtime::bias_shape(array); });
}

}  // namespace

bool npy(std::string_view bytes) {
  const BytesFile file(bytes);
  accepts([&] { runtime::read_npy(file.path(), runtime::NpyContent::kHeader); });
  return accepts([&] {
    const runtime::NpyArray array = runtime::read_npy(file.path());
    use_as_matrix(array);
    const graph::Tensor tensor = runtime::to_tensor(array);
    const BytesFile written(runtime::encode_npy(tensor));
    const graph::Tensor again = runtime::to_tensor(runtime::read_npy(written.path()));
    require(again == tensor, "a written tensor is read as it was");
  });
}

}  // namespace weft::fuzz
