// Included before everything else where Verilator's runtime is compiled. Redirects what the Verilog
// prints, because standard output belongs to reports.
#pragma once

/// Like printf, but always returns 0. Keeps the text of a failing assertion for the exception that
/// follows it; prints anything else to standard error.
__attribute__((format(printf, 1, 2))) int weft_verilated_print(const char* format, ...);

#define VL_PRINTF weft_verilated_print
