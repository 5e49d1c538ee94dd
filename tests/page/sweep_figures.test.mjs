// The figures of the page of a sweep: what brushes select, the front and the heat map are what a
// count of the rows says.
//
//   WEFT=build/dev/cli/weft node --test tests/page/sweep_figures.test.mjs
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {command, front_of, inside, kMany, kTwelve, sweep_fixture} from './sweep_fixture.mjs';
import {kKeys} from './webdriver.mjs';

const fixture = sweep_fixture();
const {evaluate, pages, tables, sweep, shown_commands, shown_count, front, rowcount, drawn, brush_of,
  text_of, choose, in_view} = fixture;

before(() => {
  sweep('many', kMany);
  sweep('twelve', kTwelve);
  // 128^3 multiply-accumulates on 9 to 25 PEs: between 80,000 and 300,000 cycles.
  sweep('long', ['matmul', '128', '128', '128', '--machine', 'tiny', '--array.rows', '3,4,5',
    '--array.cols', '3,4,5']);
});

/** Drags along an axis, from one share of its length (0: top) to another. */
async function drag(name, from, to) {
  const [x, top, bottom] = await evaluate(`(() => {
    const strip = document.querySelector('.strip[data-column="${name}"]');
    strip.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = strip.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + 62, box.bottom - 20];
  })()`);
  const at = (share) => top + share * (bottom - top);
  await fixture.browser.pointer([['move', x, at(from)], ['down'], ['move', x, at((from + to) / 2)],
    ['move', x, at(to)], ['up']]);
  await drawn();
}

// --- Brushes -------------------------------------------------------------------------------------

test('brushes by drag select exactly the points within them, in every view', async () => {
  await fixture.open(pages.many);
  const all = tables.many;
  await drag('time_s', 0.95, 0.4);
  const time = await brush_of('time_s');
  const in_time = all.filter((row) => inside(row, 'time_s', time));
  assert.ok(in_time.length > 100 && in_time.length < all.length, `${in_time.length}`);
  assert.deepEqual((await shown_commands()).sort(), in_time.map(command).sort());
  await drag('array_rows', 0.5, 0.1);
  const rows = await brush_of('array_rows');
  const both = in_time.filter((row) => inside(row, 'array_rows', rows));
  assert.ok(both.length > 20 && both.length < in_time.length, `${both.length}`);
  assert.deepEqual((await shown_commands()).sort(), both.map(command).sort());
  assert.equal(await rowcount('points-table'), both.length);
  assert.equal(await text_of('#points-count'),
    `${both.length.toLocaleString('en')} of 10,000\u00a0points`);
  const cells = await evaluate('weft.heat_cells()');
  assert.equal(cells.reduce((sum, {many}) => sum + many, 0), both.length);
  const [x, y] = await evaluate(`weft.points.weighed.map(({name}) => name)`);
  const found = await front();
  assert.deepEqual(found, front_of(both, x, y).map((row) => [row[x], row[y]]));
  assert.ok(found.length > 1);
  assert.match(await evaluate(
    `document.querySelector('#parallel-canvas').getAttribute('aria-label')`),
  new RegExp(`^${both.length.toLocaleString('en')}\u00a0lines`));
  // Moving a brush keeps its length on the axis; a click on the axis removes it.
  await drag('array_rows', 0.3, 0.45);
  const moved = await brush_of('array_rows');
  assert.ok(moved[0] < rows[0] && moved[1] < rows[1], `${rows} ${moved}`);
  assert.equal(await shown_count(), in_time.filter((row) => inside(row, 'array_rows', moved)).length);
  await drag('array_rows', 0.99, 0.99);
  assert.equal(await brush_of('array_rows'), null);
  assert.equal(await shown_count(), in_time.length);
  await fixture.browser.click('#brush-clear');
  assert.equal(await shown_count(), all.length);
});

