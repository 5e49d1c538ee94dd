// The drawing of the mapping shows which weights lie in which rows. The expected rows are counted by
// hand for the 4 x 4 array of `tiny`.
//
//   WEFT=build/dev/cli/weft node --test tests/page/mapping.test.mjs
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import * as checks from './checks.mjs';
import {weft} from './samples.mjs';

const fixture = browser_fixture();
const {evaluate} = fixture;
const kTiny = ['--machine', 'tiny'];
const kWide = ['--array.rows', '32', '--array.cols', '32', '--unified_buffer.kib', '256',
  '--accumulators.rows', '1024', '--engine', 'analytic'];

function page_of(words) {
  const path = join(fixture.folder, `${words.join('_').replaceAll('/', '_').slice(-80)}.html`);
  weft([...words, ...kTiny, '--html', path]);
  return path;
}

const conv_page = (channels, filters, ...options) => page_of(['conv', '--input',
  `1,${channels},6,6`, '--filters', String(filters), '--kernel', '3', ...options]);

/** What is drawn of each k tile: its texts, and for each box of weights its first row and its rows. */
const bars = () => evaluate(`[...document.querySelectorAll('.k-tile')].map((bar) => {
  const [zeros, ...boxes] = [...bar.querySelectorAll('rect:not(.edge)')]
    .map((box) => ({y: box.y.baseVal.value, height: box.height.baseVal.value,
      tint: (box.getAttribute('class').match(/tint-[0-9]/) || [''])[0]}));
  const row = (pixels) => Math.round(pixels / zeros.height * weft.data.report.machine.rows);
  return {texts: [...bar.querySelectorAll('text')].map((text) => text.textContent),
    rows: boxes.map((box) => [row(box.y - zeros.y), row(box.height)]),
    tints: boxes.map((box) => box.tint)};
})`);

/** The boxes of weights of the large drawing: first row, rows, first column, columns. */
const boxes = () => evaluate(`(() => {
  const drawing = document.querySelector('#array-rows');
  const zeros = drawing.querySelector('.zeros').getBBox();
  const {rows, cols} = weft.data.report.machine;
  const row = (pixels) => Math.round(pixels / zeros.height * rows);
  const col = (pixels) => Math.round(pixels / zeros.width * cols);
  return [...drawing.querySelectorAll('.rows')].map((node) => node.getBBox()).map((box) =>
    [row(box.y - zeros.y), row(box.height), col(box.x - zeros.x), col(box.width)]);
})()`);

const words = () => evaluate(`document.querySelector('#rows').textContent`);
const facts = async () => Object.fromEntries(await evaluate(
  `[...document.querySelectorAll('.mapping-facts tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent))`));

/** Goes to the first row of the k tile in the array. */
async function go_to_tile(k_tile, n_tile) {
  await evaluate(`(weft.go_to(weft.matmuls.find((each) => each.k_tile === ${k_tile} &&
    each.n_tile === ${n_tile}).begin), new Promise((done) => setTimeout(done, 100)))`);
}

test('taps apart: each tap has its own k tile', async () => {
  await fixture.open(conv_page(3, 6, '--taps', 'apart'));
  const drawn = await bars();
  assert.deepEqual(drawn.map(({texts}) => texts), [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) =>
    [`${Math.floor(i / 3)},${i % 3}`, String(i)]));
  for (const {rows} of drawn) assert.deepEqual(rows, [[0, 3]]);
  await go_to_tile(4, 0);
  assert.equal(await words(), 'K tile 4, n tile 0. Rows 0–2: tap 1,1, channels 0–2; row 3: zeros; ' +
    'columns 0–3: filters 0–3.');
  assert.deepEqual(await boxes(), [[0, 3, 0, 4]]);
  await go_to_tile(4, 1);
  assert.equal(await words(), 'K tile 4, n tile 1. Rows 0–2: tap 1,1, channels 0–2; row 3: zeros; ' +
    'columns 0–1: filters 4–5; columns 2–3: zeros.');
  assert.deepEqual(await boxes(), [[0, 3, 0, 2]]);
  const said = await facts();
  assert.equal(said['taps in a fold'], '1 of 9');
  assert.equal(said['rows used'], '3 of 4; 75.0 % of the rows of all k tiles');
  assert.equal(said['columns used'], '4 of 4; 2 in the last n tile');
  assert.equal(said.padding, '43.8 % of the issued MACs');  // 1 - 3/4 * 6/8
});

