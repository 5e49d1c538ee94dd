// bf16 or fp16 to binary32, exactly; a NaN keeps its payload.
//
//   ExponentWidth 8, bf16   s eeeeeeee fffffff      the upper half of a binary32
//   ExponentWidth 5, fp16   s eeeee ffffffffff      IEEE 754 binary16
//   binary32                s eeeeeeee fffffffffffffffffffffff
//
// If the exponent is as wide as that of binary32, only zeros are appended. A narrower exponent is
// rebiased, and the subnormals become normal numbers.
module widen_binary32 #(
  parameter int ElementWidth  = 16,
  parameter int ExponentWidth = 5
) (
  input  logic [       ElementWidth-1:0] element_i,
  output logic [binary32_pkg::Width-1:0] binary32_o
);
  localparam int WideExponent  = binary32_pkg::ExponentWidth;
  localparam int WideFraction  = binary32_pkg::FractionWidth;
  localparam int FractionWidth = ElementWidth - 1 - ExponentWidth;

  if (ExponentWidth == WideExponent) begin : gen_append
    assign binary32_o = {element_i, {(WideFraction - FractionWidth) {1'b0}}};
  end else begin : gen_rebias
    localparam int Rebias = binary32_pkg::Bias - ((1 << (ExponentWidth - 1)) - 1);
    localparam logic [ExponentWidth-1:0] Largest = '1;

    logic                     sign;
    logic [ExponentWidth-1:0] exponent;
    logic [FractionWidth-1:0] fraction;

    assign {sign, exponent, fraction} = element_i;
    assign binary32_o = binary32_pkg::widen(
      sign,
      WideExponent'(exponent),
      {fraction, {(WideFraction - FractionWidth) {1'b0}}},
      exponent == Largest,
      WideExponent'(Rebias)
    );
  end
endmodule
