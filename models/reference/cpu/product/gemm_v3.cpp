#define WEFT_GEMM_LEVEL v3
#include "models/reference/cpu/product/gemm_kernel.inc"
