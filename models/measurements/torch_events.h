// The events of a trace of PyTorch's profiler: operators of the processor and kernels of a GPU.
//
//   {"deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}],
//    "traceEvents": [
//      {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 8.5, "dur": 20,
//       "args": {"External id": 7, "Input Dims": [[64, 96], [96, 32]],
//                "Input type": ["c10::Half", "c10::Half"]}},
//      {"ph": "X", "cat": "kernel", "name": "ampere_fp16_s1688gemm", "ts": 40, "dur": 3.2,
//       "args": {"External id": 7, "device": 0}}]}
//
// ts and dur are in us. A trace of the profiler without Kineto is a list of events without shapes;
// its pid is "CPU functions" or "CUDA functions".
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/measurements/byte_source.h"
#include "models/measurements/measurement.h"
#include "models/measurements/name_table.h"

namespace weft::measurements {

inline constexpr std::uint64_t kNoExternalId = ~std::uint64_t{0};

struct TorchOperator {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t external_id = kNoExternalId;
  std::uint32_t signature = 0;  // index in TorchEvents::signatures
  std::uint32_t thread = 0;
};

struct TorchKernel {
  std::int64_t start_ns = 0;
  double seconds = 0;
  std::uint64_t external_id = kNoExternalId;
  std::uint32_t name = 0;  // in TorchEvents::kernel_names
  std::int32_t device = 0;
};

struct TorchEvents {
  // Deques: a vector copies all that it has when it grows, so it takes three times as much then.
  std::deque<TorchOperator> operators = {};
  std::deque<TorchKernel> kernels = {};     // copies between memories too
  std::deque<Measurement> signatures = {};  // operators with the same name and arguments, no runs
  NameTable kernel_names = {};
  std::map<std::int64_t, std::string> device_names = {};
  std::string command = {};  // of a report that weft wrote; the file is no trace
};

/// Reads the events. Throws InputError, without the file's name, for anything but JSON, for an
/// event of one of these kinds without name, time or duration, for an impossible duration, and for
/// more than 2^23 events.
TorchEvents read_torch_events(ByteSource& source);

}  // namespace weft::measurements
