// Properties of pe_registers, read by Yosys as part of the module; prove.sh runs the proofs. Each
// compares a register with the values before the clock edge. The only assumption is a reset at the
// start: pushes, swaps and more resets may come in any order.
initial assume (!rst_ni);

logic                    past_q;  // this is not the first cycle after a reset
logic                    past_swap_q, past_push_q;
logic [ElementWidth-1:0] past_act_q, past_weight_q, past_active_q, past_shadow_q;
logic [   PsumWidth-1:0] past_psum_q;

always_ff @(posedge clk_i or negedge rst_ni) begin
  if (!rst_ni) past_q <= 1'b0;
  else past_q <= 1'b1;
end

always_ff @(posedge clk_i) begin
  {past_swap_q, past_push_q} <= {swap_i, push_i};
  past_act_q                 <= act_i;
  past_weight_q              <= weight_i;
  past_active_q              <= weight_active_q;
  past_shadow_q              <= weight_shadow_q;
  past_psum_q                <= psum_d_i;
end

always_comb begin
  used_is_active_or_swapped_in :
  assert (weight_used_o == (swap_i ? weight_shadow_q : weight_active_q));
  if (!past_q) begin
    reset_clears_weights :
    assert ({weight_active_q, weight_shadow_q} == '0);
    reset_clears_outputs :
    assert ({act_o, swap_o, weight_out_o, push_o, psum_o} == '0);
  end else begin
    swap_takes_shadow :
    assert (!past_swap_q || weight_active_q == past_shadow_q);
    active_kept_without_swap :
    assert (past_swap_q || weight_active_q == past_active_q);
    push_takes_weight :
    assert (!past_push_q || weight_shadow_q == past_weight_q);
    shadow_kept_without_push :
    assert (past_push_q || weight_shadow_q == past_shadow_q);
    push_hands_shadow_down :
    assert (!past_push_q || weight_out_o == past_shadow_q);
    controls_passed_on :
    assert ({swap_o, push_o} == {past_swap_q, past_push_q});
    activation_passed_on :
    assert (act_o == past_act_q);
    sum_passed_on :
    assert (psum_o == past_psum_q);
  end
end

always_comb begin
  if (past_q) begin
    swap_and_push_together :
    cover (swap_i && push_i && weight_shadow_q != weight_active_q && weight_i != weight_shadow_q);
    old_tile_used_while_next_is_in_shadow :
    cover (!swap_i && !past_swap_q && past_push_q && weight_shadow_q != weight_active_q &&
           weight_active_q != '0);
    swaps_in_turn :
    cover (swap_i && past_swap_q && past_push_q && weight_shadow_q != weight_active_q);
  end
end
