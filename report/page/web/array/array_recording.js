// A recorded run of the array: the streams of inputs, and the registers that follow in any cycle.
//
//   streams --> [ feed(t): skew ] --> clock_array --> registers in t+1; some become keyframes
//                                        |
//                       results leave R+C-1 cycles after their row --> written sums, all kept
//
// The registers of cycle t are those before the edge that ends cycle t. The write of cycle t
// happens at this edge, as in a waveform of `--vcd`.
'use strict';

globalThis.weft = globalThis.weft || {};

(function (weft) {
  const kSwap = 1;
  const kAccumulate = 2;
  const kKeyframeBytes = 48 * 1024 * 1024;
  const kShortestInterval = 32;

  function bytes_of(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  /** Decodes little-endian integers of 1, 2 or 4 bytes, or doubles, into an array of `Type`. */
  function numbers(base64, Type) {
    const bytes = bytes_of(base64);
    const view = new DataView(bytes.buffer);
    const width = Type.BYTES_PER_ELEMENT;
    const read = {1: 'getUint8', 2: 'getUint16', 4: 'getInt32', 8: 'getFloat64'}[width];
    const out = new Type(Math.floor(bytes.length / width));
    for (let i = 0; i < out.length; ++i) out[i] = view[read](i * width, true);
    return out;
  }

  /** For each cycle, the index of what enters in it, or -1. */
  function index_by_cycle(cycles, end) {
    const index = new Int32Array(end).fill(-1);
    cycles.forEach((cycle, i) => {
      if (cycle < end) index[cycle] = i;
    });
    return index;
  }

  /** For each row, the index of the previous row with the same accumulator row, or -1. */
  function previous_writers(acc_rows) {
    const last = new Map();
    return Int32Array.from(acc_rows, (row, i) => {
      const previous = last.has(row) ? last.get(row) : -1;
      last.set(row, i);
      return previous;
    });
  }

  class ArrayRecording {
    /** `data` is the page's part `array`. */
    constructor(data) {
      this.rows = data.rows;
      this.cols = data.cols;
      this.dtype = data.dtype;
      this.end = data.end;
      this.complete = data.complete;
      this.numbers = weft.arithmetic(data.dtype);
      this.depth = data.rows + data.cols - 1;
      this.read_streams(data);
      this.now = 0;
      this.registers = new weft.ArrayRegisters(this.rows, this.cols, this.numbers);
      this.feed = new weft.Feed(this.rows, this.cols, this.numbers);
      this.start_keyframes();
      this.store_write();
    }

    read_streams(data) {
      const {Operands, Sums} = this.numbers;
      this.act_cycles = numbers(data.activations.cycle, Int32Array);
      this.acc_rows = numbers(data.activations.acc_row, Int32Array);
      this.flags = numbers(data.activations.flags, Int32Array);
      this.acts = numbers(data.activations.values, Operands);
      this.push_cycles = numbers(data.weights.cycle, Int32Array);
      this.pushes = numbers(data.weights.values, Operands);
      this.row_index = index_by_cycle(this.act_cycles, this.end);
      this.push_index = index_by_cycle(this.push_cycles, this.end);
      this.previous = previous_writers(this.acc_rows);
      this.sums = new Sums(this.act_cycles.length * this.cols);
    }

    start_keyframes() {
      const many = Math.max(1, Math.floor(kKeyframeBytes / this.registers.byte_length));
      this.interval = Math.max(kShortestInterval, Math.ceil(this.end / many));
      this.keyframes = [];
      this.keep_keyframe();
    }

    // --- Inputs --------------------------------------------------------------------------------

    /** The index of the row that enters in `cycle`, or -1. */
    row_at(cycle) {
      return cycle >= 0 && cycle < this.end ? this.row_index[cycle] : -1;
    }

    push_at(cycle) {
      return cycle >= 0 && cycle < this.end ? this.push_index[cycle] : -1;
    }

    /** Element r of the row that enters in `cycle`; zero if none enters, as in the array. */
    act_at(cycle, r) {
      const row = this.row_at(cycle);
      return row < 0 ? 0 : this.acts[row * this.rows + r];
    }

    /** Element c of the push in `cycle`; meaningful only if there is a push. */
    weight_at(cycle, c) {
      const push = this.push_at(cycle);
      return push < 0 ? 0 : this.pushes[push * this.cols + c];
    }

    swap_at(cycle) {
      const row = this.row_at(cycle);
      return row >= 0 && (this.flags[row] & kSwap) !== 0;
    }

    fill_feed() {
      const {feed, now} = this;
      for (let r = 0; r < this.rows; ++r) {
        feed.act[r] = this.act_at(now - r, r);
        feed.swap[r] = this.swap_at(now - r) ? 1 : 0;
      }
      for (let c = 0; c < this.cols; ++c) {
        feed.push[c] = this.push_at(now - c) >= 0 ? 1 : 0;
        feed.weight[c] = this.weight_at(now - c, c);
      }
    }

    // --- Time ----------------------------------------------------------------------------------

    step() {
      this.fill_feed();
      weft.clock_array(this.registers, this.feed, this.numbers.mac);
      ++this.now;
      this.keep_keyframe();
      this.store_write();
    }

    /** True if all inputs have left the array and the deskew: an edge then changes nothing. */
    is_quiet() {
      return this.now - this.last_entry(this.now) > this.rows + 2 * this.cols;
    }

    /** The last cycle before `cycle` in which a row or a push entered; -Infinity if none did. */
    last_entry(cycle) {
      const row = last_before(this.act_cycles, cycle);
      return Math.max(row, last_before(this.push_cycles, cycle));
    }

    next_entry(cycle) {
      const row = first_from(this.act_cycles, cycle);
      return Math.min(row, first_from(this.push_cycles, cycle));
    }

    keep_keyframe() {
      if (this.now % this.interval !== 0) return;
      const at = this.now / this.interval;
      if (this.keyframes[at]) return;
      const copy = new weft.ArrayRegisters(this.rows, this.cols, this.numbers);
      this.keyframes[at] = copy.copy_from(this.registers);
    }

    /** Loads the latest keyframe up to `cycle` unless the registers are nearer. Some are missing.
        */
    restore(cycle) {
      let at = Math.floor(cycle / this.interval);
      while (!this.keyframes[at]) --at;
      if (this.now <= cycle && this.now >= at * this.interval) return;
      this.registers.copy_from(this.keyframes[at]);
      this.now = at * this.interval;
    }

    /** Brings the registers to `cycle`, from 0 to end - 1. */
    seek(cycle) {
      this.restore(cycle);
      while (this.now < cycle) {
        const quiet = this.is_quiet() ? Math.min(cycle, this.next_entry(this.now)) : this.now;
        if (quiet > this.now) this.skip_to(quiet);
        else this.step();
      }
      return this.registers;
    }

    skip_to(cycle) {
      this.now = cycle;
      this.keep_keyframe();
    }

    // --- Results -------------------------------------------------------------------------------

    /** The index of the row whose sums are written in `cycle`, or -1. */
    written_at(cycle) {
      return this.row_at(cycle - this.depth);
    }

    accumulates(row) {
      return (this.flags[row] & kAccumulate) !== 0;
    }

    store_write() {
      const row = this.written_at(this.now);
      if (row < 0) return;
      const before = this.accumulates(row) ? this.previous[row] : -1;
      for (let c = 0; c < this.cols; ++c) {
        const sum = weft.array_output(this.registers, c);
        const stored = before < 0 ? 0 : this.sums[before * this.cols + c];
        this.sums[row * this.cols + c] =
          this.accumulates(row) ? this.numbers.add(stored, sum) : sum;
      }
    }

    /** The C sums in the accumulators right after row `index` was written. */
    sums_of(index) {
      return this.sums.subarray(index * this.cols, (index + 1) * this.cols);
    }

    // --- For tests -----------------------------------------------------------------------------

    /** Everything that a waveform shows of `cycle`, as bit patterns in a plain object. */
    state_at(cycle) {
      const q = this.seek(cycle);
      return {cycle, ...this.ports_at(cycle), registers: this.patterns(q),
        write: this.write_patterns(cycle)};
    }

    ports_at(cycle) {
      const row = this.row_at(cycle);
      const push = this.push_at(cycle);
      const bits = this.numbers.operand_bits;
      const lanes = (n, at) => Array.from({length: n}, (_, i) => bits(at(cycle, i)));
      return {
        valid: row >= 0,
        swap: this.swap_at(cycle),
        acc_row: row < 0 ? null : this.acc_rows[row],
        accumulate: row < 0 ? null : this.accumulates(row),
        act_row: lanes(this.rows, (t, r) => this.act_at(t, r)),
        push: push >= 0,
        weight_row: push < 0 ? null : lanes(this.cols, (t, c) => this.weight_at(t, c)),
      };
    }

    patterns(q) {
      const {operand_bits, sum_bits} = this.numbers;
      const out = {};
      for (const name of weft.register_names) {
        const bits = name === 'psum' ? sum_bits : operand_bits;
        out[name] = Array.from(q[name], (value) => bits(value));
      }
      return out;
    }

    write_patterns(cycle) {
      const row = this.written_at(cycle);
      if (row < 0) return null;
      return {row: this.acc_rows[row], data: Array.from(this.sums_of(row), this.numbers.sum_bits)};
    }
  }

  /** The largest element of the ascending `sorted` below `limit`, or -Infinity. */
  function last_before(sorted, limit) {
    const at = lower_bound(sorted, limit);
    return at > 0 ? sorted[at - 1] : -Infinity;
  }

  function first_from(sorted, limit) {
    const at = lower_bound(sorted, limit);
    return at < sorted.length ? sorted[at] : Infinity;
  }

  /** How many elements of the ascending `sorted` are below `limit`. */
  function lower_bound(sorted, limit) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < limit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  weft.lower_bound = lower_bound;
  weft.decode_numbers = numbers;
  weft.ArrayRecording = ArrayRecording;
})(globalThis.weft);
