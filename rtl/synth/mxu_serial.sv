// The array with few pins, for FPGAs with fewer pins than a row of results has bits. Operands are
// shifted in, one bit per cycle; strobe_i presents them to the array for one cycle. A row of results
// that leaves is kept and shifted out.
//
//   bit_i --> [ valid swap push | weight | act ] --strobe_i--> [ mxu ] --valid_o--> [ result ] --> bit_o
//
// The array itself runs every cycle, so the measured clock is the array's.
module mxu_serial #(
  parameter int Rows         = 4,
  parameter int Cols         = 4,
  parameter int ElementWidth = 8,
  parameter int PsumWidth    = 32
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic bit_i,     // the last bit shifted in is act_i's lowest
  input  logic strobe_i,
  output logic valid_o,
  output logic bit_o      // the result's highest bit first
);
  localparam int ActWidth    = Rows * ElementWidth;
  localparam int WeightWidth = Cols * ElementWidth;
  localparam int InWidth     = 3 + WeightWidth + ActWidth;
  localparam int OutWidth    = Cols * PsumWidth;

  logic [ InWidth-1:0] in_d, in_q;
  logic [OutWidth-1:0] out_d, out_q, result;
  logic                valid, swap, push;

  assign {valid, swap, push} = in_q[InWidth-1-:3];

  mxu #(
    .Rows        (Rows),
    .Cols        (Cols),
    .ElementWidth(ElementWidth),
    .PsumWidth   (PsumWidth)
  ) u_mxu (
    .clk_i,
    .rst_ni,
    .valid_i (valid && strobe_i),
    .act_i   (in_q[ActWidth-1:0]),
    .swap_i  (swap && strobe_i),
    .push_i  (push && strobe_i),
    .weight_i(in_q[ActWidth+:WeightWidth]),
    .valid_o,
    .result_o(result)
  );

  assign in_d  = {in_q[InWidth-2:0], bit_i};
  assign out_d = valid_o ? result : {out_q[OutWidth-2:0], 1'b0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q  <= '0;
      out_q <= '0;
    end else begin
      in_q  <= in_d;
      out_q <= out_d;
    end
  end

  assign bit_o = out_q[OutWidth-1];
endmodule
