// A product of which nothing is known but that equal factors have equal products: the solver's
// uninterpreted function `product`. What holds with it holds for any multiplier of this width.
(* blackbox, smtlib2_module *)
module any_product (
  input  [ 7:0] a,
  input  [ 7:0] b,
  (* smtlib2_comb_expr = "(product a b)" *)
  output [15:0] y
);
endmodule
