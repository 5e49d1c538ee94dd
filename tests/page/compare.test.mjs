// The page of `weft compare`: table and charts show what its data says, in any theme and width, by
// pointer and by key.
//
//   WEFT=build/dev/cli/weft node --test tests/page/compare.test.mjs
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import * as checks from './checks.mjs';
import {weft} from './samples.mjs';
import {kKeys} from './webdriver.mjs';

const fixture = browser_fixture();
const {evaluate} = fixture;
const kAttack = '</script><script>globalThis.attacked = 1</script>';
let single, curves, hostile, gaps, steep, flat, costs, imported;

/** Makes the command write the page of `words` and returns its path. */
function page_of(name, words) {
  const path = join(fixture.folder, `${name}.html`);
  weft(['compare', ...words, '--quiet', '--html', path]);
  return path;
}

const example = (name) => new URL(`../../examples/imports/${name}`, import.meta.url).pathname;

/** Empties the results of the first row and all figures of the second; drops measured rows. */
function without_figures(data) {
  const figures = ['seconds', 'cycles', 'tflops', 'share_of_peak', 'waste', 'max_abs_error'];
  data.compare.rows = data.compare.rows.filter((row) => row.kind !== 'measured');
  for (const name of figures) data.compare.rows[0][name] = null;
  for (const name of [...figures, 'clock_hz', 'peak_tflops']) data.compare.rows[1][name] = null;
  return data;
}

/** Keeps few sizes, empties one figure, and spreads speeds over more than a power of ten. */
function over_decades(data) {
  const {compare} = data;
  compare.sweep.sizes = compare.sweep.sizes.slice(0, 4);
  compare.rows = compare.rows.slice(0, 12);
  compare.rows[0].tflops = null;
  compare.rows[1].tflops *= 100;
  return data;
}

function within_a_decade(data) {
  data.compare.rows.forEach((row, i) => { row.tflops = 20 + i; });
  return data;
}

before(() => {
  single = page_of('single', ['matmul', '100', '90', '70', '--with',
    'tiny,tpu-v2,cpu,titan-rtx,a100:tf32,h100']);
  curves = page_of('curves', ['matmul', '256', '256', '1', '--with', 'tpu-v2,a100,titan-rtx',
    '--sweep', 'n=64..320:16']);
  costs = page_of('costs', ['matmul', '100', '90', '70', '--with', 'tpu-v1,a100', '--energy', 'own',
    '--price-per-hour', '1.25,3']);
  imported = page_of('imported', ['lenet5', '--with', 'titan-rtx,tpu-v2', '--measured',
    example('lenet5_trace.json.gz'), '--measured', example('lenet5_cpu.csv')]);
  const data = checks.data_of(single);
  data.title = kAttack;
  data.compare.rows[0].device = kAttack;
  data.compare.rows[0].basis = kAttack;
  hostile = fixture.write('hostile', data);
  flat = fixture.write('flat', within_a_decade(checks.data_of(curves)));
  gaps = fixture.write('gaps', without_figures(checks.data_of(single)));
  steep = fixture.write('steep', over_decades(checks.data_of(curves)));
});

const cells = () => evaluate(`[...document.querySelectorAll('#compare-table tbody tr')]
  .map((row) => [...row.cells].map((cell) => cell.textContent.trim()))`);

/** The rows that the table must show, from the data alone. */
const tera = (value) => (value >= 999.5 ? String(Math.round(value))
  : String(Number(value.toPrecision(3))));
const expected = (rows) => rows.map((row) => [row.device, row.kind, row.dtype, tera(row.tflops)]);
const shown = async () => (await cells()).map((row) =>
  [row[0], row[1], row[2], row[6].replace(/\s/g, '')]);

for (const [name, page] of [['single', () => single], ['curves', () => curves],
  ['costs', () => costs], ['imported', () => imported]]) {
  test(`a page is whole and fits: ${name}`, async () => {
    await fixture.open(page());
    const text = await evaluate('document.body.innerText');
    assert.doesNotMatch(text, /\b(NaN|undefined|Infinity|null)\b/);
    for (const width of [1280, 400]) await checks.fits(fixture.browser, width);
    await fixture.browser.resize(1280, 900);
  });

  test(`text stands out from its ground in both themes: ${name}`, async () => {
    await fixture.open(page());
    for (const theme of ['light', 'dark']) {
      await evaluate(`(weft.set_theme('${theme}'), 0)`);
      assert.deepEqual(await checks.weak_contrasts(fixture), [], theme);
    }
  });
}

