// The fastest libraries for the bare product, on one thread and square matrices.
#pragma once

#include <cstddef>
#include <functional>

namespace weft::bench {

/// OpenBLAS sgemm of `side`^3; empty if weft_bench was built without OpenBLAS.
std::function<void()> sgemm(std::size_t side);

/// oneDNN's int8 gemm with int32 sums of `side`^3; empty if weft_bench was built without oneDNN.
std::function<void()> int8_gemm(std::size_t side);

}  // namespace weft::bench
