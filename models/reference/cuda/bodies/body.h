// Every body that a device runs. A body is plain data with a function of one index, which computes
// one element (or piece) of a result. A thread calls it on a CUDA device, a loop calls it in
// LoopDevice. Both run the same code, so it is tested without a CUDA device.
#pragma once

#include <cstdint>
#include <variant>

#include "models/reference/cuda/bodies/elementwise.h"
#include "models/reference/cuda/bodies/indexed.h"
#include "models/reference/cuda/bodies/movement.h"
#include "models/reference/cuda/bodies/reduction.h"
#include "models/reference/cuda/bodies/windows.h"

namespace weft::cuda {

using Body = std::variant<
    Unary, Binary, Compare<float>, Compare<std::int64_t>, Logic, Not, Classify, Where<std::uint8_t>,
    Where<std::uint16_t>, Where<std::uint32_t>, Where<std::uint64_t>, Convert<bool, float>,
    Convert<float, bool>, Convert<float, std::int32_t>, Convert<float, std::int64_t>, Narrow,
    ContractionEpilogue, Copy<std::uint8_t>, Copy<std::uint16_t>, Copy<std::uint32_t>,
    Copy<std::uint64_t>, Fill<std::uint8_t>, Fill<std::uint16_t>, Fill<std::uint32_t>,
    Fill<std::uint64_t>, Clear<std::uint32_t>, Gather<std::uint8_t>, Gather<std::uint16_t>,
    Gather<std::uint32_t>, Gather<std::uint64_t>, GatherRuns<std::uint8_t>,
    GatherRuns<std::uint16_t>, GatherRuns<std::uint32_t>, GatherRuns<std::uint64_t>,
    PutRuns<std::uint8_t>, PutRuns<std::uint16_t>, PutRuns<std::uint32_t>, PutRuns<std::uint64_t>,
    CombineRuns, CumulativeSum, Unfold<std::uint16_t>, Unfold<std::uint32_t>, FoldWindows,
    DepthwiseConvolution, MaxPool, AveragePool, GlobalPool, Reduce, Combine, Round,
    InverseDeviation, Widen, Normalize, Softmax, ArgExtreme, LocalResponse>;

}  // namespace weft::cuda