test('the table has a row for each device, as the data has it', async () => {
  await fixture.open(single);
  const {rows} = checks.data_of(single).compare;
  assert.equal(rows.length, 6);
  assert.deepEqual(await shown(), expected(rows));
  assert.deepEqual(new Set(rows.map((row) => row.kind)),
    new Set(['simulated', 'measured', 'modelled']));
  const bases = await evaluate(`document.querySelector('.bases').textContent`);
  for (const row of rows) assert.ok(bases.includes(row.basis), row.basis);
});

test('each device has a mark of its kind, and words for who does not see it', async () => {
  await fixture.open(single);
  const {rows} = checks.data_of(single).compare;
  const marks = await evaluate(`[...document.querySelectorAll('.device-mark')].map((mark) =>
    [mark.getAttribute('fill'), mark.getAttribute('d'), mark.getAttribute('aria-label')])`);
  assert.equal(marks.length, rows.length);
  const looks = new Map();
  rows.forEach((row, i) => {
    const [color, shape, label] = marks[i];
    assert.ok(label.startsWith(`${row.device}, ${row.kind}, ${row.dtype}`), label);
    assert.deepEqual(looks.get(row.kind) ?? [color, shape], [color, shape]);
    looks.set(row.kind, [color, shape]);
  });
  for (const at of [0, 1]) {
    assert.equal(new Set([...looks.values()].map((look) => look[at])).size, 3);
  }
  // Focus again each time, since a drawing for another width may replace the first one.
  await fixture.browser.wait_for(`(document.querySelectorAll('.device-mark')[2].focus(),
    document.querySelector('#tip').textContent.includes('cpu, measured, fp32'))`);
});

test('a mark stands where its speed is, left of its peak', async () => {
  await fixture.open(single);
  const {rows} = checks.data_of(single).compare;
  const at = await evaluate(`[...document.querySelectorAll('.device-mark')].map((mark) =>
    Number(/translate\\(([-0-9.]+)/.exec(mark.getAttribute('transform'))[1]))`);
  const order = (values) => values.map((value, i) => i).sort((a, b) => values[a] - values[b]);
  assert.deepEqual(order(at), order(rows.map((row) => row.tflops)));
  const peaks = await evaluate(`[...document.querySelectorAll('.to-peak')].map((line) =>
    Number(line.getAttribute('x2')) - Number(line.getAttribute('x1')))`);
  assert.equal(peaks.length, rows.length);
  for (const length of peaks) assert.ok(length >= 0, length);
});

test('what a row does not have is a dash, and draws nothing', async () => {
  await fixture.open(gaps);
  const rows = await cells();
  for (const at of [3, 4, 6, 8, 9, 10]) assert.equal(rows[0][at], '\u2013', `column ${at}`);
  for (let at = 3; at < 11; ++at) assert.equal(rows[1][at], '\u2013', `column ${at}`);
  assert.equal(await evaluate(`document.querySelectorAll('.device-mark').length`), rows.length - 2);
  assert.equal(await evaluate(`document.querySelectorAll('.peak-mark').length`), rows.length - 1);
  assert.equal(await evaluate(`document.querySelectorAll('.to-peak').length`), rows.length - 2);
  const text = await evaluate('document.body.innerText');
  assert.doesNotMatch(text, /\b(NaN|undefined|Infinity|null)\b/);
  await fixture.browser.click('th[data-key=tflops] button');
  const last = (await cells()).slice(-2).map((row) => row[6]);
  assert.deepEqual(last, ['\u2013', '\u2013']);
});