test('a brush up to the end of an axis holds the last value, which has more digits', async () => {
  await fixture.open(pages.many);
  const shares = tables.many.map((row) => Number(row.share_of_bound));
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  assert.ok(most !== Number(most.toPrecision(4)) && least !== Number(least.toPrecision(4)));
  await drag('share_of_bound', 0.5, 0);
  assert.equal((await brush_of('share_of_bound'))[1], most);
  assert.ok((await shown_count()) > 0);
  await fixture.browser.click('#brush-clear');
  await drag('share_of_bound', 0.5, 1);
  assert.equal((await brush_of('share_of_bound'))[0], least);
});

test('brushes can be typed, and set by keys', async () => {
  await fixture.open(pages.many);
  await choose('#brush-column', 'cycles');
  await fixture.browser.type('#brush-low', '100');
  await fixture.browser.type('#brush-high', '200');
  await fixture.browser.click('#brush-set');
  const typed = tables.many.filter((row) => inside(row, 'cycles', [100, 200]));
  assert.ok(typed.some((row) => row.cycles === '200') && typed.some((row) => row.cycles === '100'));
  assert.equal(await shown_count(), typed.length);
  await evaluate(`document.querySelector('.strip[data-column="clock_mhz"]').focus()`);
  await fixture.browser.press([kKeys.up, kKeys.up, kKeys.up]);
  const clock = await brush_of('clock_mhz');
  assert.ok(clock[0] > 100 && clock[1] === 1000, clock);
  assert.equal(await shown_count(), typed.filter((row) => inside(row, 'clock_mhz', clock)).length);
  await drawn();
  assert.equal(await evaluate(`document.activeElement.getAttribute('aria-valuetext')`),
    `${clock[0]} to 1,000`);
  await fixture.browser.press(['\uE00C']);  // Escape
  assert.equal(await shown_count(), typed.length);
  await fixture.browser.click('.drop[data-column=cycles]');
  assert.equal(await shown_count(), 10000);
});

test('a chip keeps its focus while another brush moves', async () => {
  await fixture.open(pages.many);
  const texts = () => evaluate(
    `[...document.querySelectorAll('.chip')].map((chip) => chip.firstChild.textContent)`);
  await evaluate(`['array_rows', 'array_cols', 'cycles'].forEach((name) =>
    weft.set_brush(name, 2, 1000))`);
  await drawn();
  const [rows, cols, cycles] = await texts();
  assert.deepEqual([rows, cols, cycles].map((text) => text.endsWith(': 2 to 1,000')),
    [true, true, true], `${rows}, ${cols}, ${cycles}`);
  await evaluate(`document.querySelector('.drop[data-column=cycles]').focus()`);
  await evaluate(`weft.set_brush('array_cols', 3, 1000)`);
  await drawn();
  assert.deepEqual(await texts(), [rows, cols.replace('2 to', '3 to'), cycles]);
  assert.equal(await evaluate('document.activeElement.dataset.column'), 'cycles');
  await evaluate(`weft.drop_brush('array_rows')`);
  await drawn();
  assert.deepEqual(await texts(), [cols.replace('2 to', '3 to'), cycles]);
  assert.equal(await evaluate('document.activeElement.dataset.column'), 'cycles');
});

test('a brush on names selects names', async () => {
  await fixture.open(pages.twelve);
  await choose('#brush-column', 'memory_kind');
  await choose('#brush-low', '1');
  await choose('#brush-high', '1');
  await fixture.browser.click('#brush-set');
  const shared = tables.twelve.filter((row) => row.memory_kind === 'shared');
  assert.equal(shared.length, 6);
  assert.deepEqual((await shown_commands()).sort(), shared.map(command).sort());
});

// --- Axes ----------------------------------------------------------------------------------------

const kSizes = {'': 1, 'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12, 'P': 1e15, 'm': 1e-3, 'µ': 1e-6,
  'n': 1e-9, 'p': 1e-12};

/** The number that a label shows: "12.8 k", "1.5 µs", "2,000". */
function labeled(text) {
  const found = /^([-\u2212\d.,]+(?:e[-+]?\d+)?)(?:\u202f([kMGTPmµnp]?)(?:s|J|W)?)?$/.exec(text);
  assert.ok(found, text);
  return Number(found[1].replace(/,/g, '').replace('\u2212', '-')) * kSizes[found[2] ?? ''];
}

