#define WEFT_GEMM_LEVEL v4
#include "models/reference/cpu/product/gemm_kernel.inc"
