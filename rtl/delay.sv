// A chain of Depth registers: q_o shows d_i as it was Depth cycles ago; Depth 0 is a wire.
//
//   d_i --> [ ] --> [ ] --> ... --> [ ] --> q_o
module delay #(
  parameter int Width = 1,
  parameter int Depth = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
  if (Depth == 0) begin : gen_wire
    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_ni};
    assign q_o = d_i;
  end else begin : gen_chain
    // The newest value is in the lowest bits, so one concatenation shifts the whole chain.
    logic [Depth*Width-1:0]     chain_d, chain_q;
    logic [(Depth+1)*Width-1:0] taps;

    assign taps    = {chain_q, d_i};
    assign chain_d = taps[Depth*Width-1:0];
    assign q_o     = taps[Depth*Width+:Width];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) chain_q <= '0;
      else chain_q <= chain_d;
    end
  end
endmodule
