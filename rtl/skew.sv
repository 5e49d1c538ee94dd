// The triangle of registers before the array: lane i enters i cycles late. All data moves by one PE
// per cycle, so an activation, its weight and its partial sum arrive at PE(r,c) together.
//
//   lane 0  ------------->
//   lane 1  ------[ ]---->
//   lane 2  --[ ]-[ ]---->
module skew #(
  parameter int Lanes = 4,
  parameter int Width = 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Lanes*Width-1:0] lanes_i,
  output logic [Lanes*Width-1:0] lanes_o
);
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    delay #(
      .Width(Width),
      .Depth(i)
    ) u_delay (
      .clk_i,
      .rst_ni,
      .d_i(lanes_i[i*Width+:Width]),
      .q_o(lanes_o[i*Width+:Width])
    );
  end
endmodule
