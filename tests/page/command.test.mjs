// Pages that the command writes are whole, small, and agree with the waveform of the same run.
//
//   WEFT=build/dev/cli/weft node --test tests/page/command.test.mjs
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import * as checks from './checks.mjs';
import {matmul_model} from './onnx_model.mjs';
import {read_vcd} from './vcd.mjs';
import {weft} from './samples.mjs';

const fixture = browser_fixture();
const kTiny = ['--machine', 'tiny'];
const kSixteen = ['--array.rows', '16', '--array.cols', '16', '--unified_buffer.kib', '256'];
const kAttack = '</script><script>globalThis.attacked = 1</script>';

/** Makes the command write the page of `words` and returns its path. */
function page_of(words) {
  const path = join(fixture.folder, `${words.join('_').replaceAll('/', '_').slice(-80)}.html`);
  weft([...words, '--html', path]);
  return path;
}

/** Text of the page as the command prints it. */
const plain = (text) => text.replaceAll('\u2212', '-').replaceAll('\u202f', ' ')
  .replace(/(\d) × (?=\d)/g, '$1x');

const sections = () => fixture.evaluate(
  `[...document.querySelectorAll('main > section')].map((section) => section.id)`);

// The sections of each page. A product has all of them, since it has all of the data.
const kProduct = ['tiles', 'mapping', 'array', 'timeline', 'ledger', 'roofline'];
const kNetwork = ['tiles', 'mapping', 'array', 'timeline', 'ledger', 'roofline', 'layers'];
const kPages = [
  {name: 'a product', words: ['matmul', '10', '9', '7', ...kTiny], has: kProduct},
  {name: 'a product without a rest', words: ['matmul', '8', '8', '8', ...kTiny], has: kProduct},
  {name: 'the least product', words: ['matmul', '1', '1', '1', ...kTiny], has: kProduct},
  {name: 'bf16', words: ['matmul', '10', '9', '7', ...kTiny, '--array.dtype', 'bf16'],
    has: kProduct},
  {name: 'memory in the way', words: ['matmul', '20', '30', '20', ...kTiny, '--memory.kind',
    'shared', '--memory.gb_per_s', '0.5'], has: kProduct},
  {name: '256 tiles of 16 x 16', words: ['matmul', '64', '256', '256', ...kTiny, ...kSixteen],
    has: kProduct},
  {name: 'an array to zoom in', words: ['matmul', '70', '100', '90', '--machine', 'edge-tpu'],
    has: kProduct},
  {name: 'a thousand cubed on 128 x 128', words: ['matmul', '1000', '1000', '1000'],
    has: kProduct},
  {name: 'more instructions than are listed', words: ['matmul', '300', '400', '400', ...kTiny],
    has: kProduct, left_out: true},
  {name: 'cycles alone', words: ['matmul', '20', '20', '20', ...kTiny, '--engine', 'analytic'],
    has: ['tiles', 'timeline', 'ledger', 'roofline']},
  {name: 'a convolution', words: ['conv', '--input', '1,3,12,12', '--filters', '8', '--kernel', '3',
    ...kTiny], has: ['tiles', 'mapping', 'timeline', 'ledger', 'layers']},
  {name: 'a network', words: ['run', 'lenet5', ...kTiny], has: kNetwork.filter((id) =>
    id !== 'array')},
  {name: 'an explanation', words: ['explain', '10', '9', '7', ...kTiny],
    has: ['tiles', 'mapping', 'timeline', 'ledger']},
  {name: 'a sweep', words: ['explain', '10', '9', '7', ...kTiny, '--sweep', 'n=1..40'],
    has: ['tiles', 'ledger', 'sweep']},
  {name: 'a training', words: ['train', 'digits-mlp', '--epochs', '3'], has: ['training']},
  {name: 'a training on the machine', words: ['train', 'digits-mlp', '--epochs', '2', '--backend',
    'sim'], has: ['training', 'ledger']},
  {name: 'a measurement', words: ['train', 'digits-mlp', '--epochs', '0'], has: ['training']},
];

for (const {name, words, has, left_out} of kPages) {
  test(`the command's page is whole: ${name}`, async () => {
    const path = page_of(words);
    await checks.is_whole(fixture, path);
    const shown = await sections();
    for (const id of has) assert.ok(shown.includes(id), `section ${id} among ${shown}`);
    if (!left_out) return;
    assert.ok(checks.data_of(path).timeline.left_out > 0, 'nothing is left out here');
    assert.ok(await fixture.evaluate(`document.querySelector('.notes, .beyond') !== null`));
  });
}

