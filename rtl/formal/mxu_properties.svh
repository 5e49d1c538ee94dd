// Properties of mxu, read by Yosys as part of the module; prove.sh runs the proofs.
//
// The oracle is an array without delays: a push lands in its place at once, a swap changes the whole
// tile at once, and a row has its results in the cycle in which it enters. The array must do the
// same with delays: r+c cycles for PE(r,c), and Rows+Cols-1 cycles for the results.
//
//   push_i, weight_i --> [ next tile ] --swap_i--> [ used tile ] --act_i--> sums
//
localparam int Latency      = Rows + Cols - 1;
localparam int ActWidth     = Rows * ElementWidth;
localparam int TileRowWidth = Cols * ElementWidth;
localparam int TileWidth    = Rows * TileRowWidth;
localparam int SumsWidth    = Cols * PsumWidth;

// --- Environment: the contract of mxu.sv, a reset at the start, and resets at any later time -----
initial assume (!rst_ni);

// --- Oracle --------------------------------------------------------------------------------------
logic [TileWidth-1:0] next_d, next_q, used_d, used_q;

always_comb begin
  next_d = next_q;
  for (int r = 0; r < Rows; r++) begin
    if (push_i && pushed == CountWidth'(Rows - 1 - r)) begin
      next_d[r*TileRowWidth+:TileRowWidth] = weight_i;
    end
  end
  used_d = swap_i ? next_q : used_q;
end

always_ff @(posedge clk_i or negedge rst_ni) begin
  if (!rst_ni) begin
    next_q <= '0;
    used_q <= '0;
  end else begin
    next_q <= next_d;
    used_q <= used_d;
  end
end

// gen_lag[k] shows the inputs and the oracle's state of k cycles ago.
for (genvar k = 0; k <= Latency; k++) begin : gen_lag
  logic                  valid, swap, push;
  logic [CountWidth-1:0] count;      // pushed rows of the next tile
  logic [  ActWidth-1:0] act;        // the row that entered, zeros if none did
  logic [ TileWidth-1:0] next;       // the tile that was being pushed
  logic [ TileWidth-1:0] kept, used; // before a swap of this cycle, and after it

  if (k == 0) begin : gen_now
    assign {valid, swap, push, count} = {valid_i, swap_i, push_i, pushed_q};
    assign act                        = valid_i ? act_i : '0;
    assign {next, kept, used}         = {next_q, used_q, used_d};
  end else begin : gen_past
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        {valid, swap, push, count} <= '0;
        act                        <= '0;
        {next, kept, used}         <= '0;
      end else begin
        {valid, swap, push, count} <= {
          gen_lag[k-1].valid, gen_lag[k-1].swap, gen_lag[k-1].push, gen_lag[k-1].count
        };
        act                <= gen_lag[k-1].act;
        {next, kept, used} <= {gen_lag[k-1].next, gen_lag[k-1].kept, gen_lag[k-1].used};
      end
    end
  end

  // sums[r] adds the products of the array rows above r; sums[Rows] is the row of results.
  logic [(Rows+1)*SumsWidth-1:0] sums;
  assign sums[SumsWidth-1:0] = '0;

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    for (genvar c = 0; c < Cols; c++) begin : gen_col
      logic signed [  ElementWidth-1:0] element, weight;
      logic signed [2*ElementWidth-1:0] product;
      assign element = act[r*ElementWidth+:ElementWidth];
      assign weight  = used[(r*Cols+c)*ElementWidth+:ElementWidth];
      assign product = element * weight;
      assign sums[((r+1)*Cols+c)*PsumWidth+:PsumWidth] =
          sums[(r*Cols+c)*PsumWidth+:PsumWidth] + PsumWidth'(product);
    end
  end
end

// --- What leaves the array -----------------------------------------------------------------------
always_comb begin
  valid_on_time :
  assert (valid_o == gen_lag[Latency].valid);
  results_of_own_tile :
  assert (!valid_o || result_o == gen_lag[Latency].sums[Rows*SumsWidth+:SumsWidth]);
end