test('packed patches: a k tile goes on where the tile before it ended', async () => {
  await fixture.open(conv_page(3, 4, '--taps', 'packed'));
  const drawn = await bars();
  assert.equal(drawn.length, 7);  // 27 rows
  assert.deepEqual(drawn[0].rows, [[0, 4]]);
  assert.deepEqual(drawn[2].rows, [[0, 1], [1, 3]]);  // elements 8 to 11 of the window
  assert.deepEqual(drawn[6].rows, [[0, 3]]);
  assert.deepEqual(drawn[2].tints, ['tint-0', 'tint-1']);  // of the channels, also with one tap
  await go_to_tile(2, 0);
  assert.equal(await words(), 'K tile 2, n tile 0. Row 0: tap 2,2, channel 0; rows 1–3: ' +
    'taps 0,0 to 0,2, channel 1; columns 0–3: filters 0–3.');
  assert.deepEqual(await boxes(), [[0, 1, 0, 4], [1, 3, 0, 4]]);
  assert.equal((await facts())['taps in a fold'], '4 of 9');
});

// A chunk may have fewer rows than the mapping allows, since it ends with a line.
test('the rows of a chunk are those of the longest one', async () => {
  await fixture.open(conv_page(3, 4, '--pad', 'same'));
  const [chunks, rows] = (await facts()).chunks.match(/\d+/g).map(Number);
  assert.equal(chunks, Math.ceil(6 * 6 / rows));
});

test('groups are blocks on the diagonal', async () => {
  await fixture.open(conv_page(4, 4, '--groups', '2'));
  assert.deepEqual(await boxes(), [[0, 2, 0, 2], [2, 2, 2, 2]]);
  assert.match((await facts()).groups, /^2, each with 2 channels and 2 filters,/);
});

// Two lines of 8 x 8 pixels side by side: their 3 x 3 windows reach four lines, of which each result
// line sees three.
test('joined lines are bands, and zeros between them are no useful MACs', async () => {
  await fixture.open(page_of(['run', 'digits-cnn', ...kWide]));
  assert.match((await facts())['lines in a row'], /^filter f of line p of 2 is p × 16 \+ f;/);
  assert.deepEqual((await bars())[0].rows, [[0, 9], [3, 9]]);
  await go_to_tile(0, 0);
  assert.deepEqual(await boxes(), [[0, 9, 0, 16], [3, 9, 16, 16]]);
  assert.equal(await words(), 'K tile 0, n tile 0. Rows 0–8: taps 0,0 to 2,2, channel 0 for line 0 ' +
    'of the result; rows 3–11: taps 0,0 to 2,2, channel 0 for line 1 of the result; rows 12–31: ' +
    'zeros; columns 0–31: columns 0–31 of the result, 16\u00a0filters for each of 2 lines.');
  const said = await evaluate(`document.querySelector('#tiles .facts').textContent`);
  assert.match(said, /9\.22\u202fk useful MACs/);  // 64 pixels, 9 taps, 16 filters
  assert.match(await evaluate(`document.querySelector('#fold').textContent`),
    /: 288 of 32 × 32 PEs do useful work;/);  // 2 lines, 9 taps, 16 filters
  assert.match(said, /25\.0\u202f% of the weights within K and N are zeros between the taps of joined/);
});

// 144 channels are four slices of 32, and 16 channels in the last one. Its four lines begin every 32
// rows, as do those of the others.
test('channels in slices have all joined lines in one tile', async () => {
  const path = join(fixture.folder, 'slices.html');
  weft(['run', 'mobilenetv2', '--machine', 'tpu-v2', '--engine', 'analytic', '--html', path]);
  await fixture.open(path);
  await evaluate(`(weft.select_map(weft.data.tiles.findIndex(({name}) =>
    name === 'block3.depthwise.conv')), new Promise((done) => setTimeout(done, 300)))`);
  assert.match((await facts())['lines in a row'],
    /^channel c of line p of 4 is ⌊c \/ 32⌋ × 128 \+ p × 32 \+ c mod 32, filter f /);
  const rows = (await bars()).map((bar) => [...new Set(bar.rows.map(String))].sort());
  assert.deepEqual(rows[0], ['0,32', '32,32', '64,32', '96,32']);
  assert.deepEqual(rows[4], ['0,16', '32,16', '64,16', '96,16']);
  const drawn = await boxes();
  assert.equal(drawn.length, 9 * 32);  // lines 0 to 3 of the result meet 3, 3, 2 and 1 lines of it
  assert.deepEqual(drawn[0], [0, 1, 0, 1]);
});