// The text of the same run has the same rows, the same sentence and the same marks.
test('the sensitivities are those of the text', async () => {
  const path = join(fixture.folder, 'sensitivity.html');
  const text = weft(['run', 'digits-cnn', '--machine', 'edge-tpu', '--engine', 'analytic',
    '--sensitivity', '--html', path]);
  const [head, ...lines] = text.slice(text.indexOf('if one key')).split('\n').slice(1);
  assert.match(head, /^ *key +from +to +cycles +change +time/);
  const rows = lines.filter((line) => / %/.test(line))
    .map((line) => line.trim().split(/  +/).join('|'));
  assert.ok(rows.length > 3 && rows.some((row) => row.endsWith('assumed, compiled again')));
  await checks.is_whole(fixture, path);
  const shown = await fixture.evaluate(`[...document.querySelectorAll('#sensitivity-table tbody tr')]
    .map((row) => [...row.children].map((cell) => cell.textContent).filter(Boolean).join('|'))`);
  assert.deepEqual(shown.map(plain), rows);
  const said = lines.slice(rows.length).join(' ').replace(/\s+/g, ' ').trim();
  assert.equal(await fixture.evaluate(`document.querySelector('#sensitivity .readout').textContent`),
    said);
  const widths = await fixture.evaluate(`[...document.querySelectorAll('#sensitivity .both i')]
    .map((piece) => [piece.className, parseFloat(piece.style.marginLeft)])`);
  for (const [i, [kind, left]] of widths.entries()) {
    const is_slower = rows[i].includes('|+') && !/\|-[0-9.]+ %/.test(rows[i]);
    assert.equal(kind, is_slower ? 'slower' : 'faster', rows[i]);
    assert.equal(left >= 50, is_slower, rows[i]);
  }
});

// The events with their counts and energies, the total, the layers, and what the bar is made of.
test('the energies are those of the text', async () => {
  const path = join(fixture.folder, 'energy.html');
  const text = weft(['run', 'digits-cnn', '--machine', 'tpu-v2', '--engine', 'analytic',
    '--energy', 'own', '--price-per-hour', '1.2', '--html', path]);
  const lines = text.split('\n').map((line) => line.trim().split(/  +/));
  const events = lines.filter((cells) => cells.length === 5 && cells[4].endsWith(' %') &&
    /[fpnum]?J$/.test(cells[2])).map((cells) => cells.join('|'));
  assert.ok(events.length >= 15, text);
  await checks.is_whole(fixture, path);
  const shown = await fixture.evaluate(`[...document.querySelectorAll('#energy-table tbody tr')]
    .map((row) => [...row.children].map((cell) => cell.textContent.replace(/^.*: /, ''))
      .join('|'))`);
  assert.deepEqual(shown.map((row) => plain(row).replaceAll('µ', 'u').replace('< 0.1', '0.0')),
    events);
  const total = text.match(/^energy +(\S+ \S+) =/m)[1];
  const sum = await fixture.evaluate(`document.querySelector('#energy-sum').textContent`);
  assert.equal(plain(sum).replaceAll('µ', 'u'), total);
  const layers = await fixture.evaluate(`document.querySelectorAll('#energy-layers tbody tr').length`);
  assert.equal(layers, JSON.parse(weft(['run', 'digits-cnn', '--machine', 'tpu-v2', '--engine',
    'analytic', '--json', '-'])).layers.length);
  const said = await fixture.evaluate(`document.querySelector('#energy .readout').textContent`);
  const price = text.match(/^price +(\S+) for/m)[1];
  assert.ok(plain(said).includes(`cost ${price} at 1.2 an hour`), `${said} has no ${price}`);
  const widths = await fixture.evaluate(`[...document.querySelectorAll('#energy .energy-piece')]
    .map((piece) => [piece.dataset.unit, Number(piece.getAttribute('width'))])`);
  const units = Object.entries(checks.data_of(path).report.energy.units)
    .filter(([, joules]) => joules > 0);
  assert.deepEqual(widths.map(([unit]) => unit), units.map(([unit]) => unit));
});

