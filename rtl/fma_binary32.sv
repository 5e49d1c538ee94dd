// The fused multiply-add unit of a floating-point PE and of an accumulator: a * b + c in binary32, one
// rounding. Combinational; binary32_pkg defines and explains the arithmetic.
module fma_binary32 (
  input  logic [binary32_pkg::Width-1:0] a_i,
  input  logic [binary32_pkg::Width-1:0] b_i,
  input  logic [binary32_pkg::Width-1:0] c_i,
  output logic [binary32_pkg::Width-1:0] result_o
);
  assign result_o = binary32_pkg::fma(a_i, b_i, c_i);
endmodule
