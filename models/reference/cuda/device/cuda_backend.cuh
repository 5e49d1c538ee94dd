// The CUDA device that make_cuda_device() returns. Everything runs in the order of one stream, and
// the cuBLAS handle has a separate workspace. Only .cu files include this header.
#pragma once

#include <memory>
#include <string>

#include "models/reference/cuda/device/cublas_library.cuh"
#include "models/reference/cuda/device/cuda_check.h"
#include "models/reference/cuda/device/device.h"

namespace weft::cuda {

/// A stream, shared with the memory that will be freed on it.
class CudaStream {
 public:
  CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream();
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaDevice final : public Device {
 public:
  CudaDevice();
  ~CudaDevice() override;

  std::string name() const override { return name_; }
  Memory allocate(std::int64_t bytes) override;
  void upload(void* to, const void* from, std::int64_t bytes) override;
  void download(void* to, const void* from, std::int64_t bytes) override;
  void run(const Body& body, std::int64_t count) override;
  void multiply(const ColumnMajorProduct& product) override;
  void wait() override;

  cudaStream_t stream() const { return stream_->get(); }

 private:
  void set_up_cublas();

  std::string name_;
  std::shared_ptr<CudaStream> stream_;
  Memory workspace_;
  CublasLibrary cublas_;
  cublasHandle_t handle_ = nullptr;
};

/// Throws InputError "no CUDA device: ..." if there is none.
void require_device();

}  // namespace weft::cuda