// The text lists the first eight of the candidates, with the same words and the same figures. Of
// candidates of equal cycles it has the figures of the first.
async function has_the_candidates_of(words) {
  const path = join(fixture.folder, 'candidates.html');
  const text = weft(['explain', ...words, '--html', path]).replace(/\s+/g, ' ');
  await checks.is_whole(fixture, path);
  const rows = await fixture.evaluate(`[...document.querySelectorAll('#candidates-table tbody tr')]
    .map((row) => [...row.children].map((cell) => cell.textContent))`);
  assert.ok(rows.length > 4, `${rows.length} candidates`);
  const {runs} = checks.data_of(path).candidates;
  assert.equal(rows.length, runs.length);
  let entries = 0;
  for (const [i, row] of rows.entries()) {
    const [said, cycles, change, layer, , folds, tiles, padding, moved] = row.map(plain);
    const difference = runs[i].cycles - runs[0].cycles;
    assert.equal(Number(change.replaceAll(',', '')), difference, said);
    if (i > 1 && runs[i].cycles === runs[i - 1].cycles) {
      if (entries <= 8) assert.ok(text.includes(said.split(':')[0]), said);
      continue;
    }
    if (++entries > 8) continue;
    const padded = Math.round(parseFloat(padding));
    const line = `${said.replaceAll('+', '\\+')} ${cycles} ${layer} (?:[\\d.]+ )*${tiles} ${folds} ` +
      `${padded > 0 ? `${padded} ` : ''}${moved} `;
    assert.match(text, new RegExp(line), said);
  }
  for (const sentence of await fixture.evaluate(
    `[...document.querySelectorAll('#candidates li')].map((item) => item.textContent)`)) {
    assert.ok(text.includes(sentence), sentence);
  }
  return path;
}

test('the page of a convolution has the candidates of the text', async () => {
  await has_the_candidates_of(['conv', '--input', '1,64,28,28', '--filters', '64', '--kernel', '3',
    '--machine', 'edge-tpu']);
  assert.match(await fixture.evaluate(`document.querySelector('.machine').textContent`),
    /engine fast, the candidates engine analytic$/);
});

test('the page of a layer has its candidates and opens at the layer', async () => {
  const path = await has_the_candidates_of(['lenet5', '--layer', 'c3', ...kTiny]);
  const {layers, asked} = checks.data_of(path);
  assert.equal(layers[asked].name, 'c3');
  assert.equal(await fixture.evaluate('weft.cycle'), layers[asked].begin);
  assert.equal(await fixture.evaluate(`document.querySelector('#mapping-name').textContent`), 'c3');
  assert.equal(await fixture.evaluate(`document.querySelector('tr.chosen').dataset.layer`),
    String(asked));
  assert.match(await fixture.evaluate('document.title'), /^explain lenet5, layer c3, on tiny/);
});

test('the page of a layer that the host computes says so', async () => {
  const path = join(fixture.folder, 'host.html');
  weft(['explain', 'lenet5', '--layer', 'image/quantize', ...kTiny, '--html', path]);
  await fixture.open(path);
  assert.ok(!(await sections()).includes('candidates'));
  assert.match(await fixture.evaluate(`document.querySelector('#why').textContent`),
    /^image\/quantize: .*the machine has no QuantizeLinear/);
});

test('numbers have commas, and the bound is in times', async () => {
  await fixture.open(page_of(['explain', 'conv', '--input', '1,64,56,56', '--filters', '64', '--kernel',
    '3', '--machine', 'edge-tpu', '--steps', '1']));
  const text = await fixture.evaluate(`(document.querySelector('.command').remove(),
    document.body.innerText)`);
  assert.match(text, /\d,\d{3}\b/);
  assert.doesNotMatch(text, /\d[\u202f ]\d{3}\b/);
  assert.match(text, /\d\.\d\d\ntimes the bound|times the bound\n\d\.\d\d/);
});

test('the curves of a training have a point for each epoch, and so has the table', async () => {
  const path = page_of(['train', 'digits-mlp', '--epochs', '4']);
  await fixture.open(path);
  const {epochs, steps} = checks.data_of(path).training;
  assert.equal(epochs.length, 4);
  assert.equal(steps.length, 4 * 44);
  const count = (query) => fixture.evaluate(`document.querySelectorAll('${query}').length`);
  assert.equal(await count('.training .dot'), 2 * 2 * 4);  // loss and accuracy, train and test
  assert.equal(await count('#epochs-table tbody tr'), 4);
  const rows = await fixture.evaluate(`[...document.querySelectorAll('#epochs-table tbody tr')]
    .map((row) => [...row.children].map((cell) => cell.textContent))`);
  rows.forEach((cells, i) => {
    assert.equal(Number(cells[0]), i + 1);
    assert.equal(Number(cells[2]), Number(epochs[i].train.loss.toPrecision(3)));
    assert.equal(cells[5].replace(/[^0-9.]/g, ''), (100 * epochs[i].test.accuracy).toFixed(1));
  });
});