test('the labels of any axis are its values, and increase', async () => {
  await fixture.open(pages.twelve);
  const domains = [[0, 400000], [78000, 300000], [100000, 100900], [1e6, 2.5e6], [9000, 21000],
    [1, 300], [1, 1e9], [0.97, 0.98], [2e-5, 1e-4], [3e-4, 3.1e-4], [1e3, 9e3], [1e10, 1.2e10]];
  for (const label of ['cycles', 'time, s', 'energy, J']) {
    for (const domain of domains) {
      const ticks = await evaluate(`(() => {
        const column = {label: '${label}', words: null, asked: false,
          values: ${JSON.stringify(domain)}};
        const scale = weft.column_scale(column, [0, 1], [0, 600], {most: 7});
        return scale.ticks.map((tick) => [tick, scale.text(tick)]);
      })()`);
      assert.ok(ticks.length > 1, `${label} ${domain}`);
      ticks.forEach(([tick, text], i) => {
        assert.ok(Math.abs(labeled(text) - tick) <= 0.005 * tick, `${label} ${tick}: ${text}`);
        if (i) assert.ok(labeled(text) > labeled(ticks[i - 1][1]), `${label} ${ticks}`);
      });
    }
  }
});

test('the values that were asked for are labeled in full', async () => {
  await fixture.open(pages.twelve);
  const texts = await evaluate(`(() => {
    const column = {label: 'unified buffer, KiB', words: null, asked: true,
      values: [1024, 8192, 16384, 24576]};
    const scale = weft.column_scale(column, [0, 1, 2, 3], [0, 600]);
    return scale.ticks.map((tick) => scale.text(tick));
  })()`);
  assert.deepEqual(texts, ['1,024', '8,192', '16,384', '24,576']);
});

