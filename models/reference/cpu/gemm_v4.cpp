#define WEFT_GEMM_LEVEL v4
#include "models/reference/cpu/gemm_kernel.inc"
