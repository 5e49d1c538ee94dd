#include "models/reference/cuda/device/product.h"

#include <limits>

#include "base/error.h"

namespace weft::cuda {
namespace {

void check_extents(const DeviceProduct& product) {
  for (const std::int64_t extent : {product.m, product.k, product.n, product.batches}) {
    if (extent > std::numeric_limits<std::int32_t>::max()) {
      throw InputError(
          "a matrix has more than 2147483647 rows or columns, which cuBLAS cannot take");
    }
  }
}

void check_int8(const DeviceProduct& product) {
  bool fits = product.transpose_b && !product.transpose_a;
  for (const std::int64_t extent : {product.m, product.k, product.n}) {
    fits = fits && extent % kInt8Multiple == 0;
  }
  if (!fits) {
    throw InputError("an int8 product needs extents that are multiples of 16 and B transposed");
  }
}

}  // namespace

ColumnMajorProduct column_major(const DeviceProduct& product) {
  check_extents(product);
  if (product.type == MatmulType::kInt8) check_int8(product);
  ColumnMajorProduct call = {};
  call.type = product.type;
  call.narrow_result = product.narrow_result;
  call.m = product.n;
  call.n = product.m;
  call.k = product.k;
  call.transpose_a = product.transpose_b;
  call.a = product.b;
  call.lda = product.transpose_b ? product.k : product.n;
  call.stride_a = product.stride_b;
  call.transpose_b = product.transpose_a;
  call.b = product.a;
  call.ldb = product.transpose_a ? product.m : product.k;
  call.stride_b = product.stride_a;
  call.c = product.c;
  call.ldc = product.n;
  call.stride_c = product.stride_c;
  call.batches = product.batches;
  return call;
}

}  // namespace weft::cuda
