// The floating-point processing element: psum <= fma(act_i, weight, psum_i) in IEEE 754 binary32,
// one rounding. ExponentWidth 8 makes it bf16, 5 makes it fp16; the operands widen exactly.
// pe_registers.sv has the registers and a drawing.
module pe_float #(
  parameter int ElementWidth  = 16,
  parameter int ExponentWidth = 8,
  parameter int PsumWidth     = 32
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [ElementWidth-1:0] act_i,
  input  logic                    swap_i,
  input  logic [ElementWidth-1:0] weight_i,
  input  logic                    push_i,
  input  logic [PsumWidth-1:0]    psum_i,
  output logic [ElementWidth-1:0] act_o,
  output logic                    swap_o,
  output logic [ElementWidth-1:0] weight_out_o,
  output logic                    push_o,
  output logic [PsumWidth-1:0]    psum_o
);
  logic [ElementWidth-1:0] weight_used;
  logic [   PsumWidth-1:0] act_wide, weight_wide, psum_d;

  widen_binary32 #(
    .ElementWidth (ElementWidth),
    .ExponentWidth(ExponentWidth)
  ) u_widen_act (
    .element_i (act_i),
    .binary32_o(act_wide)
  );

  widen_binary32 #(
    .ElementWidth (ElementWidth),
    .ExponentWidth(ExponentWidth)
  ) u_widen_weight (
    .element_i (weight_used),
    .binary32_o(weight_wide)
  );

  fma_binary32 u_fma (
    .a_i     (act_wide),
    .b_i     (weight_wide),
    .c_i     (psum_i),
    .result_o(psum_d)
  );

  pe_registers #(
    .ElementWidth(ElementWidth),
    .PsumWidth   (PsumWidth)
  ) u_registers (
    .clk_i,
    .rst_ni,
    .act_i,
    .swap_i,
    .weight_i,
    .push_i,
    .psum_d_i     (psum_d),
    .weight_used_o(weight_used),
    .act_o,
    .swap_o,
    .weight_out_o,
    .push_o,
    .psum_o
  );
endmodule
