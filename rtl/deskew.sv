// The triangle of registers after the array, the mirror image of skew: lane i leaves Lanes-1-i
// cycles late, so that all results of a row leave in the same cycle.
//
//   lane 0  --[ ]-[ ]---->
//   lane 1  ------[ ]---->
//   lane 2  ------------->
module deskew #(
  parameter int Lanes = 4,
  parameter int Width = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Lanes*Width-1:0] lanes_i,
  output logic [Lanes*Width-1:0] lanes_o
);
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    delay #(
      .Width(Width),
      .Depth(Lanes - 1 - i)
    ) u_delay (
      .clk_i,
      .rst_ni,
      .d_i(lanes_i[i*Width+:Width]),
      .q_o(lanes_o[i*Width+:Width])
    );
  end
endmodule
