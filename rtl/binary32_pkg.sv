// IEEE 754 binary32 arithmetic as functions of combinational logic: the fused multiply-add, with one
// rounding to nearest even, subnormals kept, every NaN canonical (0x7FC00000). Source: IEEE
// 754-2019, 4.3.1 and 5.4.1.
//
// Product and addend are aligned in a fixed-point frame. The one with the larger exponent leads: it
// stands at the top, and the other is moved right by the difference of the exponents. If a one falls
// out of the frame, the frame's last bit is set.
//
//    63      62 ........ 39 ........ 15 ...... 0
//   carry | addend   (24) |                          if the addend leads
//   carry | product  (48)           |                if the product leads
//
// Why 64 bits are enough: bits fall out only when the smaller moves by more than 15 places. The sum
// then loses at most one leading bit, so its last place and rounding bit lie far above bit 0. A
// subnormal factor can give the leading product up to 23 leading zeros. The addend then loses bits
// only from 40 places on, and the rounding bit still lies above bit 13. If a subnormal addend leads,
// the last place of the sum is never below the last place of the addend.
//
// These are functions of a package, because Verilator then compiles the arithmetic once. It would
// compile a module again for each processing element of the array.
package binary32_pkg;
  localparam int ExponentWidth  = 8;
  localparam int FractionWidth  = 23;
  localparam int MagnitudeWidth = ExponentWidth + FractionWidth;
  localparam int Width          = 1 + MagnitudeWidth;
  localparam int Bias           = (1 << (ExponentWidth - 1)) - 1;
  localparam int SigWidth       = FractionWidth + 1;
  localparam int ProductWidth   = 2 * SigWidth;

  localparam logic [ ExponentWidth-1:0] Largest      = '1;
  localparam logic [MagnitudeWidth-1:0] Infinity     = {Largest, {FractionWidth{1'b0}}};
  localparam logic [         Width-1:0] CanonicalNan = {
    1'b0, Largest, 1'b1, {(FractionWidth - 1) {1'b0}}
  };

  localparam int FrameWidth = 64;
  localparam int CarryBit   = FrameWidth - 1;
  localparam int ShiftWidth = 6;  // a place within the frame
  localparam int LastPlace  = FrameWidth - SigWidth;
  localparam int SumWidth   = ExponentWidth + 3;  // a sum of two exponents and Bias, with a sign

  // A subnormal has the exponent of the smallest normal number, 1, and no hidden bit.
  function automatic logic [SumWidth-1:0] exponent_of(input logic [ExponentWidth-1:0] field);
    exponent_of = (field == '0) ? SumWidth'(1) : SumWidth'(field);
  endfunction

  function automatic logic [SigWidth-1:0] significand_of(input logic [MagnitudeWidth-1:0] x);
    significand_of = {x[FractionWidth+:ExponentWidth] != '0, x[FractionWidth-1:0]};
  endfunction

  // Shifts right by `distance`; the last bit is set if a one falls out.
  function automatic logic [FrameWidth-1:0] shift_right(input logic [FrameWidth-1:0] x,
                                                        input logic [SumWidth-1:0] distance);
    logic [ShiftWidth-1:0] shift;
    logic                  lost;
    shift = (distance > SumWidth'(CarryBit)) ? '1 : distance[ShiftWidth-1:0];
    lost  = (x & ~({FrameWidth{1'b1}} << shift)) != '0;
    shift_right = (x >> shift) | FrameWidth'(lost);
  endfunction

  // {sign, magnitude} of the leading term plus the moved one. An exact zero is +0 unless both are
  // -0. A leading term with leading zeros, from a subnormal, can be the smaller one after all.
  function automatic logic [FrameWidth:0] signed_sum(input logic                  sign_leading,
                                                     input logic [FrameWidth-1:0] leading,
                                                     input logic                  sign_moved,
                                                     input logic [FrameWidth-1:0] moved);
    logic [FrameWidth-1:0] magnitude;
    logic                  sign;
    sign      = sign_leading;
    magnitude = leading + moved;
    if (sign_leading != sign_moved) begin
      magnitude = leading - moved;
      if (magnitude[CarryBit]) begin
        magnitude = -magnitude;
        sign      = sign_moved;
      end
    end
    if (magnitude == '0) sign = sign_leading && sign_moved;
    signed_sum = {sign, magnitude};
  endfunction

  // Moves the magnitude left by its leading zeros, but never below the exponent of the subnormals.
  // Returns {room, magnitude}: `room` is how far the exponent may still fall.
  function automatic logic [SumWidth+FrameWidth-1:0] normalize(
      input logic [SumWidth-1:0] frame_exponent, input logic [FrameWidth-1:0] magnitude);
    logic [  SumWidth-1:0] room;
    logic [FrameWidth-1:0] normal;
    room   = frame_exponent;
    normal = magnitude;
    for (int i = ShiftWidth - 1; i >= 0; i--) begin
      if ((normal >> (FrameWidth - (1 << i))) == '0 && room >= SumWidth'(1 << i)) begin
        normal = normal << (1 << i);
        room   = room - SumWidth'(1 << i);
      end
    end
    normalize = {room, normal};
  endfunction

  // The exponent of the carry bit is one above the frame's. Rounding up may carry into the exponent,
  // from subnormal to normal or to infinity; both are right.
  function automatic logic [MagnitudeWidth-1:0] round(input logic [  SumWidth-1:0] room,
                                                      input logic [FrameWidth-1:0] normal);
    logic [              SumWidth-1:0] field;
    logic                              up;
    logic [SumWidth+FractionWidth-1:0] rounded;
    field   = normal[CarryBit] ? room + SumWidth'(1) : '0;
    up      = normal[LastPlace-1] && (normal[LastPlace] || normal[LastPlace-2:0] != '0);
    rounded = {field, normal[LastPlace+:FractionWidth]} + (SumWidth + FractionWidth)'(up);
    round   = rounded[MagnitudeWidth-1:0];
    if (rounded[FractionWidth+:SumWidth] >= SumWidth'(Largest)) round = Infinity;
  endfunction

  // Widens a number of a format with a narrower exponent, exactly; its fraction is left-aligned.
  // `special` marks infinities and NaNs. The format's subnormals become normal numbers: the leading
  // one moves to the place of the hidden bit, and each place takes one off the exponent.
  function automatic logic [Width-1:0] widen(
      input logic sign, input logic [ExponentWidth-1:0] exponent,
      input logic [FractionWidth-1:0] fraction, input logic special,
      input logic [ExponentWidth-1:0] rebias);
    /* verilator no_inline_task */
    logic [ExponentWidth-1:0] wide;
    logic [     SigWidth-1:0] sig;
    wide = exponent + rebias;
    sig  = {1'b0, fraction};
    if (exponent == '0) begin
      wide = rebias + ExponentWidth'(1);
      for (int i = 4; i >= 0; i--) begin
        if ((sig >> (SigWidth - (1 << i))) == '0) begin
          wide = wide - ExponentWidth'(1 << i);
          sig  = sig << (1 << i);
        end
      end
      if (fraction == '0) wide = '0;
    end
    if (special) wide = Largest;
    widen = {sign, wide, sig[FractionWidth-1:0]};
  endfunction

  // a * b + c of finite operands.
  function automatic logic [Width-1:0] finite_fma(
      input logic [Width-1:0] a, input logic [Width-1:0] b, input logic [Width-1:0] c);
    logic [ProductWidth-1:0] product;
    logic [    SumWidth-1:0] exponent_p, exponent_c, distance, room;
    logic [  FrameWidth-1:0] product_frame, addend_frame, moved, magnitude, normal;
    logic                    product_leads, sign_p, sign_c, sign;
    product       = significand_of(a[MagnitudeWidth-1:0]) * significand_of(b[MagnitudeWidth-1:0]);
    product_frame = {1'b0, product, {(CarryBit - ProductWidth) {1'b0}}};
    addend_frame  = {1'b0, significand_of(c[MagnitudeWidth-1:0]), {(CarryBit - SigWidth) {1'b0}}};
    sign_p        = a[MagnitudeWidth] ^ b[MagnitudeWidth];
    sign_c        = c[MagnitudeWidth];
    // The top bit of a product of two significands weighs twice the product of their top bits.
    exponent_p = exponent_of(a[FractionWidth+:ExponentWidth]) +
                 exponent_of(b[FractionWidth+:ExponentWidth]) + SumWidth'(1 - Bias);
    exponent_c = exponent_of(c[FractionWidth+:ExponentWidth]);
    distance   = exponent_p - exponent_c;
    // A product of zero has no exponent worth keeping.
    product_leads = !distance[SumWidth-1] && product != '0;
    moved = shift_right(product_leads ? addend_frame : product_frame,
                        distance[SumWidth-1] ? -distance : distance);
    {sign, magnitude} = signed_sum(product_leads ? sign_p : sign_c,
                                   product_leads ? product_frame : addend_frame,
                                   product_leads ? sign_c : sign_p, moved);
    {room, normal} = normalize(product_leads ? exponent_p : exponent_c, magnitude);
    finite_fma = {sign, round(room, normal)};
  endfunction

  // a * b + c.
  function automatic logic [Width-1:0] fma(
      input logic [Width-1:0] a, input logic [Width-1:0] b, input logic [Width-1:0] c);
    /* verilator no_inline_task */
    logic [MagnitudeWidth-1:0] mag_a, mag_b, mag_c;
    logic                      sign_p, infinite_p, infinite_c, invalid;
    mag_a      = a[MagnitudeWidth-1:0];
    mag_b      = b[MagnitudeWidth-1:0];
    mag_c      = c[MagnitudeWidth-1:0];
    sign_p     = a[MagnitudeWidth] ^ b[MagnitudeWidth];
    infinite_p = mag_a == Infinity || mag_b == Infinity;
    infinite_c = mag_c == Infinity;
    // NaN operands, infinity times zero, infinity minus infinity.
    invalid = mag_a > Infinity || mag_b > Infinity || mag_c > Infinity ||
              (infinite_p && (mag_a == '0 || mag_b == '0)) ||
              (infinite_p && infinite_c && sign_p != c[MagnitudeWidth]);
    fma = finite_fma(a, b, c);
    if (infinite_c) fma = c;
    if (infinite_p) fma = {sign_p, Infinity};
    if (invalid) fma = CanonicalNan;
  endfunction
endpackage
