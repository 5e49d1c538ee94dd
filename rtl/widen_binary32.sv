// bf16 or fp16 to binary32, exactly; a NaN keeps its payload.
//
//   ExponentWidth 8, bf16   s eeeeeeee fffffff      the upper half of a binary32
//   ExponentWidth 5, fp16   s eeeee ffffffffff      IEEE 754 binary16
//   binary32                s eeeeeeee fffffffffffffffffffffff
//
// With the exponent as wide as binary32's only zeros are appended. A narrower one is rebiased, and
// its subnormals become normal numbers.
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
    logic [FractionWidth-1:0] fraction, normalised;
    logic [ WideExponent-1:0] wide_exponent, subnormal_exponent;

    assign {sign, exponent, fraction} = element_i;

    // A subnormal is 0.fraction with the exponent of the smallest normal number, 1: each shift that
    // brings its leading one towards the hidden bit takes one off the exponent.
    always_comb begin
      normalised         = fraction;
      subnormal_exponent = WideExponent'(Rebias + 1);
      for (int i = 0; i < FractionWidth; i++) begin
        if (fraction[i]) begin
          normalised         = fraction << (FractionWidth - i);
          subnormal_exponent = WideExponent'(Rebias + 1 - (FractionWidth - i));
        end
      end
    end

    always_comb begin
      wide_exponent = WideExponent'(exponent) + WideExponent'(Rebias);
      if (exponent == Largest) wide_exponent = '1;
      if (exponent == '0) wide_exponent = (fraction == '0) ? '0 : subnormal_exponent;
    end

    assign binary32_o = {
      sign,
      wide_exponent,
      (exponent == '0) ? normalised : fraction,
      {(WideFraction - FractionWidth) {1'b0}}
    };
  end
endmodule
