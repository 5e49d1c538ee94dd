// Marks inline functions that run on the processor and, compiled by nvcc, also on a CUDA device, so
// that both use one definition. For other compilers, the mark is empty.
#pragma once

#ifdef __CUDACC__
#define WEFT_HOST_DEVICE __host__ __device__
#else
#define WEFT_HOST_DEVICE
#endif

// Marks functions whose body is chosen by an argument that callers know: each call becomes the
// body.
#define WEFT_ALWAYS_INLINE [[gnu::always_inline]] inline
