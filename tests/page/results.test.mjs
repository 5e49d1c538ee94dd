// The page of `weft compare A.json B.json`: figures and differences are those of the two reports,
// and lengths in A and B have one scale.
//
//   WEFT=build/dev/cli/weft node --test tests/page/results.test.mjs
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import * as checks from './checks.mjs';
import {kClasses, weft} from './samples.mjs';

const fixture = browser_fixture();
const {evaluate} = fixture;
const kAttack = '</script><script>globalThis.attacked = 1</script>';
const kTiny = ['--machine', 'tiny'];
const pages = {};
const reports = {};

function report(name, words) {
  const path = join(fixture.folder, `${name}.json`);
  weft([...words, '--quiet', '--json', path]);
  reports[name] = JSON.parse(readFileSync(path, 'utf8'));
  return path;
}

function page(name, a, b) {
  pages[name] = join(fixture.folder, `${name}.html`);
  weft(['compare', a, b, '--quiet', '--html', pages[name]]);
}

before(() => {
  const product = ['matmul', '20', '30', '17', ...kTiny];
  const slow = ['--memory.kind', 'shared', '--memory.gb_per_s', '0.5', '--clock_mhz', '250'];
  const a = report('a', product);
  page('products', a, report('b', [...product, ...slow]));
  page('same', a, a);
  page('shapes', a, report('c', ['matmul', '8', '8', '8', ...kTiny]));
  page('costs', report('d', [...product, '--energy', '45nm', '--price-per-hour', '2']),
    report('e', [...product, ...slow, '--energy', '28nm']));
  page('networks', report('n', ['run', 'lenet5', ...kTiny]),
    report('m', ['run', 'lenet5', ...kTiny, '--array.dtype', 'bf16']));
  const data = checks.data_of(pages.networks);
  data.title = kAttack;
  data.results.a.file = kAttack;
  data.results.a.workload = kAttack;
  data.results.layers[1].name = kAttack;
  data.results.machine_differences[0].a = kAttack;
  pages.hostile = fixture.write('hostile', data);
});

const number = (text) => Number(text.replace(/\u2212/g, '-').replace(/[^-0-9.]/g, ''));

const table_of = (id) => evaluate(`[...document.querySelectorAll('#${id} tbody tr')]
  .map((row) => [...row.cells].map((cell) => cell.textContent.trim()))`);

for (const name of ['products', 'same', 'shapes', 'networks', 'costs']) {
  test(`a page is whole, fits, and can be read in both themes: ${name}`, async () => {
    await fixture.open(pages[name]);
    const text = await evaluate('document.body.innerText');
    assert.doesNotMatch(text, /\b(NaN|undefined|Infinity|null)\b/);
    for (const width of [1280, 400]) await checks.fits(fixture.browser, width);
    await fixture.browser.resize(1280, 900);
    for (const theme of ['light', 'dark']) {
      await evaluate(`(weft.set_theme('${theme}'), 0)`);
      assert.deepEqual(await checks.weak_contrasts(fixture), [], theme);
    }
    const ids = await evaluate(
      `[...document.querySelectorAll('main > section')].map((section) => section.id)`);
    const wanted = ['runs', 'ledgers', 'traffic', 'machines'];
    if (name === 'costs') wanted.splice(3, 0, 'cost');
    assert.deepEqual(ids, name === 'networks' ? [...wanted, 'layers'] : wanted);
  });
}

test('cycles of each class stand with the difference and the change', async () => {
  await fixture.open(pages.products);
  const rows = await table_of('ledgers-table');
  assert.equal(rows.length, kClasses.length + 1);
  [...kClasses, 'total'].forEach((key, i) => {
    const [a, b] = [reports.a.cycles[key], reports.b.cycles[key]];
    assert.deepEqual(rows[i].slice(1, 4).map(number), [a, b, b - a], key);
    assert.equal(rows[i][3][0], b > a ? '+' : b < a ? '\u2212' : '0', key);
    if (a > 0) assert.ok(Math.abs(number(rows[i][4]) - 100 * (b - a) / a) <= 0.5, rows[i][4]);
    else assert.equal(rows[i][4], b > 0 ? '\u2013' : '0\u202f%');
  });
});

test('both runs are named, with machine and workload', async () => {
  await fixture.open(pages.shapes);
  const rows = Object.fromEntries((await table_of('runs-table')).map(([name, a, b]) =>
    [name, [a, b]]));
  assert.deepEqual(rows.workload, ['20 x 30 x 17', '8 x 8 x 8']);
  assert.ok(rows.machine.every((text) => text.startsWith('tiny: 4 × 4 PEs, int8, 100 MHz')));
  assert.deepEqual(rows.result.map((text) => text.split('/').at(-1)), ['a.json', 'c.json']);
  const notes = await evaluate(`document.querySelector('.notes').textContent`);
  assert.ok(notes.includes('The runs computed different things'), notes);
  await fixture.open(pages.products);
  assert.equal(await evaluate(`document.querySelectorAll('.notes').length`), 0);
});

test('the keys in which the machines differ are listed, if there are any', async () => {
  await fixture.open(pages.products);
  assert.deepEqual(await table_of('keys-table'), [['clock_mhz', '100', '250'],
    ['memory.kind', 'ideal', 'shared'],
    ['memory.gb_per_s', String(reports.a.machine.memory_gb_per_s), '0.5']]);
  await fixture.open(pages.same);
  assert.equal(await evaluate(`document.querySelectorAll('#keys-table').length`), 0);
  assert.match(await evaluate(`document.querySelector('#machines').textContent`), /do not differ/);
});

