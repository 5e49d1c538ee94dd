// Included ahead of everything else where Verilator's runtime is compiled: what the Verilog prints
// goes through Weft, not to standard output, which belongs to reports.
#pragma once

/// As printf; always 0. The text of a failing assertion is kept for the exception that follows it,
/// anything else goes to standard error.
__attribute__((format(printf, 1, 2))) int weft_verilated_print(const char* format, ...);

#define VL_PRINTF weft_verilated_print
