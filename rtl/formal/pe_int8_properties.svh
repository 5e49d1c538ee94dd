// Properties of pe_int8, read by Yosys as part of the module; prove.sh runs the proofs. The oracle
// keeps the weight of the last push and the weight of the last swap. It multiplies by shifting and
// adding, as two's complement defines its digits. The only assumption is a reset at the start.
initial assume (!rst_ni);

// The attribute hierconn connects each wire to the register of the same name.
(* keep, hierconn *) logic [ElementWidth-1:0]
    \u_registers.weight_shadow_q , \u_registers.weight_active_q ;

logic [ElementWidth-1:0] pushed_q, swapped_in_d, swapped_in_q;
logic [   PsumWidth-1:0] product_of_digits, sum_d, sum_q;

always_comb begin
  swapped_in_d      = swap_i ? pushed_q : swapped_in_q;
  product_of_digits = '0;
  for (int i = 0; i < ElementWidth; i++) begin
    // The top digit of two's complement is negative.
    if (act_i[i] && i < ElementWidth - 1) begin
      product_of_digits = product_of_digits + (PsumWidth'($signed(swapped_in_d)) << i);
    end else if (act_i[i]) begin
      product_of_digits = product_of_digits - (PsumWidth'($signed(swapped_in_d)) << i);
    end
  end
  sum_d = psum_i + product_of_digits;
end

always_ff @(posedge clk_i or negedge rst_ni) begin
  if (!rst_ni) begin
    pushed_q     <= '0;
    swapped_in_q <= '0;
    sum_q        <= '0;
  end else begin
    if (push_i) pushed_q <= weight_i;
    swapped_in_q <= swapped_in_d;
    sum_q        <= sum_d;
  end
end

always_comb begin
  shadow_is_last_push :
  assert (\u_registers.weight_shadow_q == pushed_q);
  active_is_last_swap :
  assert (\u_registers.weight_active_q == swapped_in_q);
  sum_of_own_weight :
  assert (psum_o == sum_q);
end

always_comb begin
  if (rst_ni) begin
    swap_and_push_together :
    cover (swap_i && push_i && pushed_q != swapped_in_q);
    weight_kept_for_another_product :
    cover (!swap_i && swapped_in_q != pushed_q && swapped_in_q != '0 && act_i != '0);
    largest_product :
    cover (act_i == {1'b1, {(ElementWidth - 1) {1'b0}}} && swapped_in_d == act_i);
    sum_wraps :
    cover (!psum_i[PsumWidth-1] && !product_of_digits[PsumWidth-1] && sum_d[PsumWidth-1]);
  end
end