test('a long training has means of neighboring steps', async () => {
  const path = page_of(['train', 'digits-mlp', '--epochs', '30']);
  const {steps} = checks.data_of(path).training;
  assert.equal(steps.length, 660);  // 1320 steps, two per point
  assert.equal(steps[0].step, 2);
  assert.equal(steps[659].step, 1320);
});

for (const dtype of ['int8', 'bf16', 'fp16']) {
  test(`the command's page shows the registers of the waveform: ${dtype}`, async () => {
    const words = ['matmul', '9', '10', '11', ...kTiny, '--array.dtype', dtype];
    const path = page_of(words);
    const vcd = join(fixture.folder, `${dtype}.vcd`);
    weft([...words, '--engine', 'stepped', '--quiet', '--vcd', vcd]);
    const dump = read_vcd(vcd);
    assert.ok(dump.cycles.length > 100);
    await checks.is_whole(fixture, path, dump);
  });
}

// On 4 x 4, 3 channels and 4 filters take one fold per tap for each of four chunks of 4 pixels, or 7
// for the 27 elements of a window, for each of two chunks of 8 pixels. Loading takes 4 cycles, then
// come the other folds' rows, then the last fold's rows and 4 + 4 - 2 cycles to drain. Packed windows
// are loaded by seven loads a chunk, a row a cycle. After those of the first chunk and a load of the
// scales, the fetch is dispatched in cycle 8, and its tile is pushed in cycles 10-13. The seven loads
// of the second chunk and three more fetches come before the first matmul, so that is dispatched in
// cycle 19, and its rows enter 6 cycles later than the pushes allow.
for (const command of [['conv'], ['explain', 'conv']]) {
  for (const [taps, folds, rows] of [['apart', 36, 4], ['packed', 14, 8]]) {
    const name = `${command.join(' ')}, taps ${taps}`;
    test(`the closed form stands beside the ledger of a convolution: ${name}`, async () => {
      const path = page_of([...command, '--input', '1,3,6,6', '--filters', '4', '--kernel', '3',
        '--taps', taps, ...kTiny]);
      await fixture.open(path);
      const figures = await fixture.evaluate(`[...document.querySelectorAll('#formula-table tr')]
        .slice(1).map((row) => Number(row.children[1].textContent.replace(/\\D/g, '')))`);
      const sum = 4 + folds * rows + 6;
      const waits = taps === 'packed' ? 6 : 0;
      assert.deepEqual(figures, [4, (folds - 1) * rows, rows + 6, sum, sum + waits]);
    });
  }
}

test('the closed form is of one convolution, not of a network', async () => {
  assert.equal(checks.data_of(page_of(['run', 'lenet5', ...kTiny])).formula, undefined);
});

test('beyond the instructions that are listed the pushes are shares', async () => {
  const path = page_of(['matmul', '300', '400', '400', ...kTiny]);
  const {total, bins, pushes} = checks.data_of(path).timeline;
  // There are 100 x 100 tiles of 4 rows. Each is pushed once for all rows or once per chunk.
  const pushed = bins.pushes.reduce((sum, share) => sum + share, 0) * bins.cycles;
  const folds = checks.data_of(path).report.plan.folds;
  assert.ok(pushes.started.length < folds);
  assert.ok(Math.abs(pushed - 4 * folds) <= bins.pushes.length * bins.cycles * 5e-4 + bins.cycles,
    `${pushed} cycles of pushes, ${folds} folds`);
  await fixture.open(path);
  await fixture.evaluate(`weft.go_to(${total - 1 - Math.floor(total / 2)})`);
  assert.ok(await fixture.evaluate(`weft.lane_shares(weft.data.timeline.bins, {unit: -1})
    .every((share, i) => share === ${JSON.stringify(bins.pushes)}[i])`));
});

test('a jump beyond what is recorded shows the last recorded cycle, and says so', async () => {
  const path = page_of(['matmul', '300', '400', '400', ...kTiny]);
  const {end} = checks.data_of(path).array;
  await fixture.open(path);
  const pixels = `document.querySelector('#array-canvas').toDataURL()`;
  const picture_of = (cycle) => fixture.evaluate(`(weft.go_to(${cycle}),
    new Promise((done) => setTimeout(() => done(${pixels}), 200)))`);
  const last = await picture_of(end - 1);
  assert.notEqual(await picture_of(end - 2), last);
  await picture_of(0);
  assert.equal(await picture_of(end + 1000), last);
  const note = await fixture.evaluate(`document.querySelector('#array .beyond').textContent`);
  assert.ok(note.replace(/\D/g, '').includes(String(end - 1)), note);
});

