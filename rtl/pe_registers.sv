// The registers of one processing element and how they move. pe_int8 and pe_float do the arithmetic:
// they compute psum_d_i from act_i and weight_used_o.
//
//            weight_i, push_i      psum_d_i
//                  |                 |
//                  v                 v
//             +---------------------------+
//   act_i --> | shadow -> active          | --> act_o    (one cycle later)
//   swap_i -> |                           | --> swap_o
//             +---------------------------+
//                  |                 |
//                  v                 v
//            weight_out_o, push_o  psum_o
//
// A push takes weight_i into the shadow and hands the shadow's old weight down; the push itself goes
// down one row per cycle. A swap comes with the first activation of a tile; its product already uses
// the shadow. Both may come in one cycle: the swap takes the old shadow, the push refills it.
module pe_registers #(
  parameter int ElementWidth = 8,
  parameter int PsumWidth    = 32
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [ElementWidth-1:0] act_i,
  input  logic                    swap_i,
  input  logic [ElementWidth-1:0] weight_i,
  input  logic                    push_i,
  input  logic [PsumWidth-1:0]    psum_d_i,      // psum_i + act_i * weight_used_o
  output logic [ElementWidth-1:0] weight_used_o, // the weight of this cycle's product
  output logic [ElementWidth-1:0] act_o,
  output logic                    swap_o,
  output logic [ElementWidth-1:0] weight_out_o,
  output logic                    push_o,
  output logic [PsumWidth-1:0]    psum_o
);
  logic [ElementWidth-1:0] act_q;
  logic                    swap_q, push_q;
  logic [ElementWidth-1:0] weight_active_d, weight_active_q;
  logic [ElementWidth-1:0] weight_shadow_d, weight_shadow_q;
  logic [ElementWidth-1:0] weight_out_d, weight_out_q;
  logic [PsumWidth-1:0]    psum_q;

  always_comb begin
    weight_active_d = weight_active_q;
    weight_shadow_d = weight_shadow_q;
    weight_out_d    = weight_out_q;
    if (swap_i) weight_active_d = weight_shadow_q;
    if (push_i) begin
      weight_out_d    = weight_shadow_q;
      weight_shadow_d = weight_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      act_q           <= '0;
      swap_q          <= 1'b0;
      push_q          <= 1'b0;
      weight_active_q <= '0;
      weight_shadow_q <= '0;
      weight_out_q    <= '0;
      psum_q          <= '0;
    end else begin
      act_q           <= act_i;
      swap_q          <= swap_i;
      push_q          <= push_i;
      weight_active_q <= weight_active_d;
      weight_shadow_q <= weight_shadow_d;
      weight_out_q    <= weight_out_d;
      psum_q          <= psum_d_i;
    end
  end

  assign weight_used_o = weight_active_d;
  assign act_o         = act_q;
  assign swap_o        = swap_q;
  assign weight_out_o  = weight_out_q;
  assign push_o        = push_q;
  assign psum_o        = psum_q;

`ifdef FORMAL_PE_REGISTERS
  `include "formal/pe_registers_properties.svh"
`endif
endmodule
