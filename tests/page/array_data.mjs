// Encodes the page's `array` from the ports of a waveform. It shares no code with the command's
// encoder.

function base64_of(numbers, bytes) {
  const buffer = Buffer.alloc(numbers.length * bytes);
  numbers.forEach((value, i) => buffer.writeUIntLE(value, i * bytes, bytes));
  return buffer.toString('base64');
}

/** `dump` comes from read_vcd(). `end` is the number of recorded cycles; the last may be quiet. */
export function array_data(dump, end) {
  const bytes = dump.dtype === 'int8' ? 1 : 2;
  const rows = dump.cycles.filter((state) => state.valid);
  const pushes = dump.cycles.filter((state) => state.push);
  return {
    rows: dump.rows,
    cols: dump.cols,
    dtype: dump.dtype,
    begin: 0,
    end,
    complete: true,
    activations: {
      cycle: base64_of(rows.map((state) => state.cycle), 4),
      acc_row: base64_of(rows.map((state) => state.acc_row), 4),
      flags: base64_of(rows.map((state) => state.swap + 2 * state.accumulate), 4),
      values: base64_of(rows.flatMap((state) => state.act_row), bytes),
    },
    weights: {
      cycle: base64_of(pushes.map((state) => state.cycle), 4),
      values: base64_of(pushes.flatMap((state) => state.weight_row), bytes),
    },
  };
}
