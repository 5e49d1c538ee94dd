#include <algorithm>

#include "models/reference/cuda/device/cuda_backend.cuh"
#include "models/reference/cuda/device/cuda_device.h"

namespace weft::cuda {
namespace {

constexpr int kDevice = 0;
constexpr unsigned kThreads = 256;
// More blocks than any device holds at a time. Each thread then takes several elements.
constexpr std::int64_t kMaxBlocks = 1 << 20;
// cuBLAS's recommendation for Hopper, the largest of its recommendations.
constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;

template <class OneBody>
__global__ void run_body(const OneBody body, const std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < count; i += stride) body(i);
}

std::string megabytes(std::int64_t bytes) {
  std::ostringstream text;
  text << (bytes + (1 << 20) - 1) / (1 << 20) << " MiB";
  return text.str();
}

// Keeps freed memory in the process, so that the next graph does not have to request it again.
void keep_freed_memory() {
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, kDevice), "looking for the device's memory pool");
  std::uint64_t threshold = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
        "setting up the device's memory pool");
}

struct CublasTypes {
  cudaDataType_t operands;
  cudaDataType_t result;
  cublasComputeType_t compute;
};

CublasTypes types_of(const ColumnMajorProduct& product) {
  switch (product.type) {
    case MatmulType::kTf32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
    case MatmulType::kBf16:
      return {CUDA_R_16BF, product.narrow_result ? CUDA_R_16BF : CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case MatmulType::kFp16:
      return {CUDA_R_16F, product.narrow_result ? CUDA_R_16F : CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case MatmulType::kInt8:
      return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I};
    case MatmulType::kFloat32:
      break;
  }
  return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
}

cublasOperation_t operation(bool transposed) {
  return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

}  // namespace

void require_device() {
  const Availability found = cuda_available();
  if (!found.available) throw InputError("no CUDA device: " + found.reason);
  check(cudaSetDevice(kDevice), "choosing the device");
}

Availability cuda_available() {
  // Without a driver, cudaGetDeviceCount() would report a driver that is too old (version 0).
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    cudaGetLastError();
    return {false, "no NVIDIA driver is loaded"};
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return {false, cudaGetErrorString(status)};
  }
  if (count == 0) return {false, "the driver reports none"};
  int pools = 0;
  if (cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, kDevice) != cudaSuccess ||
      pools == 0) {
    cudaGetLastError();
    return {false, "the device or its driver has no memory pools, which need CUDA 11.2 or later"};
  }
  return {true, ""};
}

CudaStream::CudaStream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}

CudaStream::~CudaStream() {
  cudaStreamSynchronize(stream_);
  cudaStreamDestroy(stream_);
}

CudaDevice::CudaDevice() {
  require_device();
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, kDevice), "asking for the device's properties");
  name_ = properties.name;
  keep_freed_memory();
  stream_ = std::make_shared<CudaStream>();
  workspace_ = allocate(kWorkspaceBytes);
  set_up_cublas();
}

void CudaDevice::set_up_cublas() {
  cublas_ = open_cublas();
  cublas_.check(cublas_.create(&handle_), "starting it");
  cublas_.check(cublas_.set_stream(handle_, stream()), "giving it a stream");
  cublas_.check(
      cublas_.set_workspace(handle_, workspace_.get(), static_cast<std::size_t>(kWorkspaceBytes)),
      "giving it a workspace");
  // Sums that are split among blocks are added in float32, too.
  const auto mode =
      static_cast<cublasMath_t>(static_cast<int>(CUBLAS_DEFAULT_MATH) |
                                static_cast<int>(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
  cublas_.check(cublas_.set_math_mode(handle_, mode), "setting its arithmetic");
}

CudaDevice::~CudaDevice() {
  cudaStreamSynchronize(stream());
  if (handle_ != nullptr) cublas_.destroy(handle_);
}

Memory CudaDevice::allocate(std::int64_t bytes) {
  void* memory = nullptr;
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  check(cudaMallocAsync(&memory, size, stream()), name_ + " has no " + megabytes(bytes) + " left");
  return {memory, [stream = stream_](void* freed) { cudaFreeAsync(freed, stream->get()); }};
}

void CudaDevice::upload(void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0) return;
  check(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream()),
      "copying to the device");
  // A device that reads pageable memory itself may not have finished reading it.
  wait();
}

void CudaDevice::download(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                          stream()),
          "copying from the device");
  }
  wait();
}

void CudaDevice::run(const Body& body, std::int64_t count) {
  if (count <= 0) return;
  const auto blocks = static_cast<unsigned>(std::min((count - 1) / kThreads + 1, kMaxBlocks));
  std::visit([&](const auto& one) { run_body<<<blocks, kThreads, 0, stream()>>>(one, count); },
             body);
  check(cudaGetLastError(), "launching a kernel");
}

void CudaDevice::multiply(const ColumnMajorProduct& product) {
  const CublasTypes types = types_of(product);
  const std::int32_t integers[] = {1, 0};
  const float floats[] = {1.0F, 0.0F};
  const bool integer = product.type == MatmulType::kInt8;
  const void* alpha = integer ? static_cast<const void*>(&integers[0]) : &floats[0];
  const void* beta = integer ? static_cast<const void*>(&integers[1]) : &floats[1];
  const auto op_a = operation(product.transpose_a);
  const auto op_b = operation(product.transpose_b);
  const auto m = static_cast<int>(product.m);
  const auto n = static_cast<int>(product.n);
  const auto k = static_cast<int>(product.k);
  const auto lda = static_cast<int>(product.lda);
  const auto ldb = static_cast<int>(product.ldb);
  const auto ldc = static_cast<int>(product.ldc);
  const auto batches = static_cast<int>(product.batches);
  // cuBLAS has kernels for a single product that it lacks for batches.
  const cublasStatus_t status =
      batches == 1
          ? cublas_.gemm(handle_, op_a, op_b, m, n, k, alpha, product.a, types.operands, lda,
                         product.b, types.operands, ldb, beta, product.c, types.result, ldc,
                         types.compute, CUBLAS_GEMM_DEFAULT)
          : cublas_.gemm_batched(handle_, op_a, op_b, m, n, k, alpha, product.a, types.operands,
                                 lda, product.stride_a, product.b, types.operands, ldb,
                                 product.stride_b, beta, product.c, types.result, ldc,
                                 product.stride_c, batches, types.compute, CUBLAS_GEMM_DEFAULT);
  cublas_.check(status, "a matrix product");
}

void CudaDevice::wait() {
  check(cudaStreamSynchronize(stream()), "waiting for the device");
}

std::shared_ptr<Device> make_cuda_device() {
  return std::make_shared<CudaDevice>();
}

}  // namespace weft::cuda
