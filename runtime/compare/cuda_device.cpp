#include "runtime/compare/cuda_device.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "models/reference/cuda/cuda_backend.h"
#include "models/reference/cuda/device/operands.h"
#include "runtime/measure/repeated.h"

namespace weft::runtime {
namespace {

using cuda::MatmulType;
using devices::NumberFormat;

/// Both enumerations have the same types with the same names.
MatmulType type_of(NumberFormat format) {
  return *cuda::matmul_type_from_string(devices::to_string(format));
}

/// The numbers for the library; integers as floats for int8.
std::vector<float> operand(const ProductValues& values, RandomStream which, NumberFormat format) {
  if (format != NumberFormat::kInt8) {
    const auto drawn = which == RandomStream::kA ? values.a() : values.b();
    return {drawn.begin(), drawn.end()};
  }
  const Matrix integers = values.operand(which, ElementType::kInt8);
  std::vector<float> numbers;
  numbers.reserve(integers.bytes().size());
  for (const std::byte byte : integers.bytes()) {
    numbers.push_back(static_cast<float>(static_cast<std::int8_t>(byte)));
  }
  return numbers;
}

std::optional<double> error_of(NumberFormat format, ProductValues& values) {
  if (!values.compared()) return std::nullopt;
  const devices::GemmShape& shape = values.shape();
  const auto device = cuda::make_cuda_device();
  const std::vector<double> result =
      cuda::matmul(*device, type_of(format), operand(values, RandomStream::kA, format),
                   operand(values, RandomStream::kB, format),
                   {static_cast<std::int64_t>(shape.m), static_cast<std::int64_t>(shape.k),
                    static_cast<std::int64_t>(shape.n)});
  return values.largest_error(result, format == NumberFormat::kInt8);
}

CompareRow measure_cuda_product(NumberFormat format, ProductValues& values) {
  const devices::GemmShape& shape = values.shape();
  const cuda::MatmulMeasurement measured =
      cuda::measure_matmul(type_of(format), static_cast<std::int64_t>(shape.m),
                           static_cast<std::int64_t>(shape.k), static_cast<std::int64_t>(shape.n));
  CompareRow row;
  row.kind = RowKind::kMeasured;
  row.format = format;
  row.title = measured.device.name;
  row.shape = shape;
  row.flop = devices::useful_flop(shape);
  row.seconds = measured.seconds;
  row.clock_hz = measured.clock_mhz * 1e6;
  if (measured.peak_ops > 0) row.peak = measured.peak_ops;
  row.max_abs_error = error_of(format, values);
  row.basis =
      fmt::format("{}, cuBLAS, median by events; clock {}", measured.device.name,
                  measured.clock_measured ? "read during the run" : "not read: the boost clock");
  row.details = {{"library", "cuBLAS"},
                 {"fastest_seconds", measured.fastest_seconds},
                 {"clock_read", measured.clock_measured},
                 {"multiprocessors", measured.device.multiprocessors}};
  return row;
}

/// Each run copies the outputs; only the first run copies the inputs.
CompareRow measure_cuda_network(NumberFormat format, const MeasuredNetwork& network) {
  cuda::CudaGraphRunner runner(network.graph, {.matmul = type_of(format)});
  NamedTensors outputs;
  const auto work = [&] { outputs = runner.run(network.inputs); };
  const auto no_clock = [] { return std::optional<double>(); };
  const Timing timing = time_repeated(work, no_clock, kEnoughSeconds);
  const std::vector<std::string> elsewhere = runner.cpu_nodes();
  CompareRow row;
  row.kind = RowKind::kMeasured;
  row.format = format;
  row.title = cuda::cuda_device_info().name;
  row.flop = network.flop;
  row.seconds = timing.median;
  row.max_abs_error = largest_output_error(outputs, network.exact);
  row.basis = fmt::format("{}, Weft's CUDA backend, {}, {} on the processor", row.title,
                          timing_text(timing), counted(elsewhere.size(), "node"));
  row.details = timing_json(timing);
  row.details["library"] = "cuBLAS";
  row.details["cpu_nodes"] = elsewhere.size();
  return row;
}

CompareRow checked_network(NumberFormat format, const MeasuredNetwork& network) {
  if (format == NumberFormat::kInt8) {
    throw InputError("--with cuda:int8: the backend runs networks in floating point; give another");
  }
  return measure_cuda_network(format, network);
}

}  // namespace

MeasuredDevice cuda_device() {
  const cuda::Availability availability = cuda::cuda_available();
  if (!availability.available) {
    throw InputError(
        fmt::format("--with cuda: no CUDA device: {}; leave cuda out", availability.reason));
  }
  MeasuredDevice device;
  device.formats = {NumberFormat::kFp16, NumberFormat::kBf16, NumberFormat::kTf32,
                    NumberFormat::kFp32, NumberFormat::kInt8};
  device.product = measure_cuda_product;
  device.network = checked_network;
  return device;
}

}  // namespace weft::runtime
