#include <dlfcn.h>

#include <string>

#include "base/error.h"
#include "models/reference/cuda/device/cublas_library.cuh"

namespace weft::cuda {
namespace {

#define WEFT_TEXT_OF(number) #number
#define WEFT_TEXT(number) WEFT_TEXT_OF(number)

// Tries the file that the build found, then the system's search path.
constexpr const char* kFiles[] = {WEFT_CUBLAS_FILE, "libcublas.so." WEFT_TEXT(CUBLAS_VER_MAJOR),
                                  "libcublas.so"};

void* open_library() {
  for (const char* file : kFiles) {
    if (void* library = dlopen(file, RTLD_LAZY | RTLD_LOCAL)) return library;
  }
  const char* reason = dlerror();
  throw InputError(std::string("cuBLAS cannot be opened: ") + (reason == nullptr ? "" : reason));
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw InputError(std::string("cuBLAS has no function ") + name);
}

}  // namespace

void CublasLibrary::check(cublasStatus_t status, const char* what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) {
    throw InputError(std::string("out of GPU memory: ") + what);
  }
  throw InputError(std::string("cuBLAS failed: ") + what + ": " + status_string(status));
}

CublasLibrary open_cublas() {
  void* library = open_library();
  CublasLibrary result;
  find(library, "cublasCreate_v2", result.create);
  find(library, "cublasDestroy_v2", result.destroy);
  find(library, "cublasSetStream_v2", result.set_stream);
  find(library, "cublasSetWorkspace_v2", result.set_workspace);
  find(library, "cublasSetMathMode", result.set_math_mode);
  find(library, "cublasGemmEx", result.gemm);
  find(library, "cublasGemmStridedBatchedEx", result.gemm_batched);
  find(library, "cublasGetStatusString", result.status_string);
  return result;
}

}  // namespace weft::cuda
