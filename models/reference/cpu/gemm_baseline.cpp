#define WEFT_GEMM_LEVEL baseline
#include "models/reference/cpu/gemm_kernel.inc"
