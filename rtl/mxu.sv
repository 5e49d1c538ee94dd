// The array: Rows x Cols processing elements, with skew registers before them and deskew registers
// after them. PE(r,c) does at cycle t+r+c what PE(0,0) does at cycle t.
//
//                 weight_i, push_i
//                        |  skew (c registers in column c)
//                        v   v   v
//   act_i, swap_i  -->  PE  PE  PE
//   skew           -->  PE  PE  PE
//   (r in row r)         |   |   |
//                        v   v   v  deskew (Cols-1-c registers in column c)
//                      result_o, valid_o
//
// A row that enters in cycle A (valid_i) leaves in cycle A+Rows+Cols-1 (valid_o). A tile is pushed
// in Rows cycles, its bottom row first; swap_i comes with the first row that uses it, Rows cycles
// after the tile's first push or later. ExponentWidth 0 builds integer PEs, 8 bf16, 5 fp16.
module mxu #(
  parameter int Rows          = 4,
  parameter int Cols          = 4,
  parameter int ElementWidth  = 8,
  parameter int ExponentWidth = 0,
  parameter int PsumWidth     = 32
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         valid_i,   // a row of activations enters
  input  logic [Rows*ElementWidth-1:0] act_i,     // element r belongs to array row r
  input  logic                         swap_i,    // the row is the first of a tile
  input  logic                         push_i,    // a row of weights enters
  input  logic [Cols*ElementWidth-1:0] weight_i,  // element c belongs to array column c
  output logic                         valid_o,   // a row of results leaves
  output logic [   Cols*PsumWidth-1:0] result_o
);
  // One lane at an edge of the grid: a value and the control bit that travels with it.
  localparam int LaneWidth = ElementWidth + 1;

  // --- Skew ------------------------------------------------------------------------------------
  logic [Rows*LaneWidth-1:0] act_front, act_skewed;
  logic [Cols*LaneWidth-1:0] weight_front, weight_skewed;

  // If no row enters, zeros do, so that idle PEs do not compute with stale inputs.
  for (genvar r = 0; r < Rows; r++) begin : gen_act_front
    assign act_front[r*LaneWidth+:LaneWidth] = {
      swap_i, valid_i ? act_i[r*ElementWidth+:ElementWidth] : {ElementWidth{1'b0}}
    };
  end

  for (genvar c = 0; c < Cols; c++) begin : gen_weight_front
    assign weight_front[c*LaneWidth+:LaneWidth] = {push_i, weight_i[c*ElementWidth+:ElementWidth]};
  end

  skew #(
    .Lanes(Rows),
    .Width(LaneWidth)
  ) u_act_skew (
    .clk_i,
    .rst_ni,
    .lanes_i(act_front),
    .lanes_o(act_skewed)
  );

  skew #(
    .Lanes(Cols),
    .Width(LaneWidth)
  ) u_weight_skew (
    .clk_i,
    .rst_ni,
    .lanes_i(weight_front),
    .lanes_o(weight_skewed)
  );

  // --- Grid ------------------------------------------------------------------------------------
  // Wires between PEs: act has Cols+1 places per row, from the left edge to the right; weight and
  // psum have Rows+1 rows, from the top edge to the bottom.
  logic [Rows*(Cols+1)*LaneWidth-1:0] act;
  logic [(Rows+1)*Cols*LaneWidth-1:0] weight;
  logic [(Rows+1)*Cols*PsumWidth-1:0] psum;

  assign weight[Cols*LaneWidth-1:0] = weight_skewed;
  assign psum[Cols*PsumWidth-1:0]   = '0;

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    assign act[r*(Cols+1)*LaneWidth+:LaneWidth] = act_skewed[r*LaneWidth+:LaneWidth];

    for (genvar c = 0; c < Cols; c++) begin : gen_col
      localparam int Left  = (r * (Cols + 1) + c) * LaneWidth;
      localparam int Right = Left + LaneWidth;
      localparam int Above = (r * Cols + c) * LaneWidth;
      localparam int Below = Above + Cols * LaneWidth;
      localparam int PsumAbove = (r * Cols + c) * PsumWidth;
      localparam int PsumBelow = PsumAbove + Cols * PsumWidth;

      if (ExponentWidth == 0) begin : gen_pe
        pe_int8 #(
          .ElementWidth(ElementWidth),
          .PsumWidth   (PsumWidth)
        ) u_pe (
          .clk_i,
          .rst_ni,
          .act_i       (act[Left+:ElementWidth]),
          .swap_i      (act[Left+ElementWidth]),
          .weight_i    (weight[Above+:ElementWidth]),
          .push_i      (weight[Above+ElementWidth]),
          .psum_i      (psum[PsumAbove+:PsumWidth]),
          .act_o       (act[Right+:ElementWidth]),
          .swap_o      (act[Right+ElementWidth]),
          .weight_out_o(weight[Below+:ElementWidth]),
          .push_o      (weight[Below+ElementWidth]),
          .psum_o      (psum[PsumBelow+:PsumWidth])
        );
      end else begin : gen_pe
        pe_float #(
          .ElementWidth (ElementWidth),
          .ExponentWidth(ExponentWidth),
          .PsumWidth    (PsumWidth)
        ) u_pe (
          .clk_i,
          .rst_ni,
          .act_i       (act[Left+:ElementWidth]),
          .swap_i      (act[Left+ElementWidth]),
          .weight_i    (weight[Above+:ElementWidth]),
          .push_i      (weight[Above+ElementWidth]),
          .psum_i      (psum[PsumAbove+:PsumWidth]),
          .act_o       (act[Right+:ElementWidth]),
          .swap_o      (act[Right+ElementWidth]),
          .weight_out_o(weight[Below+:ElementWidth]),
          .push_o      (weight[Below+ElementWidth]),
          .psum_o      (psum[PsumBelow+:PsumWidth])
        );
      end
    end

    // Nothing uses what leaves the right edge.
    logic unused_act;
    assign unused_act = ^act[(r*(Cols+1)+Cols)*LaneWidth+:LaneWidth];
  end

  logic unused_weight;
  assign unused_weight = ^weight[Rows*Cols*LaneWidth+:Cols*LaneWidth];

  // --- Results ---------------------------------------------------------------------------------
  deskew #(
    .Lanes(Cols),
    .Width(PsumWidth)
  ) u_deskew (
    .clk_i,
    .rst_ni,
    .lanes_i(psum[Rows*Cols*PsumWidth+:Cols*PsumWidth]),
    .lanes_o(result_o)
  );

  // Rows cycles down the PEs; c cycles to column c and Cols-1-c of deskew make Cols-1 for each c.
  delay #(
    .Width(1),
    .Depth(Rows + Cols - 1)
  ) u_valid (
    .clk_i,
    .rst_ni,
    .d_i(valid_i),
    .q_o(valid_o)
  );

