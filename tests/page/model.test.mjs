// Compares the page's model of the array with waveforms of `stepped`: every register, every cycle.
//
//   WEFT=build/dev/cli/weft node --test tests/page/model.test.mjs
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {runInThisContext} from 'node:vm';

import {array_data} from './array_data.mjs';
import {waveform} from './samples.mjs';

const web = new URL('../../report/page/web/', import.meta.url);
for (const script of ['array/array_model.js', 'array/array_recording.js']) {
  runInThisContext(readFileSync(new URL(script, web), 'utf8'), script);
}
const {weft} = globalThis;

function recording_of(dump) {
  return new weft.ArrayRecording(array_data(dump, dump.cycles.at(-1).cycle + 1));
}

const kCases = [
  ['int8', [10, 9, 7], []],
  ['bf16', [10, 9, 7], ['--array.dtype', 'bf16']],
  ['fp16', [10, 9, 7], ['--array.dtype', 'fp16']],
  ['one row and one column of an array', [5, 3, 2], ['--array.rows', '1', '--array.cols', '1']],
  ['tall array', [9, 40, 7], ['--array.rows', '16', '--array.cols', '2']],
  ['wide array', [9, 5, 40], ['--array.rows', '3', '--array.cols', '16']],
  ['deep bf16 sums', [6, 200, 5], ['--array.dtype', 'bf16', '--array.rows', '16']],
  ['no double buffer', [7, 9, 9], ['--array.double_buffer', 'off']],
  ['slow memory, long pauses', [6, 9, 9], ['--memory.kind', 'shared', '--memory.gb_per_s', '0.05']],
];

for (const [name, size, options] of kCases) {
  test(`every register in every cycle is that of the waveform: ${name}`, () => {
    const dump = waveform(size, ['--machine', 'tiny', ...options]);
    const recording = recording_of(dump);
    assert.ok(dump.cycles.some((state) => state.write), 'the waveform has writes');
    for (const state of dump.cycles) {
      assert.deepEqual(recording.state_at(state.cycle), state, `cycle ${state.cycle}`);
    }
  });
}

test('a jump backward gives what going forward gave', () => {
  const dump = waveform([20, 20, 20], ['--machine', 'tiny']);
  const recording = recording_of(dump);
  assert.ok(dump.cycles.length > 4 * recording.interval, 'several keyframes lie on the way');
  for (let i = 0; i < dump.cycles.length; ++i) {
    const state = dump.cycles[(i * 7919) % dump.cycles.length];
    assert.deepEqual(recording.state_at(state.cycle), state, `cycle ${state.cycle}`);
  }
});

/** a * b + c in integers, rounded once. All three must be finite multiples of 2^-scale. */
function exact_fma(a, b, c, scale) {
  const to_integer = (x) => BigInt(x * 2 ** scale);
  const sum = to_integer(a) * to_integer(b) + (to_integer(c) << BigInt(scale));
  return round_to_24_bits(sum) * 2 ** (-2 * scale);
}

function round_to_24_bits(sum) {
  const magnitude = sum < 0n ? -sum : sum;
  const drop = BigInt(Math.max(0, magnitude.toString(2).length - 24));
  if (drop === 0n) return Number(sum);
  const half = 1n << (drop - 1n);
  const rest = magnitude & ((1n << drop) - 1n);
  let kept = magnitude >> drop;
  if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  return Number(sum < 0n ? -(kept << drop) : kept << drop);
}

/** Draws numbers of `bits` significant bits and either sign, with magnitudes from 2^-26 to 2. */
function drawn(bits, step) {
  let seed = step;
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const sign = seed & 1 ? -1 : 1;
    const fraction = (seed >>> 8) % 2 ** (bits - 1);
    const exponent = ((seed >>> 3) % 27) - 26;
    return sign * (1 + fraction * 2 ** (1 - bits)) * 2 ** exponent;
  };
}

test('the multiply-add rounds once', () => {
  const factor = drawn(11, 7);
  const addend = drawn(24, 11);
  let rounded = 0;
  for (let i = 0; i < 50000; ++i) {
    const [a, b, c] = [factor(), factor(), addend()];
    const want = exact_fma(a, b, c, 60);
    assert.equal(weft.fma32(a, b, c), want, `${a} * ${b} + ${c}, case ${i}`);
    if (a * b + c !== want) ++rounded;
  }
  assert.ok(rounded > 10000, 'many sums do not fit binary32');
});

test('the multiply-add meets ties, zeros and infinities', () => {
  assert.equal(weft.fma32(2 ** -12, 2 ** -12, 1), 1);  // ties go to even
  assert.equal(weft.fma32(2 ** -12, 2 ** -12, 1 + 2 ** -23), 1 + 2 ** -22);
  assert.equal(weft.fma32(1 + 2 ** -7, 2 ** -24, 1), 1 + 2 ** -23);  // just above a tie
  assert.equal(weft.fma32(-1, 0, 0), 0);
  assert.ok(Number.isNaN(weft.fma32(Infinity, 0, 1)));
  assert.equal(weft.fma32(Infinity, 1, 1), Infinity);
});
