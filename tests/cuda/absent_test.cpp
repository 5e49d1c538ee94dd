// In a build without CUDA every function can be called and reports that CUDA is missing.
#include <gtest/gtest.h>

#include "base/error.h"
#include "models/reference/cuda/device/cuda_device.h"

namespace weft::cuda {
namespace {

template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

constexpr const char* kMessage = "no CUDA device: this weft was built without CUDA";

TEST(CudaAbsentTest, SaysThatThereIsNoCuda) {
  EXPECT_FALSE(cuda_available().available);
  EXPECT_EQ(cuda_available().reason, "this weft was built without CUDA");
  EXPECT_EQ(message_of([] { make_cuda_device(); }), kMessage);
  EXPECT_EQ(message_of([] { cuda_device_info(); }), kMessage);
  EXPECT_EQ(message_of([] { measure_matmul(MatmulType::kFp16, 8, 8, 8); }), kMessage);
}

}  // namespace
}  // namespace weft::cuda