/** The pieces of both bars: which part, how long, and on which bar. */
const pieces = (section) => evaluate(`[...document.querySelectorAll('#${section} .pair-piece')]
  .map((node) => ({part: node.dataset.part, length: Number(node.getAttribute('width')) + 1,
    bar: Number(node.getAttribute('y')) > 0 ? 'b' : 'a'}))`);

/** Checks that all lengths are the values times one number. */
async function have_one_scale(section, value_of) {
  const all = await pieces(section);
  assert.ok(new Set(all.map(({bar}) => bar)).size === 2 && all.length > 3);
  const longest = all.reduce((best, each) => (each.length > best.length ? each : best));
  const scale = longest.length / value_of(longest.bar, longest.part);
  for (const {part, length, bar} of all) {
    const wanted = scale * value_of(bar, part);
    const most = Math.max(1.5, 0.01 * wanted);
    assert.ok(Math.abs(length - wanted) <= most, `${bar} ${part} ${length}`);
  }
}

test('the bars of both runs have one scale: cycles, time, bytes', async () => {
  await fixture.open(pages.products);
  await have_one_scale('ledgers', (run, key) => reports[run].cycles[key]);
  await have_one_scale('traffic', (run, key) => reports[run].traffic[key]);
  await evaluate(`(() => {
    const select = document.querySelector('#pair-scale');
    select.value = 'time';
    select.dispatchEvent(new Event('change'));
  })()`);
  await have_one_scale('ledgers',
    (run, key) => reports[run].cycles[key] / reports[run].machine.clock_mhz);
  await fixture.open(pages.shapes);  // with one clock, cycles and time are the same picture
  assert.equal(await evaluate(`document.querySelectorAll('#pair-scale').length`), 0);
});

test('energy, area and price are those of the reports, and a dash has its reason', async () => {
  await fixture.open(pages.costs);
  const rows = await table_of('cost-table');
  const sizes = {J: 1, mJ: 1e-3, µJ: 1e-6, nJ: 1e-9, pJ: 1e-12, fJ: 1e-15, W: 1, mW: 1e-3, µW: 1e-6,
    'mm²': 1};
  const physical = (text) => {
    const [digits, unit] = text.split('\u202f');
    return Number(digits) * sizes[unit];
  };
  const keys = [['joules', 1], ['watts', 1], ['pj_per_mac', 1e-12], ['array_mm2', 1]];
  assert.equal(rows.length, keys.length + 2);
  keys.forEach(([key, unit], i) => ['d', 'e'].forEach((run, at) => {
    const wanted = unit * reports[run].energy[key];
    const text = rows[i][1 + at];
    assert.ok(Math.abs(physical(text) / wanted - 1) < 0.006, `${key} ${text} ${wanted}`);
  }));
  assert.deepEqual(rows[4].slice(1), ['2', '\u2013', '\u2013', '\u2013']);
  assert.equal(Number(rows[5][1]), Number(reports.d.price.per_million.toPrecision(4)));
  const notes = await evaluate(`document.querySelector('#cost').textContent`);
  assert.ok(notes.includes('B has no price: its run was without --price-per-hour.'), notes);
  assert.ok(notes.includes("A has those of '45nm', B those of '28nm'"), notes);
});

test('layers stand side by side, with bars on one scale, and sort', async () => {
  await fixture.open(pages.networks);
  const {layers} = checks.data_of(pages.networks).results;
  const rows = await table_of('pair-layers-table');
  assert.equal(rows.length, layers.length);
  const of = (report, name) => reports[report].layers.find((layer) => layer.name === name)?.cycles;
  const text = (cycles) => (cycles ? cycles.total : NaN);
  rows.forEach(([, name, a, b, difference], i) => {
    assert.equal(name, layers[i].name);
    const [x, y] = [text(of('n', name)), text(of('m', name))];
    const shown = [a, b, difference].map((cell) => (cell === '\u2013' ? NaN : number(cell)));
    assert.deepEqual(shown, [x, y, y - x], name);
  });
  const widths = await evaluate(`[...document.querySelectorAll('.pair-bars')].map((cell) =>
    [...cell.children].map((bar) => parseFloat(bar.style.width) || 0))`);
  const longest = Math.max(...layers.flatMap(({a, b}) => [a, b].map((run) =>
    run?.cycles?.total ?? 0)));
  layers.forEach(({a, b}, i) => [a, b].forEach((run, k) => {
    const wanted = run?.cycles?.total ? Math.max(0.5, 100 * run.cycles.total / longest) : 0;
    assert.ok(Math.abs(widths[i][k] - wanted) < 0.01, layers[i].name);
  }));
  await fixture.browser.click('th[data-key=difference] button');
  const numbers = (await table_of('pair-layers-table')).map((row) => row[4])
    .filter((cell) => cell !== '\u2013').map(number);
  assert.deepEqual(numbers, [...numbers].sort((x, y) => y - x));
  assert.equal(await evaluate(
    `document.querySelector('th[data-key=difference]').getAttribute('aria-sort')`), 'descending');
});

test('each figure can be saved, under the names of both results', async () => {
  await fixture.open(pages.networks);
  assert.deepEqual(await evaluate('weft.figure_names()'), ['ledgers', 'traffic', 'layers']);
  assert.equal(await evaluate(`weft.figure_file('traffic', 'svg').then(({name}) => name)`),
    'compare-n-m-traffic.svg');
});

test('names are shown as text', async () => {
  await fixture.open(pages.hostile);
  assert.equal(await evaluate('globalThis.attacked ?? 0'), 0);
  assert.equal((await table_of('pair-layers-table'))[1][1], kAttack);
  assert.equal((await table_of('keys-table'))[0][1], kAttack);
});

// Runs last, since the tab key may move the focus out of the page.
test('every control can be reached with the tab key', async () => {
  await fixture.open(pages.networks);
  const kControls = 'button, a, select';
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
