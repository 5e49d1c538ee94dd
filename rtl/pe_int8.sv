// The int8 processing element: psum <= psum_i + act_i * weight, signed 8 x 8 bit products, a
// two's-complement sum of PsumWidth bits that wraps. pe_registers.sv has the registers and a drawing.
module pe_int8 #(
  parameter int ElementWidth = 8,
  parameter int PsumWidth    = 32
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
  logic        [  ElementWidth-1:0] weight_used;
  logic signed [2*ElementWidth-1:0] product;
  logic        [     PsumWidth-1:0] psum_d;

  assign product = $signed(act_i) * $signed(weight_used);
  assign psum_d  = psum_i + PsumWidth'(product);

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

`ifdef FORMAL_PE_INT8
  `include "formal/pe_int8_properties.svh"
`endif
endmodule
