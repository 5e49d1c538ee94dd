// Models the array register by register: what one clock edge does to every PE, as in pe/pe.h.
//
//                 weight skew (c registers in column c)
//                        |   |   |
//   activation skew  -> PE  PE  PE        PE(r,c) does in cycle t+r+c what PE(0,0) does in cycle t
//   (r registers     -> PE  PE  PE
//    in row r)           |   |   |
//                 deskew (C-1-c registers in column c) -> a whole row of results per cycle
//
// Operands are kept as bit patterns, so that a NaN keeps its payload. Sums are int32 that wrap, or
// binary32 with one rounding per multiply-add. This file uses no DOM, because tests run it in node.
'use strict';

globalThis.weft = globalThis.weft || {};

(function (weft) {
  const kCanonicalNan = 0x7fc00000;
  const float_bits = new Uint32Array(1);
  const float_value = new Float32Array(float_bits.buffer);

  // --- Arithmetic ------------------------------------------------------------------------------

  /**
   * a * b + c with one rounding to binary32. The product of two widened bf16 or fp16 numbers has at
   * most 22 bits, so it is exact in a double. Rounding the sum to a double first is harmless: it
   * could matter only if the double were the midpoint of two binary32 numbers, whose last bit is
   * the
   * 25th. Then the smaller term reaches up to that bit and, with at most 24 bits, ends within the
   * 53
   * bits of the double, so the sum was exact.
   */
  function fma32(a, b, c) {
    return Math.fround(a * b + c);
  }

  function widen_fp16(bits) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 0x3ff;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1024 + fraction) * 2 ** (exponent - 25);
  }

  function widen_bf16(bits) {
    float_bits[0] = bits << 16;
    return float_value[0];
  }

  function widening_table(widen) {
    return Float32Array.from({length: 65536}, (_, bits) => widen(bits));
  }

  /** The bit pattern of a binary32 sum. Every NaN becomes the one NaN that the machine makes. */
  function float_pattern(value) {
    if (value !== value) return kCanonicalNan;
    float_value[0] = value;
    return float_bits[0];
  }

  function int8_arithmetic() {
    return {
      bytes: 1,
      Operands: Int8Array,
      Sums: Int32Array,
      mac: (act, weight, psum) => (psum + act * weight) | 0,
      add: (a, b) => (a + b) | 0,
      value: (operand) => operand,
      operand_bits: (operand) => operand & 0xff,
      sum_bits: (sum) => sum >>> 0,
    };
  }

  function float_arithmetic(widen) {
    const table = widening_table(widen);
    return {
      bytes: 2,
      Operands: Uint16Array,
      Sums: Float32Array,
      mac: (act, weight, psum) => fma32(table[act], table[weight], psum),
      add: (a, b) => Math.fround(a + b),
      value: (operand) => table[operand],
      operand_bits: (operand) => operand,
      sum_bits: float_pattern,
    };
  }

  /** The arithmetic of an array of `dtype` (int8, bf16, fp16), and the types of its registers. */
  function arithmetic(dtype) {
    if (dtype === 'bf16') return float_arithmetic(widen_bf16);
    if (dtype === 'fp16') return float_arithmetic(widen_fp16);
    return int8_arithmetic();
  }

  // --- Registers -------------------------------------------------------------------------------

  /** The registers of R x C PEs, row-major, and C rows of deskew below them, newest first. */
  class ArrayRegisters {
    constructor(rows, cols, numbers) {
      const size = rows * cols;
      this.rows = rows;
      this.cols = cols;
      this.act = new numbers.Operands(size);
      this.swap = new Uint8Array(size);
      this.push = new Uint8Array(size);
      this.weight_active = new numbers.Operands(size);
      this.weight_shadow = new numbers.Operands(size);
      this.weight_out = new numbers.Operands(size);
      this.psum = new numbers.Sums(size);
      this.deskew = new numbers.Sums(cols * cols);
    }

    copy_from(other) {
      for (const name of weft.register_names) this[name].set(other[name]);
      this.deskew.set(other.deskew);
      return this;
    }

    get byte_length() {
      const all = [...weft.register_names.map((name) => this[name]), this.deskew];
      return all.reduce((sum, column) => sum + column.byteLength, 0);
    }
  }

  /** The inputs of PE column 0 and PE row 0 in a cycle, after the skew. */
  class Feed {
    constructor(rows, cols, numbers) {
      this.act = new numbers.Operands(rows);
      this.swap = new Uint8Array(rows);
      this.weight = new numbers.Operands(cols);
      this.push = new Uint8Array(cols);
    }
  }

  /** One clock edge of the deskew. It takes the bottom row's sums from before the edge. */
  function clock_deskew(q) {
    q.deskew.copyWithin(q.cols, 0, q.cols * (q.cols - 1));
    q.deskew.set(q.psum.subarray((q.rows - 1) * q.cols), 0);
  }

  /** One clock edge of PE(r,c): pe.h's clock_edge on arrays of registers. */
  function clock_pe(q, r, c, feed, mac) {
    const i = r * q.cols + c;
    const above = i - q.cols;
    const act = c > 0 ? q.act[i - 1] : feed.act[r];
    const swap = c > 0 ? q.swap[i - 1] : feed.swap[r];
    const push = r > 0 ? q.push[above] : feed.push[c];
    if (swap) q.weight_active[i] = q.weight_shadow[i];
    q.psum[i] = mac(act, q.weight_active[i], r > 0 ? q.psum[above] : 0);
    if (push) {
      q.weight_out[i] = q.weight_shadow[i];
      q.weight_shadow[i] = r > 0 ? q.weight_out[above] : feed.weight[c];
    }
    q.act[i] = act;
    q.swap[i] = swap;
    q.push[i] = push;
  }

  /**
   * One clock edge of the whole array, in place. A PE reads what its left and upper neighbors held
   * before the edge, so the last PE goes first.
   */
  function clock_array(q, feed, mac) {
    clock_deskew(q);
    for (let r = q.rows - 1; r >= 0; --r) {
      for (let c = q.cols - 1; c >= 0; --c) clock_pe(q, r, c, feed, mac);
    }
  }

  /** The sum of column c in the row of results at the output. */
  function output(q, c) {
    const delay = q.cols - 1 - c;
    return delay > 0 ? q.deskew[(delay - 1) * q.cols + c] : q.psum[(q.rows - 1) * q.cols + c];
  }

  weft.register_names = ['act', 'swap', 'push', 'weight_active', 'weight_shadow', 'weight_out',
    'psum'];
  weft.arithmetic = arithmetic;
  weft.fma32 = fma32;
  weft.ArrayRegisters = ArrayRegisters;
  weft.Feed = Feed;
  weft.clock_array = clock_array;
  weft.array_output = output;
})(globalThis.weft);
