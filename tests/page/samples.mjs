// Makes page data without the command's help. Reports and waveforms of `weft` give the exact part:
// the report, the array's streams, the times of matmuls and pushes. The rest is invented to fit.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {array_data} from './array_data.mjs';
import {read_vcd} from './vcd.mjs';

export const kClasses = ['array_active', 'weight_shift', 'weight_stall', 'input_stall', 'raw_stall',
  'fill_drain', 'vector', 'output', 'idle'];
const kColumns = ['unit', 'dispatched', 'started', 'retired', 'text', 'map', 'chunk', 'k_tile',
  'n_tile'];
const kUnits = ['load', 'fetch', 'matmul', 'vector', 'store'];

/** Returns the standard output of `weft` with these arguments. */
export function weft(args) {
  return execFileSync(process.env.WEFT ?? 'weft', args, {encoding: 'utf8', maxBuffer: 1 << 28});
}

function edges(size, tile) {
  const out = [];
  for (let at = 0; at < size; at += tile) out.push(at);
  return [...out, size];
}

function tile_map(report, name) {
  const {m, k, n} = report.workload;
  const {rows, cols} = report.machine;
  return {name, m, k, n, tile_k: rows, tile_n: cols, k_edges: edges(k, rows),
    n_edges: edges(n, cols), m_edges: edges(m, Math.ceil(m / report.plan.m_chunks)),
    useful: m * k * n, waste: report.plan.padding_waste,
    operands: ['A', 'B', 'C']};
}

/** The matmuls of a waveform: each takes the next `rows_each` rows. */
function matmuls_of(dump, rows_each) {
  const rows = dump.cycles.filter((state) => state.valid);
  const out = [];
  rows.forEach((state, i) => {
    if (i % rows_each === 0) out.push({started: state.cycle, rows: 0});
    out.at(-1).rows += 1;
  });
  return out;
}

function pushes_of(dump) {
  const cycles = dump.cycles.filter((state) => state.push).map((state) => state.cycle);
  const started = cycles.filter((_, i) => i % dump.rows === 0);
  return {started, cycles: started.map(() => dump.rows)};
}

function add(columns, unit, started, retired, text, where = [-1, -1, -1, -1]) {
  columns.unit.push(kUnits.indexOf(unit));
  columns.dispatched.push(Math.max(0, started - 1));
  columns.started.push(started);
  columns.retired.push(retired);
  columns.text.push(text);
  ['map', 'chunk', 'k_tile', 'n_tile'].forEach((name, i) => columns[name].push(where[i]));
}

/** Puts fetches before their pushes, and vectors after the last write of a result tile. */
function instructions(report, dump, pushes) {
  const columns = Object.fromEntries(kColumns.map((name) => [name, []]));
  const {k_tiles, n_tiles, m_chunks} = report.plan;
  const rows = Math.ceil(report.workload.m / m_chunks);
  const drain = dump.rows + dump.cols - 1;
  add(columns, 'load', 1, 1, `load host=0 ub=0 rows=${rows * k_tiles}`);
  matmuls_of(dump, rows).forEach((matmul, i) => {
    const [k_tile, n_tile] = [i % k_tiles, Math.floor(i / k_tiles) % n_tiles];
    const chunk = Math.floor(i / (k_tiles * n_tiles));
    const fetched = Math.max(1, (pushes.started[i] ?? matmul.started) - 1);
    const retired = matmul.started + matmul.rows - 1 + drain;
    add(columns, 'fetch', fetched, fetched, `fetch tile=${i}`);
    add(columns, 'matmul', matmul.started, retired, `matmul ub=${k_tile * rows} rows=${rows} acc=0`,
      [0, chunk, k_tile, n_tile]);
    if (k_tile + 1 < k_tiles) return;
    add(columns, 'vector', retired + 1, retired + rows, `vector acc=0 ub=90 rows=${rows}`);
    add(columns, 'store', retired + rows + 1, retired + rows + 1,
      `store ub=90 host=90 rows=${rows}`);
  });
  return columns;
}

