// Marks inline functions that run on the processor and, compiled by nvcc, on a CUDA device too, so
// that both compute with one definition. To every other compiler the mark is nothing.
#pragma once

#ifdef __CUDACC__
#define WEFT_HOST_DEVICE __host__ __device__
#else
#define WEFT_HOST_DEVICE
#endif