`ifndef SYNTHESIS
  // --- Contract of the driver ------------------------------------------------------------------
  // Simulation asserts it, the proofs assume it. The pushes of a tile may pause.
  localparam int CountWidth = $clog2(Rows + 1);
  localparam logic [CountWidth-1:0] Complete = CountWidth'(Rows);

  logic [CountWidth-1:0] pushed, pushed_d, pushed_q;  // pushed rows of the next tile
  logic                  swap_has_row, swap_has_tile, push_has_room;

  assign pushed        = swap_i ? '0 : pushed_q;
  assign pushed_d      = pushed + CountWidth'(push_i);
  assign swap_has_row  = !swap_i || valid_i;
  assign swap_has_tile = !swap_i || pushed_q == Complete;
  assign push_has_room = !push_i || pushed != Complete;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) pushed_q <= '0;
    else pushed_q <= pushed_d;
  end

`ifdef FORMAL
  always_comb assume (swap_has_row && swap_has_tile && push_has_room);
`else
  always @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (swap_has_row)
      else $error("swap_i without valid_i: a tile is swapped in by its first row");
      assert (swap_has_tile)
      else $error("swap_i with %0d of %0d rows of the tile pushed", pushed_q, Rows);
      assert (push_has_room)
      else $error("push_i onto a complete tile that was not swapped in yet");
    end
  end
`endif
`endif

`ifdef FORMAL_MXU
  `include "formal/mxu_properties.svh"
  `include "formal/mxu_state.svh"
`endif
`ifdef FORMAL_MXU_COVERS
  `include "formal/mxu_covers.svh"
`endif
endmodule
