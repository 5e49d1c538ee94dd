// Replaces each signed multiplier of the design, 8 x 8 to 16 bits, with any_product.
(* techmap_celltype = "$mul" *)
module map_to_any_product #(
  parameter A_SIGNED = 0,
  parameter B_SIGNED = 0,
  parameter A_WIDTH  = 0,
  parameter B_WIDTH  = 0,
  parameter Y_WIDTH  = 0
) (
  input  [A_WIDTH-1:0] A,
  input  [B_WIDTH-1:0] B,
  output [Y_WIDTH-1:0] Y
);
  wire _TECHMAP_FAIL_ = !(A_SIGNED && B_SIGNED && A_WIDTH == 8 && B_WIDTH == 8 && Y_WIDTH == 16);

  any_product u_product (
    .a(A),
    .b(B),
    .y(Y)
  );
endmodule