test('the labels below the front increase from the least to the most cycles', async () => {
  await fixture.open(pages.long);
  const cycles = tables.long.map((row) => Number(row.cycles));
  assert.ok(Math.min(...cycles) < 150000 && Math.max(...cycles) > 200000, cycles);
  await choose('#front-x', 'cycles');
  const svg = await evaluate(`weft.figure_file('front', 'svg').then(({blob}) => blob.text())`);
  const texts = [...svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(([, attributes, text]) =>
    ({text, y: Number(/\by="([^"]*)"/.exec(attributes)[1])}));
  const row_of = (y) => texts.filter((each) => each.y === y);
  const lowest = Math.max(...texts.map(({y}) => y).filter((y) => row_of(y).length > 1));
  const below = row_of(lowest).map(({text}) => labeled(text));
  assert.ok(below.length > 3, `${below}`);
  assert.deepEqual(below, [...new Set(below)].sort((a, b) => a - b));
  assert.ok(below[0] >= 50000 && below.at(-1) <= 400000, `${below}`);
});

test('the figures of --front are among the first axes and columns', async () => {
  for (const front of ['cycles,area', 'area,share', 'macs,bandwidth']) {
    const page = fixture.report_page('twelve', ['--front', front]);
    await fixture.open(page);
    const wanted = await evaluate('weft.data.points.front');
    assert.equal(wanted.length, 2);
    const axes = await evaluate(
      `[...document.querySelectorAll('.strip')].map((strip) => strip.dataset.column)`);
    const columns = await evaluate(
      `[...document.querySelectorAll('#points-table th')].map((head) => head.dataset.key)`);
    for (const name of wanted) {
      assert.ok(axes.includes(name), `${front}: ${axes}`);
      assert.ok(columns.includes(name), `${front}: ${columns}`);
    }
  }
});

// --- Figures -------------------------------------------------------------------------------------

test('the front of any two figures is that of a search over all pairs', async () => {
  await fixture.open(pages.many);
  const signs = {cycles: 1, time_s: 1, memory_gb_per_s: 1, unified_buffer_kib: 1, peak_macs: 1,
    share_of_bound: -1, energy_j: 1};
  const offered = await evaluate(`[...document.querySelector('#front-x').options]
    .map(({value}) => value)`);
  assert.ok(Object.keys(signs).every((name) => offered.includes(name)), offered);
  for (const [x, y] of [['time_s', 'memory_gb_per_s'], ['peak_macs', 'share_of_bound'],
    ['share_of_bound', 'cycles'], ['unified_buffer_kib', 'time_s'], ['energy_j', 'peak_macs']]) {
    await choose('#front-x', x);
    await choose('#front-y', y);
    const found = await front();
    assert.deepEqual(found, front_of(tables.many, x, y, [signs[x], signs[y]])
      .map((row) => [row[x], row[y]]), `${x} ${y}`);
    assert.ok((await text_of('#front-words')).startsWith(
      `${found.length}\u00a0point${found.length === 1 ? '' : 's'} on the front`));
  }
});

test('a cell of the heat map has the best of its points, and says how many there are', async () => {
  await fixture.open(pages.many);
  await choose('#heat-x', 'memory_gb_per_s');
  await choose('#heat-y', 'array_cols');
  for (const [figure, best] of [['time_s', Math.min], ['share_of_bound', Math.max]]) {
    await choose('#heat-figure', figure);
    const cells = await evaluate('weft.heat_cells()');
    assert.equal(cells.length, 100);
    for (const cell of cells) {
      const rows = tables.many.filter((row) => row.memory_gb_per_s === cell.x &&
        row.array_cols === cell.y);
      assert.equal(cell.many, rows.length);
      assert.equal(cell.value, best(...rows.map((row) => Number(row[figure]))));
    }
  }
  assert.match(await text_of('#heat-words'),
    /^100\u00a0cells of 100 have points. A cell with several points shows the best; one has up to 100.$/);
});

test('keys go along the front and through the heat map', async () => {
  await fixture.open(pages.many);
  const of_front = await evaluate('weft.points.front.map((row) => weft.points.command(row))');
  await evaluate(`document.querySelector('#front-canvas').focus()`);
  for (const [key, at] of [[kKeys.right, 0], [kKeys.right, 1], [kKeys.right, 2], [kKeys.left, 1]]) {
    await fixture.browser.press([key]);
    assert.equal(await text_of('#chosen-command'), of_front[at]);
  }
  await evaluate(`document.querySelector('#heat-canvas').focus()`);
  await fixture.browser.press([kKeys.right, kKeys.down, kKeys.enter]);
  assert.match(await text_of('#heat-cell'), /^clock_mhz 200, array_rows 2: time, s: .* best of 100/);
  assert.match(await text_of('#chosen-command'), /--clock_mhz 200 --array.rows 2 /);
});

test('the pointer tells of a point, and a click chooses it', async () => {
  await fixture.open(pages.twelve);
  await evaluate(`document.querySelector('#front-canvas').scrollIntoView({block: 'center'})`);
  // The least time lies at the left end of the axis, and the most units at the top.
  await choose('#front-y', 'peak_macs');
  const [x, y] = await evaluate(`(() => {
    const box = document.querySelector('#front-canvas').getBoundingClientRect();
    return [box.left + 78, box.top + 44];
  })()`);
  await fixture.browser.pointer([['move', x, y], ['down'], ['up']]);
  const [best] = [...tables.twelve].sort((a, b) => a.time_s - b.time_s);
  assert.equal(await text_of('#chosen-command'), best.command);
  assert.match(await text_of('#tip'), new RegExp(`clock_mhz ${best.clock_mhz}.*array_rows 8`));
});

test('axes and columns can be chosen', async () => {
  await fixture.open(pages.twelve);
  await evaluate(`weft.set_brush('time_s', 0, 5e-7)`);
  await fixture.browser.click('#columns summary');
  const box = (name) => `#columns input[value="${name}"]`;
  await fixture.browser.click(box('time_s'));
  assert.equal(await evaluate(`document.querySelectorAll('.strip[data-column="time_s"]').length`), 0);
  assert.equal(await shown_count(), 12);  // a brush goes with its axis
  await fixture.browser.click(box('utilization'));
  assert.equal(await evaluate(
    `document.querySelectorAll('.strip[data-column="utilization"]').length`), 1);
  await drawn();
  assert.equal((await in_view('utilization')).length, 12);
  assert.equal((await evaluate(`document.querySelector('#points-table').textContent`))
    .includes('time, s'), false);
});