/** Runs of cycles with one ledger class, as far as the waveform tells it. */
function spans(dump, total) {
  const active = new Set(dump.cycles.filter((state) => state.valid).map((state) => state.cycle));
  const pushed = new Set(dump.cycles.filter((state) => state.push).map((state) => state.cycle));
  const last = Math.max(...active);
  const class_of = (cycle) => (active.has(cycle) ? 0 : pushed.has(cycle) ? 1
    : cycle < last ? 2 : cycle < last + dump.rows + dump.cols - 1 ? 5 : cycle + 1 < total ? 6 : 7);
  const out = {class: [], begin: [], end: []};
  for (let cycle = 0; cycle < total; ++cycle) {
    if (out.class.at(-1) === class_of(cycle)) {
      out.end[out.end.length - 1] = cycle + 1;
    } else {
      out.class.push(class_of(cycle));
      out.begin.push(cycle);
      out.end.push(cycle + 1);
    }
  }
  return out;
}

function roofline(report) {
  const {machine, macs, traffic, cycles} = report;
  const rate = (gb_per_s) => (gb_per_s * 1000) / machine.clock_mhz;
  const ideal = machine.memory_kind === 'ideal';
  const bytes = traffic.weight_bytes + traffic.input_bytes + traffic.output_bytes;
  return {peak: machine.rows * machine.cols, clock_mhz: machine.clock_mhz,
    roofs: ideal ? [] : [{name: 'memory', bytes_per_cycle: rate(machine.memory_gb_per_s)}],
    points: [{name: 'this run', macs: macs.useful, bytes, cycles: cycles.total,
      roof: ideal ? null : 0}]};
}

function sweep(size, options, tile) {
  const points = [];
  for (let n = 1; n <= 4 * tile; n += Math.max(1, Math.floor(tile / 8))) {
    const args = ['matmul', String(size[0]), String(size[1]), String(n), '--engine', 'analytic',
      '--quiet', '--json', '-', ...options];
    const {cycles, utilization, plan} = JSON.parse(weft(args));
    points.push({size: n, cycles: cycles.total, utilization, waste: plan.padding_waste});
  }
  return {dimension: 'n', tile, points};
}

function formula(report) {
  const {rows, cols} = report.machine;
  const m = report.workload.m;
  const last = m + rows + cols - 2;
  const cycles = report.plan.formula_cycles;
  return {cycles, span: report.cycles.array_span, excess: '', terms: [
    {name: 'load', cycles: rows, meaning: 'R pushes of the first tile'},
    {name: 'steps', cycles: cycles - rows - last, meaning: 'max(M, R) for each further fold'},
    {name: 'last fold', cycles: last, meaning: 'M rows and R + C − 2 cycles on their way'}]};
}

/** Runs a product on `stepped`; returns its report and its waveform. */
function stepped(args) {
  const folder = mkdtempSync(join(tmpdir(), 'weft-sample-'));
  try {
    const path = join(folder, 'x.vcd');
    const report = JSON.parse(weft([...args, '--vcd', path, '--quiet', '--json', '-']));
    return {report, dump: read_vcd(path)};
  } finally {
    rmSync(folder, {recursive: true});
  }
}

const stepped_words = (size, options) =>
  ['matmul', ...size.map(String), '--engine', 'stepped', ...options];

/** The waveform of a product. */
export const waveform = (size, options = []) => stepped(stepped_words(size, options)).dump;

/** A product page with everything that it can have. */
export function matmul_sample(size, options = []) {
  const words = stepped_words(size, options);
  const {report, dump} = stepped(words);
  return sample_of(report, dump, size, options, `weft ${words.join(' ')}`);
}

function sample_of(report, dump, size, options, command) {
  const pushes = pushes_of(dump);
  const {total} = report.cycles;
  return {
    title: `matmul ${size.join(' × ')} on ${report.machine.name}`,
    command,
    report,
    notes: ['A sample: fetches, loads, vectors and stores are made up.'],
    tiles: [tile_map(report, command)],
    timeline: {total, units: kUnits, instructions: instructions(report, dump, pushes),
      window: [0, total], left_out: 0, pushes, classes: kClasses, spans: spans(dump, total)},
    array: array_data(dump, total),
    formula: formula(report),
    roofline: roofline(report),
    sweep: sweep(size, options, report.machine.cols),
  };
}

