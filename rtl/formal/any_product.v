// A product of which the solver knows only that equal factors have equal products: the uninterpreted
// function `product`. A property that holds with it holds for any multiplier of this width.
(* blackbox, smtlib2_module *)
module any_product (
  input  [ 7:0] a,
  input  [ 7:0] b,
  (* smtlib2_comb_expr = "(product a b)" *)
  output [15:0] y
);
endmodule
