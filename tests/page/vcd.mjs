// Reads a waveform of `weft ... --vcd` into cycles: the values of all ports and registers.
import {readFileSync} from 'node:fs';

/** Maps signal paths to codes, "u_mxu.gen_row[0]....act_q" -> "6", without the top scope. */
function declarations(text) {
  const scopes = [];
  const signals = new Map();
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '$scope') scopes.push(words[2]);
    else if (words[0] === '$upscope') scopes.pop();
    else if (words[0] === '$var') signals.set([...scopes.slice(1), words[4]].join('.'), words[3]);
  }
  return signals;
}

function number(bits) {
  return /[xz]/.test(bits) ? null : Number(BigInt(`0b${bits}`));
}

function apply(line, values) {
  if (line.startsWith('b')) {
    const [bits, code] = line.slice(1).split(' ');
    values.set(code, number(bits));
  } else if (/^[01xz]/.test(line)) {
    values.set(line.slice(1), number(line[0]));
  }
}

function lanes(signals, values, name) {
  const out = [];
  for (let i = 0; signals.has(`${name}_${i}`); ++i) {
    out.push(values.get(signals.get(`${name}_${i}`)));
  }
  return out;
}

const kRegisters = ['act', 'swap', 'push', 'weight_active', 'weight_shadow', 'weight_out', 'psum'];

/** The codes of one register in all PEs, row-major. */
function register_codes(signals, rows, cols, name) {
  const codes = [];
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < cols; ++c) {
      const pe = `u_mxu.gen_row[${r}].gen_col[${c}].gen_pe.u_pe`;
      codes.push(signals.get(`${pe}.u_registers.${name}_q`));
    }
  }
  return codes;
}

function snapshot(dump, values) {
  const port = (name) => values.get(dump.signals.get(name));
  const row = (name) => lanes(dump.signals, values, name);
  const registers = {};
  for (const name of kRegisters) registers[name] = dump.codes[name].map((code) => values.get(code));
  const valid = port('valid_i') === 1;
  const push = port('push_i') === 1;
  return {
    cycle: port('cycle'),
    valid,
    swap: port('swap_i') === 1,
    acc_row: valid ? port('row_i') : null,
    accumulate: valid ? port('accumulate_i') === 1 : null,
    act_row: row('act_i'),
    push,
    weight_row: push ? row('weight_i') : null,
    registers,
    write: port('write_o') === 1 ? {row: port('write_row_o'), data: row('write_data_o')} : null,
  };
}

/** {rows, cols, dtype, cycles}: each recorded cycle in the form of `weft.state_at`. */
export function read_vcd(path) {
  const text = readFileSync(path, 'utf8');
  const [, rows, cols, dtype] = /(\d+) x (\d+) PEs, (\w+)/.exec(text);
  const signals = declarations(text);
  const dump = {signals, codes: {}};
  for (const name of kRegisters) dump.codes[name] = register_codes(signals, +rows, +cols, name);
  return {rows: +rows, cols: +cols, dtype, cycles: cycles_of(text, dump)};
}

function cycles_of(text, dump) {
  const values = new Map();
  const cycles = [];
  let time = null;
  const close = () => {
    if (time === null || time % 10 !== 0) return;
    const state = snapshot(dump, values);
    if (state.cycle !== null && time === state.cycle * 10) cycles.push(state);
  };
  for (const line of text.slice(text.indexOf('$enddefinitions')).split('\n')) {
    if (line.startsWith('#')) {
      close();
      time = Number(line.slice(1));
    } else {
      apply(line, values);
    }
  }
  return cycles;
}
