#define WEFT_GEMM_LEVEL v3
#include "models/reference/cpu/gemm_kernel.inc"
