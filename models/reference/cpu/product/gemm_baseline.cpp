#define WEFT_GEMM_LEVEL baseline
#include "models/reference/cpu/product/gemm_kernel.inc"