// --- Networks --------------------------------------------------------------------------------

function layer_of(layer, begin, map) {
  const {cycles, macs, plan} = layer;
  return {name: layer.name, operator: layer.op, shape: layer.shape.join(' × '), on: layer.where,
    tiles: plan ? plan.k_tiles * plan.n_tiles : null,
    padding: macs.issued ? 1 - macs.useful / macs.issued : null,
    cycles: cycles ? cycles.total : null, utilization: layer.utilization,
    ledger: cycles, tile_map: map, begin, why: layer.note || null};
}

function layer_map(layer, machine) {
  const {k_tiles, n_tiles, chunks} = layer.plan;
  const m = layer.shape.reduce((all, extent) => all * extent, 1) / layer.shape[1];
  const [k, n] = [k_tiles * machine.rows - 1, (n_tiles - 1) * machine.cols + 1];
  return {name: layer.name, m, k, n, tile_k: machine.rows, tile_n: machine.cols,
    m_edges: edges(m, Math.ceil(m / chunks)), k_edges: edges(k, machine.rows),
    n_edges: edges(n, machine.cols), useful: layer.macs.useful,
    waste: 1 - layer.macs.useful / layer.macs.issued,
    operands: ['pixels', 'filters', 'result']};
}

/** A network: layers, tile maps and a sampled timeline without instructions. */
export function network_sample(name, options = []) {
  const report = JSON.parse(weft(['run', name, '--quiet', '--json', '-', ...options]));
  const tiles = [];
  let begin = 0;
  const layers = report.layers.map((layer) => {
    const map = layer.plan ? tiles.push(layer_map(layer, report.machine)) - 1 : null;
    const row = layer_of(layer, layer.cycles ? begin : null, map);
    begin += layer.cycles ? layer.cycles.total : 0;
    return row;
  });
  return {title: `${name} on ${report.machine.name}`, command: `weft run ${name}`, report,
    notes: ['Instructions were left out: the network has too many.'], tiles, layers,
    timeline: sampled_timeline(report, layers), roofline: network_roofline(report)};
}

function sampled_timeline(report, layers) {
  const {total} = report.cycles;
  const many = 200;
  const width = Math.ceil(total / many);
  const shares = kClasses.map((name) => Array(Math.ceil(total / width)).fill(0));
  shares[0].forEach((_, bin) => {
    const layer = layers.findLast((each) => each.begin !== null && each.begin <= bin * width);
    kClasses.forEach((name, i) => { shares[i][bin] = layer.ledger[name] / layer.cycles; });
  });
  const none = Object.fromEntries(kColumns.map((name) => [name, []]));
  return {total, units: kUnits, instructions: none, window: [0, 0], left_out: report.instructions,
    pushes: {started: [], cycles: []}, classes: kClasses, spans: {class: [], begin: [], end: []},
    bins: {cycles: width, busy: kUnits.map((_, u) => (u === 2 ? shares[0] : shares[6 - (u & 1)])),
      pushes: shares[1], classes: shares}};
}

function network_roofline(report) {
  const {machine} = report;
  const rate = (gb_per_s) => (gb_per_s * 1000) / machine.clock_mhz;
  const points = report.layers.filter((layer) => layer.cycles).map((layer) => ({
    name: layer.name, macs: layer.macs.useful, cycles: layer.cycles.total, roof: 0,
    bytes: layer.traffic.weight_bytes + layer.traffic.input_bytes + layer.traffic.output_bytes}));
  return {peak: machine.rows * machine.cols, clock_mhz: machine.clock_mhz,
    roofs: [{name: 'memory', bytes_per_cycle: rate(machine.memory_gb_per_s)},
      {name: 'host link', bytes_per_cycle: rate(machine.host_gb_per_s)}], points};
}