test('energy, power, area and price stand in the last columns', async () => {
  await fixture.open(costs);
  const {rows} = checks.data_of(costs).compare;
  const shown_cells = (await cells()).map((row) => row.slice(-4));
  assert.equal(shown_cells[0][2], `${rows[0].array_mm2.toPrecision(3)}\u202fmm²`);
  assert.deepEqual(shown_cells[1].slice(1, 3), ['400\u202fW', '\u2013']);
  ['1.25', '3'].forEach((price, i) => {
    const wanted = rows[i].seconds * price * 1e6 / 3600;
    const [digits, rest] = shown_cells[i][3].split(' at ');
    assert.equal(rest, `${price} an hour`);
    assert.ok(Math.abs(digits / wanted - 1) < 0.001, `${shown_cells[i][3]} ${wanted}`);
  });
  await fixture.open(single);
  assert.equal((await cells())[0].length, 11);
});

test('kinds stand apart, in the chart and in the table until it is sorted', async () => {
  await fixture.open(imported);
  const kinds = (await cells()).map((row) => row[1]);
  assert.deepEqual(kinds, ['simulated', 'imported', 'imported', 'modelled']);
  const begins = () => evaluate(`[...document.querySelectorAll('#compare-table tbody tr')]
    .map((row) => row.classList.contains('begins-kind'))`);
  assert.deepEqual(await begins(), [false, true, false, true]);
  assert.equal(await evaluate(`document.querySelectorAll('.kind-line').length`), 2);
  await fixture.browser.click('th[data-key=tflops] button');
  assert.deepEqual(await begins(), [false, false, false, false]);
});

test('the page shows how much of a file matched, and what did not', async () => {
  await fixture.open(imported);
  const {imports} = checks.data_of(imported).compare;
  const words = await evaluate(`[...document.querySelectorAll('.matched-words')]
    .map((each) => each.textContent)`);
  assert.equal(words.length, 2);
  assert.match(words[0], /77\.2.% of its 143.µs matched/);
  assert.match(words[1], /100\.0.% of its/);
  const widths = await evaluate(`[...document.querySelectorAll('.matched-share')].map((bar) =>
    bar.firstChild.getBoundingClientRect().width / bar.clientWidth)`);
  imports.forEach((file, i) =>
    assert.ok(Math.abs(widths[i] - file.matched_seconds / file.seconds) < 0.01, widths[i]));
  const listed = await evaluate(`[...document.querySelectorAll('.unmatched tbody tr')]
    .map((row) => row.cells[0].textContent)`);
  assert.deepEqual(listed, imports[0].unmatched.map(({name}) => name));
  await fixture.open(single);
  assert.equal(await evaluate(`document.querySelector('#imports')`), null);
});

test('a report that was read shows what its files had, and rows without a name a dash', async () => {
  const csv = join(fixture.folder, 'unnamed.csv');
  writeFileSync(csv, 'shape,seconds\n64x96x32,1\n64x96x33,3\n');
  const report = join(fixture.folder, 'unnamed.json');
  weft(['compare', 'matmul', '64', '96', '32', '--with', 'a100', '--measured', csv, '--quiet',
    '--json', report]);
  await fixture.open(page_of('recorded', [report]));
  const words = await evaluate(`[...document.querySelectorAll('.matched-words')]
    .map((each) => each.textContent)`);
  assert.equal(words.length, 2);
  assert.match(words[0], /100\.0.% of the 1\.00.s of its imported rows matched\.$/);
  assert.match(words[1], /25\.0.% of its 4\.00.s matched\. Recorded in .*unnamed\.json\.$/);
  const listed = await evaluate(`[...document.querySelectorAll('.unmatched tbody tr')]
    .map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent))`);
  assert.deepEqual(listed, [['\u2013', '64x96x33']]);
});

test('the legend has the kinds that occur, the peak a digit more than the speed', async () => {
  const legend = () => evaluate(`document.querySelector('.legend').textContent`);
  await fixture.open(single);
  assert.match(await legend(), /simulated.*measured.*modelled/);
  const titan = (await cells()).find((row) => row[0] === 'titan-rtx');
  assert.equal(titan[7], '130.5');
  await fixture.open(gaps);
  assert.doesNotMatch(await legend(), /measured/);
});

