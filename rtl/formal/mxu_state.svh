// Properties of the registers inside the PEs of mxu. They say where each weight and each sum is. The
// ports show this only later or never, so the proof by induction needs these properties.
//
// prove.sh writes pe_wires.svh for the size of the array. It names the registers: pe_shadow,
// pe_active and pe_used hold the weights of the PEs in the layout of a tile.
`include "pe_wires.svh"

// One flag per PE: is it in the state that the oracle had r+c cycles ago?
logic [Rows*Cols-1:0] in_place, kept, own, added;

for (genvar r = 0; r < Rows; r++) begin : gen_state_row
  for (genvar c = 0; c < Cols; c++) begin : gen_state_col
    localparam int Flag  = r * Cols + c;
    localparam int Place = Flag * ElementWidth;
    localparam int Lag   = r + c;
    localparam int Below = (Flag + Cols) * PsumWidth;

    // A tile moves down as it is pushed: after n pushes its bottom n rows lie in rows 0 to n-1.
    logic [Rows:0] in_place_after;
    for (genvar n = 0; n <= Rows; n++) begin : gen_pushed
      localparam int Source = ((Rows - n + r) * Cols + c) * ElementWidth;
      if (n <= r) begin : gen_nothing_yet
        assign in_place_after[n] = 1'b1;
      end else begin : gen_weight
        assign in_place_after[n] = gen_lag[Lag].count != CountWidth'(n) ||
            pe_shadow[Place+:ElementWidth] == gen_lag[Lag].next[Source+:ElementWidth];
      end
    end
    assign in_place[Flag] = &in_place_after;
    assign kept[Flag] = pe_active[Place+:ElementWidth] == gen_lag[Lag].kept[Place+:ElementWidth];
    assign own[Flag] = pe_used[Place+:ElementWidth] == gen_lag[Lag].used[Place+:ElementWidth];
    assign added[Flag] = !gen_lag[Lag+1].valid ||
        psum[Below+:PsumWidth] == gen_lag[Lag+1].sums[Below+:PsumWidth];
  end
end

always_comb begin
  weights_in_place :
  assert (&in_place);
  weights_kept_until_swap :
  assert (&kept);
  products_of_own_tile :
  assert (&own);
  sums_of_own_tile :
  assert (&added);
end
