// Measures how long cuBLAS takes for a product: only its kernels run between the events.
#include <algorithm>
#include <optional>
#include <vector>

#include "models/reference/cuda/device/cuda_backend.cuh"
#include "models/reference/cuda/device/cuda_device.h"
#include "models/reference/cuda/device/rates.h"
#include "models/reference/cuda/device/sm_clock.h"

namespace weft::cuda {
namespace {

class CudaEvent {
 public:
  CudaEvent() { check(cudaEventCreate(&event_), "making an event"); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  ~CudaEvent() { cudaEventDestroy(event_); }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }
  bool reached() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) check(status, "waiting for a product");
    return status == cudaSuccess;
  }
  double seconds_since(const CudaEvent& start) const {
    float milliseconds = 0;
    check(cudaEventSynchronize(event_), "waiting for a product");
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "reading an event");
    return static_cast<double>(milliseconds) / 1e3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Pseudo-random elements of `type` from -1 to 1 (int8: -128 to 127), for which hardware has no
/// shortcut.
struct Noise {
  MatmulType type;
  void* elements;
  __device__ void operator()(std::int64_t i) const {
    auto mixed = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U + 0x632BE59BD9B4E019U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed ^= mixed >> 27U;
    const auto whole = static_cast<std::int32_t>(mixed & 0xFFFFU) - 0x8000;
    const float value = static_cast<float>(whole) / 32768.0F;
    switch (type) {
      case MatmulType::kBf16:
        static_cast<std::uint16_t*>(elements)[i] = bf16_bits(value);
        return;
      case MatmulType::kFp16:
        static_cast<std::uint16_t*>(elements)[i] = fp16_bits(value);
        return;
      case MatmulType::kInt8:
        static_cast<std::int8_t*>(elements)[i] = static_cast<std::int8_t>(whole / 256);
        return;
      case MatmulType::kFloat32:
      case MatmulType::kTf32:
        static_cast<float*>(elements)[i] = value;
        return;
    }
  }
};

__global__ void make_noise(const Noise noise, const std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < count; i += stride) noise(i);
}

Memory noise(CudaDevice& device, MatmulType type, std::int64_t count) {
  Memory memory = device.allocate(count * operand_bytes(type));
  make_noise<<<1024, 256, 0, device.stream()>>>(Noise{type, memory.get()}, count);
  check(cudaGetLastError(), "launching a kernel");
  return memory;
}

/// Repeats one product and times samples of it with events.
class Samples {
 public:
  Samples(CudaDevice& device, const ColumnMajorProduct& product)
      : device_(device), product_(product) {}

  /// Runs products for about `seconds`. Returns the seconds per product.
  double warm_up(double seconds) {
    double one = timed(3);
    for (double spent = 3 * one; spent < seconds;) {
      const std::int32_t count = products_per_sample(one);
      one = timed(count);
      spent += one * static_cast<double>(count);
    }
    return one;
  }

  /// Returns the seconds per product for each of `samples` samples. Reads the clock meanwhile.
  std::vector<double> take(std::int32_t samples, std::int32_t products, const SmClock& clock) {
    std::vector<CudaEvent> events(static_cast<std::size_t>(samples) + 1);
    events[0].record(device_.stream());
    for (std::size_t i = 1; i < events.size(); ++i) {
      for (std::int32_t product = 0; product < products; ++product) device_.multiply(product_);
      events[i].record(device_.stream());
    }
    while (!events.back().reached()) {
      if (const std::optional<double> mhz = clock.read()) clocks_.push_back(*mhz);
    }
    std::vector<double> times;
    for (std::size_t i = 1; i < events.size(); ++i) {
      times.push_back(events[i].seconds_since(events[i - 1]) / static_cast<double>(products));
    }
    return times;
  }

  const std::vector<double>& clocks() const { return clocks_; }

 private:
  double timed(std::int32_t products) {
    CudaEvent start;
    CudaEvent end;
    start.record(device_.stream());
    for (std::int32_t i = 0; i < products; ++i) device_.multiply(product_);
    end.record(device_.stream());
    return end.seconds_since(start) / static_cast<double>(products);
  }

  CudaDevice& device_;
  ColumnMajorProduct product_;
  std::vector<double> clocks_;
};

std::string pci_bus_id() {
  char text[32] = {};
  check(cudaDeviceGetPCIBusId(text, sizeof text, 0), "asking for the device's bus");
  return text;
}

DeviceProduct padded_product(MatmulType type, std::int64_t m, std::int64_t k, std::int64_t n) {
  const bool integer = type == MatmulType::kInt8;
  DeviceProduct product = {};
  product.type = type;
  product.m = integer ? int8_padded(m) : m;
  product.k = integer ? int8_padded(k) : k;
  product.n = integer ? int8_padded(n) : n;
  product.transpose_b = integer;
  product.narrow_result = operand_bytes(type) == 2;
  return product;
}

void check_shape(std::int64_t m, std::int64_t k, std::int64_t n) {
  constexpr std::int64_t kMax = std::int64_t{1} << 24;
  for (const std::int64_t extent : {m, k, n}) {
    if (extent < 1 || extent > kMax) {
      throw InputError("the extents of a measured product must be 1 to 16777216");
    }
  }
}

void set_clock(MatmulMeasurement& result, const std::vector<double>& clocks) {
  result.clock_measured = !clocks.empty();
  result.clock_mhz = clocks.empty() ? result.device.boost_mhz : median(clocks);
  result.peak_ops = operations_per_cycle(result.type, result.device.major, result.device.minor) *
                    result.device.multiprocessors * result.clock_mhz * 1e6;
}

}  // namespace

DeviceInfo cuda_device_info() {
  require_device();
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the device's properties");
  int kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "asking for its clock");
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "asking for the driver's version");
  std::ostringstream version;
  version << driver / 1000 << '.' << driver % 1000 / 10;
  return {properties.name,
          properties.major,
          properties.minor,
          properties.multiProcessorCount,
          static_cast<std::int64_t>(properties.totalGlobalMem),
          kilohertz / 1e3,
          version.str()};
}

MatmulMeasurement measure_matmul(MatmulType type, std::int64_t m, std::int64_t k, std::int64_t n,
                                 const MeasureOptions& options) {
  check_shape(m, k, n);
  MatmulMeasurement result = {};
  result.device = cuda_device_info();
  CudaDevice device;
  DeviceProduct product = padded_product(type, m, k, n);
  const Memory a = noise(device, type, product.m * product.k);
  const Memory b = noise(device, type, product.k * product.n);
  const std::int64_t result_bytes = product.narrow_result ? 2 : 4;
  const Memory c = device.allocate(product.m * product.n * result_bytes);
  product.a = a.get();
  product.b = b.get();
  product.c = c.get();
  Samples samples(device, column_major(product));
  const double about = samples.warm_up(options.warm_up_seconds);
  const SmClock clock(pci_bus_id());
  const std::vector<double> times =
      samples.take(std::max(options.repeats, 1), products_per_sample(about), clock);
  result.type = type;
  result.m = product.m;
  result.k = product.k;
  result.n = product.n;
  result.seconds = median(times);
  result.fastest_seconds = *std::min_element(times.begin(), times.end());
  set_clock(result, samples.clocks());
  return result;
}

}  // namespace weft::cuda