test('nothing stands where a page has no figures and one section', async () => {
  for (const page of [single, gaps]) {
    await fixture.open(page);
    assert.equal(await evaluate(`document.querySelectorAll('.figures, #contents').length`), 0);
  }
});

test('the axes of curves suit what they show', async () => {
  const ticks = (axis) => evaluate(`[...document.querySelectorAll(
    '#curves .axis:nth-of-type(${axis}) .tick text')].map((tick) => tick.textContent)`);
  const name = () => evaluate(`document.querySelector('#curves .axis-name').textContent`);
  await fixture.open(flat);
  assert.equal(await name(), 'TFLOP/s');
  assert.equal((await ticks(2))[0], '0');
  assert.ok((await ticks(1)).length < checks.data_of(flat).compare.sweep.sizes.length);
  await fixture.open(steep);
  assert.equal(await name(), 'TFLOP/s, logarithmic');
  assert.deepEqual(await ticks(1), ['64', '80', '96', '112']);
  assert.equal(await evaluate(`document.querySelectorAll('.dot').length`), 11);
});

test('headings sort, up and down, by click and by key', async () => {
  await fixture.open(single);
  const {rows} = checks.data_of(single).compare;
  await fixture.browser.click('th[data-key=tflops] button');
  const down = [...rows].sort((a, b) => b.tflops - a.tflops);
  assert.deepEqual(await shown(), expected(down));
  await fixture.browser.press([kKeys.enter]);
  assert.deepEqual(await shown(), expected(down.reverse()));
  assert.equal(await evaluate(
    `document.querySelector('th[data-key=tflops]').getAttribute('aria-sort')`), 'ascending');
});

test('a sweep has a curve for each device, and the table follows the cursor', async () => {
  await fixture.open(curves);
  const {rows, sweep} = checks.data_of(curves).compare;
  assert.equal(rows.length, 3 * sweep.sizes.length);
  const drawn = await evaluate(`[...document.querySelectorAll('.curve')].map((curve) =>
    [curve.getAttribute('stroke'), curve.getAttribute('stroke-dasharray')])`);
  assert.equal(drawn.length, 3);
  for (const at of [0, 1]) assert.equal(new Set(drawn.map((curve) => curve[at])).size, 3);
  assert.equal(await evaluate(`document.querySelectorAll('.dot').length`), rows.length);
  await evaluate(`document.querySelector('#curves').focus()`);
  for (const [key, size] of [['\uE011', 64], [kKeys.right, 80], ['\uE010', 320]]) {
    await fixture.browser.press([key]);
    assert.equal(await evaluate(`document.querySelector('#chosen-size').textContent`),
      `N = ${size}`);
    assert.deepEqual(await shown(), expected(rows.filter((row) => row.shape.n === size)));
    assert.equal(await evaluate(
      `document.querySelector('#curves').getAttribute('aria-valuenow')`), String(size));
  }
});

test('a click chooses the nearest size', async () => {
  await fixture.open(curves);
  await fixture.browser.click('#curves');
  const text = await evaluate(`document.querySelector('#chosen-size').textContent`);
  const size = Number(/^N = (\d+)$/.exec(text)[1]);
  assert.ok(Math.abs(size - 192) <= 32, text);
});

test('names are shown as text', async () => {
  await fixture.open(hostile);
  assert.equal(await evaluate('globalThis.attacked ?? 0'), 0);
  assert.equal((await cells())[0][0], kAttack);
});

// These tests run last, since the tab key may move the focus out of the page.
for (const [name, page] of [['single', () => single], ['curves', () => curves]]) {
  test(`every control can be reached with the tab key: ${name}`, async () => {
    await fixture.open(page());
    const kControls = 'button, a, [tabindex]';
    const wanted = await evaluate(`[...document.querySelectorAll('${kControls}')]
      .filter((node) => node.checkVisibility()).length`);
    const reached = new Set();
    for (let i = 0; i < wanted + 5; ++i) {
      await fixture.browser.press(['\uE004']);
      const at = await evaluate(`[...document.querySelectorAll('${kControls}')]
        .indexOf(document.activeElement)`);
      if (at >= 0) reached.add(at);
    }
    assert.equal(reached.size, wanted);
  });
}
