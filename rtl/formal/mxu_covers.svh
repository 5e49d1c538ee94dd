// Cases that the environment of mxu_properties.svh must allow; otherwise its proofs would say little.
// For arrays of two rows or more; gen_lag[k] shows what happened k cycles ago.

// swapped_q: a tile was swapped in since the last reset. interrupted_q: a row entered before a reset.
logic swapped_q, interrupted_q, entered_q;
initial {interrupted_q, entered_q} = '0;

always_ff @(posedge clk_i or negedge rst_ni) begin
  if (!rst_ni) swapped_q <= 1'b0;
  else swapped_q <= swapped_q || swap_i;
end

always_ff @(posedge clk_i) begin
  entered_q     <= entered_q || (rst_ni && swap_i);
  interrupted_q <= interrupted_q || (entered_q && !rst_ni);
end

// streams[k]: k cycles ago, a row entered and a row of weights was pushed. streams[0]: a row enters.
logic [Rows:0] streams;
assign streams[0] = valid_i;
for (genvar k = 1; k <= Rows; k++) begin : gen_streams
  assign streams[k] = gen_lag[k].valid && gen_lag[k].push;
end

always_comb begin
  if (rst_ni) begin
    swap_and_push_together :
    cover (swap_i && push_i);
    tile_pushed_while_another_is_used :
    cover (swapped_q && valid_i && !swap_i && push_i && pushed_d == Complete);
    tiles_back_to_back :
    cover (swap_i && gen_lag[Rows].swap && &streams);
    weights_kept_for_three_rows :
    cover (valid_i && !swap_i && gen_lag[1].valid && !gen_lag[1].swap && gen_lag[2].swap);
    bubble_between_rows_of_a_tile :
    cover (swapped_q && valid_i && !swap_i && !gen_lag[1].valid && gen_lag[2].valid);
    pause_between_pushes :
    cover (push_i && pushed == CountWidth'(1) && !gen_lag[1].push);
    complete_tile_waits :
    cover (valid_i && !swap_i && pushed_q == Complete && gen_lag[2].count == Complete);
    rows_of_two_tiles_leave_in_turn :
    cover (valid_o && gen_lag[Latency-1].swap && gen_lag[Latency].used != gen_lag[Latency-1].used);
    row_leaves_after_a_reset_in_between :
    cover (valid_o && swapped_q && interrupted_q);
  end
end