// Rows 0-8 of columns 0-15 and rows 3-11 of columns 16-31, as above. K x N is 12 x 32.
test('the array marks the zeros between joined lines as padding', async () => {
  await fixture.open(page_of(['run', 'digits-cnn', ...kWide.slice(0, -1), 'fast']));
  await go_to_tile(0, 0);
  const padding = await evaluate(`(() => {
    const work = weft.work_on_diagonals(weft.cycle + 1, 63)[0];  // the first row, in PE(0,0)
    const everywhere = Array(63).fill(work);
    return d3.range(32).map((r) => d3.range(32).map((c) =>
      Number(weft.is_padding(everywhere, r, c))).join(''));
  })()`);
  const row = (left, right) => String(left).repeat(16) + String(right).repeat(16);
  assert.deepEqual(padding, [...Array(3).fill(row(0, 1)), ...Array(6).fill(row(0, 0)),
    ...Array(3).fill(row(1, 0)), ...Array(20).fill(row(1, 1))]);
});

test('the weights that are drawn, times the rows, are the useful MACs', async () => {
  const {tiles, mappings, report} = checks.data_of(page_of(['run', 'lenet5', ...kWide]));
  assert.ok(mappings.some(({lines_in, lines_out}) => lines_in === 2 && lines_out === 2));
  for (const map of tiles) {
    const [{rows}] = mappings[map.mapping].products;
    const weights = rows.row.reduce((sum, _, i) =>
      sum + rows.channels[i] * rows.taps[i] * rows.filters[i] / rows.blocks[i], 0);
    const layer = report.layers.find(({name}) => name === map.name);
    assert.equal(map.m * weights, layer.macs.useful, map.name);
    assert.equal(map.useful, layer.macs.useful, map.name);
  }
});

test('a tile of groups does the work of its blocks alone', async () => {
  await fixture.open(conv_page(4, 4, '--groups', '2'));
  await go_to_tile(0, 0);
  assert.match(await evaluate(`document.querySelector('#fold').textContent`),
    /: 8 of 4 × 4 PEs do useful work;/);
  assert.match(await evaluate(`document.querySelector('#tiles .facts').textContent`),
    /1\.15\u202fk useful MACs.* 50\.0\u202f% of the weights within K and N are zeros between groups\./);
});

test('of many k tiles the first and the last are drawn, with the number of the others', async () => {
  await fixture.open(page_of(['matmul', '5', '300', '4']));
  const drawn = await bars();
  assert.equal(drawn.length, 64);
  assert.deepEqual(drawn[55].texts, ['', '55']);
  assert.deepEqual(drawn[56].texts, ['', '67', '… 11 more …']);
  assert.deepEqual(drawn[63].texts, ['', '74']);
});

test('a click on a k tile goes to its first row in the array', async () => {
  await fixture.open(conv_page(3, 6, '--taps', 'apart'));
  await fixture.browser.click(`.k-tile[data-tile='5']`);
  await fixture.browser.wait_for(`document.querySelector('.k-tile.shown').dataset.tile === '5'`);
  assert.ok(await evaluate(`weft.matmuls.some((each) => each.begin === weft.cycle &&
    each.k_tile === 5)`));
});

test('the mapping of the chosen layer is shown, or the lanes of the vector unit', async () => {
  const path = page_of(['run', 'lenet5', '--engine', 'analytic']);
  const {layers} = checks.data_of(path);
  await fixture.open(path);
  for (const [order, layer] of [...layers.entries()].reverse()) {
    await fixture.browser.click(`tr[data-layer='${order}'] .row-button`);
    await evaluate('new Promise((done) => setTimeout(done, 100))');
    assert.equal(await evaluate(`document.querySelector('#mapping-name').textContent`), layer.name);
    assert.equal((await bars()).length > 0, layer.on === 'array', layer.name);
  }
  // s2 pools 6 channels on 4 lanes: two tiles, of which 6 of 8 lanes are used.
  const s2 = layers.findIndex(({name}) => name === 's2');
  await fixture.browser.click(`tr[data-layer='${s2}'] .row-button`);
  await evaluate('new Promise((done) => setTimeout(done, 100))');
  assert.equal((await facts()).lanes, '6 channels in 2 tiles of 4 lanes; 75.0 % of the lanes used');
});

test('equal layers share a drawing', async () => {
  const {tiles, mappings} = checks.data_of(page_of(['run', 'mlp0', '--engine', 'analytic']));
  assert.equal(tiles.length, 5);
  assert.equal(mappings.length, 1);
});

test('products that begin in other rows can be chosen', async () => {
  const data = checks.data_of(page_of(['matmul', '5', '2', '4']));
  const [mapping] = data.mappings;
  const [product] = mapping.products;
  mapping.products.push({...product, products: 3, rows: {...product.rows, row: [2]}});
  await checks.is_whole(fixture, fixture.write('products', data));
  assert.deepEqual((await bars()).map(({rows}) => rows), [[[0, 2]]]);
  await evaluate(`(() => {
    const select = document.querySelector('#product-choice');
    select.value = '1';
    select.dispatchEvent(new Event('change'));
  })()`);
  assert.deepEqual((await bars()).map(({rows}) => rows), [[[2, 2]]]);
});