test('why two runs differ is a table whose bars lead from one to the other', async () => {
  const report_of = (name, words) => {
    const path = join(fixture.folder, name);
    weft(['matmul', '20', '30', '20', ...words, '--quiet', '--json', path]);
    return path;
  };
  const a = report_of('<b>a<b>.json', kTiny);
  const b = report_of('b.json', [...kTiny, '--array.double_buffer', 'off', '--memory.kind', 'split',
    '--memory.gb_per_s', '1', '--host.gb_per_s', '0.5']);
  const path = join(fixture.folder, 'why.html');
  const json = join(fixture.folder, 'why.json');
  weft(['explain', '--why', a, b, '--json', json, '--html', path]);
  const {why} = JSON.parse(readFileSync(json, 'utf8'));
  assert.ok(why.steps.length >= 4);
  await checks.is_whole(fixture, path);
  const numbers = await fixture.evaluate(`[...document.querySelectorAll('#why-table tbody tr')]
    .map((row) => [...row.querySelectorAll('.number')].map((cell) => cell.textContent))`);
  const number_of = (text) => Number(text.replace(/[^0-9\u2212]/g, '').replace('\u2212', '-'));
  assert.deepEqual(numbers.map(([cycles]) => number_of(cycles)),
    [why.a.cycles.total, ...why.steps.map((step) => step.cycles), why.b.cycles.total]);
  const changes = numbers.slice(1, -1).map(([, change]) => number_of(change));
  assert.deepEqual(changes, why.steps.map((step) => step.change));
  const sum = number_of(await fixture.evaluate(`document.querySelector('#why-sum').textContent`));
  assert.equal(changes.reduce((all, change) => all + change, 0), sum);
  // Each bar begins or ends where the bar above it ends, within two pixels.
  const edges = await fixture.evaluate(`[...document.querySelectorAll('#why-table .change i')]
    .map((bar) => bar.getBoundingClientRect()).map((box) => [box.left, box.right])`);
  why.steps.forEach((step, i) => {
    const shared = edges[i + 1].some((x) => edges[i].some((y) => Math.abs(x - y) <= 2));
    assert.ok(shared, `bars ${i} and ${i + 1}: ${edges[i]} and ${edges[i + 1]}`);
  });
});

test('the tile map and the named layer follow the cycle through a network', async () => {
  const path = page_of(['run', 'lenet5', ...kTiny, '--engine', 'analytic']);
  const {layers, tiles} = checks.data_of(path);
  await fixture.open(path);
  const mapped = layers.filter((layer) => layer.tile_map !== null);
  assert.ok(mapped.length >= 5 && tiles.length >= 5);
  for (const layer of [...mapped, ...[...mapped].reverse()]) {
    const cycle = layer.begin + layer.cycles - 1;
    const [map, name] = await fixture.evaluate(`(weft.go_to(${cycle}), new Promise((done) =>
      setTimeout(() => done([weft.map, document.querySelector('#now-layer').textContent]), 60)))`);
    assert.equal(map, layer.tile_map, layer.name);
    assert.ok(name.includes(layer.name), `${name} in the cycles of ${layer.name}`);
  }
});

test('what is not all does not read as all', async () => {
  // On 2048 x 2048, layers of few columns make more than 99.95 % padding.
  await fixture.open(page_of(['run', 'lenet5', '--machine', 'tpu-v1', '--array.rows', '2048',
    '--array.cols', '2048', '--engine', 'analytic']));
  const figures = await fixture.evaluate(`document.querySelector('.figures').textContent`);
  assert.match(figures, /padding waste99\.9\s?%/);
  assert.match(figures, /all but .+ of .+ MACs/);
});

test('a program has a page too', async () => {
  const program = join(fixture.folder, 'p.weft');
  weft(['compile', '10', '9', '7', ...kTiny, '-o', program]);
  await checks.is_whole(fixture, page_of(['exec', program, ...kTiny]));
});

test('a node whose name is a script is text', async () => {
  const model = join(fixture.folder, 'attack.onnx');
  writeFileSync(model, matmul_model(kAttack, 6, 9, 7));
  const path = page_of(['run', model, ...kTiny]);
  await checks.is_whole(fixture, path);
  assert.ok(checks.data_of(path).layers.some((layer) => layer.name.includes(kAttack)));
  assert.equal(await fixture.evaluate('globalThis.attacked ?? 0'), 0);
  const table = await fixture.evaluate(`document.querySelector('#layers-table').textContent`);
  assert.ok(table.includes(kAttack), table);
});
