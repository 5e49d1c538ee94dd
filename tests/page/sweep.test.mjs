// The page of a sweep: its data, tables and workloads. Its figures are in sweep_figures.test.mjs.
//
//   WEFT=build/dev/cli/weft node --test tests/page/sweep.test.mjs
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {before, test} from 'node:test';

import * as checks from './checks.mjs';
import {command, front_of, kMany, kProduct, kTwelve, sweep_fixture} from './sweep_fixture.mjs';

const fixture = sweep_fixture();
const {evaluate, pages, tables, sweep, shown_commands, front, rowcount, drawn, text_of, choose,
  in_view} = fixture;
const kAttack = '</script><script>globalThis.attacked = 1</script>';

before(() => {
  sweep('many', kMany);
  sweep('works', ['matmul', '8,16', '8', '8', '--machine', 'tiny', '--array.rows', '2,4',
    '--array.cols', '2,3,512', '--unified_buffer.kib', '1'],
  ['lenet5', '--machine', 'tiny', '--batch', '1,8', '--clock_mhz', '100,200', '--optimize', '0']);
  sweep('twelve', kTwelve);
  sweep('one', kProduct);
  sweep('failed', [...kProduct, '--array.cols', '512..600', '--unified_buffer.kib', '1']);
  const data = checks.data_of(pages.works);
  data.title = kAttack;
  data.points.work.words = data.points.work.words.map(() => kAttack);
  for (const column of data.points.columns) {
    if (column.name === 'error') column.words = column.words.map((word) => word && kAttack);
    if (column.name === 'machine_name') column.value = kAttack;
  }
  data.points.command[0] = {value: kAttack};
  pages.hostile = fixture.write('hostile', data);
});

// --- Whole pages ---------------------------------------------------------------------------------

const kSections = {many: ['front', 'parallel', 'heat', 'points'], one: ['front', 'points'],
  works: ['front', 'parallel', 'heat', 'points', 'failed'], failed: ['failed'],
  twelve: ['front', 'parallel', 'heat', 'points']};

for (const [name, sections] of Object.entries(kSections)) {
  test(`a page is whole, fits, and can be read in both themes: ${name}`, async () => {
    assert.ok(statSync(pages[name]).size < 3e6);
    await fixture.open(pages[name]);
    const ids = await evaluate(`[...document.querySelectorAll('main > section:not([hidden])')]
      .map((section) => section.id)`);
    assert.deepEqual(ids, sections);
    const links = await evaluate(`[...document.querySelectorAll('#contents a:not([hidden])')]
      .map((link) => link.hash.slice(1))`);
    assert.deepEqual(links, sections.length > 1 || name === 'one' ? sections : []);
    const text = await evaluate('document.body.innerText');
    assert.doesNotMatch(text, /\b(NaN|undefined|Infinity|null)\b/);
    for (const width of [1280, 400]) await checks.fits(fixture.browser, width);
    await fixture.browser.resize(1280, 900);
    for (const theme of ['light', 'dark']) {
      await evaluate(`(weft.set_theme('${theme}'), 0)`);
      assert.deepEqual(await checks.weak_contrasts(fixture), [], theme);
    }
    const failures = tables[name].filter((row) => row.error !== '').length;
    assert.ok((await text_of('header')).includes(`${tables[name].length.toLocaleString('en')} point`));
    assert.equal((await text_of('header')).includes(' failed'), failures > 0);
  });
}

test('every cell of every column is that of the CSV file', async () => {
  for (const name of ['works', 'many']) {
    await fixture.open(pages[name]);
    const rows = new Map(tables[name].map((row) => [row.command, row]));
    const columns = await evaluate(`weft.points.columns.map((column) => ({name: column.name,
      cells: Array.from(column.values, (value) => (Number.isNaN(value) ? '' : column.words
        ? column.words[value] : value))}))`);
    const commands = await evaluate(
      `Array.from({length: weft.points.count}, (_, row) => weft.points.command(row))`);
    assert.deepEqual([...commands].sort(), tables[name].map(command).sort());
    assert.deepEqual(columns.map((column) => column.name).sort(),
      Object.keys(tables[name][0]).filter((key) => !['identity', 'command'].includes(key)).sort());
    for (const {name: column, cells} of columns) {
      cells.forEach((cell, i) => {
        const wanted = rows.get(commands[i])[column];
        if (typeof cell === 'number') assert.equal(cell, Number(wanted), column);
        else assert.equal(cell, wanted, column);
      });
    }
  }
});

// --- Tables --------------------------------------------------------------------------------------

test('the table sorts, scrolls through all points, and has few elements', async () => {
  await fixture.open(pages.many);
  const cycles = tables.many.map((row) => Number(row.cycles)).sort((a, b) => a - b);
  for (const [order, way] of [[cycles, 'ascending'], [[...cycles].reverse(), 'descending']]) {
    await fixture.browser.click('#points-table th[data-key=cycles] button');
    assert.equal(await evaluate(`document.querySelector('#points-table th[data-key=cycles]')
      .getAttribute('aria-sort')`), way);
    const seen = new Set();
    for (let top = 0; top <= 300000; top += 12000) {
      await evaluate(`(document.querySelector('#points .points-scroll').scrollTop = ${top}, 0)`);
      await drawn();
      const rows = await in_view('cycles');
      assert.ok(rows.length > 16 && rows.length < 40, `${rows.length}`);
      for (const [at, text] of rows) {
        assert.equal(text, order[at].toLocaleString('en'), `row ${at}`);
        seen.add(at);
      }
    }
    assert.ok(seen.has(0) && seen.has(9999) && seen.size > 400);
  }
});

test('only the front, sorted', async () => {
  await fixture.open(pages.many);
  await fixture.browser.click('#front-only');
  await fixture.browser.click('#points-table th[data-key=time_s] button');
  await drawn();
  await choose('#front-y', 'peak_macs');
  const wanted = front_of(tables.many, 'time_s', 'peak_macs');
  assert.equal(await rowcount('points-table'), wanted.length);
  assert.deepEqual((await in_view('peak_macs')).map(([, text]) => Number(text)),
    wanted.map((row) => row.peak_macs));
});

test('a point links to a command that gives its figures', async () => {
  await fixture.open(pages.works);
  const works = await evaluate('weft.points.works');
  await choose('#work', works.findIndex((work) => work.includes('lenet5') && work.includes('8')));
  await fixture.browser.click('#points-table tr[data-row] button');
  const words = await text_of('#chosen-command');
  const row = tables.works.find((each) => each.command === words);
  assert.equal(row.batch, '8');
  await fixture.browser.wait_for(`/^(Command copied|The browser does not allow copying)/.test(
    document.querySelector('#said').textContent)`);
  const json = join(fixture.folder, 'again.json');
  const [first, ...rest] = words.split(' ');
  assert.equal(first, 'weft');
  execFileSync(process.env.WEFT, [...rest, '--quiet', '--json', json], {stdio: 'pipe'});
  assert.equal(JSON.parse(readFileSync(json, 'utf8')).cycles.total, Number(row.cycles));
  await fixture.browser.click('#chosen-more summary');
  await drawn();
  assert.ok((await text_of('.all-columns')).includes(Number(row.useful_macs).toLocaleString('en')));
  await fixture.browser.click('#chosen-close');
  assert.equal(await evaluate(`document.querySelector('#chosen').hidden`), true);
});

test('each workload has its own points, front and failures', async () => {
  await fixture.open(pages.works);
  const works = await evaluate('weft.points.works');
  assert.equal(works.length, 4);
  const of_work = [(row) => row.m === '8', (row) => row.m === '16',
    (row) => row.kind === 'network' && row.batch === '1', (row) => row.batch === '8'];
  let failures = 0;
  for (const belongs of of_work) {
    const rows = tables.works.filter(belongs);
    const good = rows.filter((row) => row.error === '');
    failures += rows.length - good.length;
    const named = good[0].kind === 'network' ? `lenet5, batch ${good[0].batch}`
      : `matmul ${good[0].m} 8 8`;
    const at = works.findIndex((work) => work.replace(/, energies of .*$/, '') === named);
    assert.ok(at >= 0, `${named} in ${works}`);
    await choose('#work', at);
    await choose('#front-y', 'peak_macs');
    assert.deepEqual((await shown_commands()).sort(), good.map(command).sort(), named);
    const found = await front();
    assert.deepEqual(found, front_of(good, 'time_s', 'peak_macs').map((row) =>
      [row.time_s, row.peak_macs]));
    assert.equal(await evaluate(`document.querySelector('#failed').hidden`),
      rows.length === good.length);
    if (rows.length === good.length) continue;
    assert.equal(await rowcount('failed-table'), rows.length - good.length);
    const errors = await evaluate(`[...document.querySelectorAll('#failed-table tr[data-row]')]
      .map((line) => line.cells[2].textContent)`);
    assert.deepEqual(errors.sort(), rows.map((row) => row.error).filter(Boolean).sort());
  }
  assert.ok(failures > 0);
});

test('a page of failed points lists them, and their commands', async () => {
  await fixture.open(pages.failed);
  assert.equal(await rowcount('failed-table'), 89);
  assert.equal(await text_of('#points-count'), '0\u00a0points, 89 failed');
  await fixture.browser.click('#failed-table th[data-key=array_cols] button');
  await fixture.browser.click('#failed-table th[data-key=array_cols] button');
  await drawn();
  await fixture.browser.click('#failed-table tr[data-row] button');
  const row = tables.failed.find((each) => each.array_cols === '600');
  assert.equal(await text_of('#chosen-command'), row.command);
  assert.ok((await text_of('#chosen-words')).endsWith(`failed: ${row.error}`));
});

// --- The rest ------------------------------------------------------------------------------------

test('names are shown as text', async () => {
  await fixture.open(pages.hostile);
  assert.equal(await evaluate('globalThis.attacked ?? 0'), 0);
  assert.equal(await text_of('#work option'), kAttack);
  assert.equal(await text_of('#failed-table tr[data-row] td:nth-child(3)'), kAttack);
  await fixture.browser.click('#points-table tr[data-row] button');
  await fixture.browser.click('#chosen-more summary');
  assert.ok((await text_of('#chosen-command')).startsWith(kAttack));
  await drawn();
  assert.ok((await text_of('.all-columns')).includes(kAttack));
  assert.equal(await evaluate('globalThis.attacked ?? 0'), 0);
});

test('each figure can be saved', async () => {
  await fixture.open(pages.twelve);
  assert.deepEqual(await evaluate('weft.figure_names()'), ['front', 'parallel', 'heat']);
  for (const [id, name] of [['front', 'sweep-twelve.db-front-time_s-energy_j'],
    ['parallel', 'sweep-twelve.db-parallel'],
    ['heat', 'sweep-twelve.db-heat-clock_mhz-array_rows-time_s']]) {
    for (const kind of ['svg', 'png']) {
      const file = await evaluate(`weft.figure_file('${id}', '${kind}').then(({name, blob}) =>
        ({name, size: blob.size}))`);
      assert.equal(file.name, `${name}.${kind}`);
      assert.ok(file.size > 1000);
    }
  }
});

// Runs last, since the tab key may move the focus out of the page.
test('every control can be reached with the tab key', async () => {
  await fixture.open(pages.twelve);
  const kControls = 'button, a, select, input, summary, canvas[tabindex], .strip';
  const wanted = await evaluate(`[...document.querySelectorAll('${kControls}')]
    .filter((node) => node.checkVisibility() && !node.disabled).length`);
  const reached = new Set();
  for (let i = 0; i < wanted + 8; ++i) {
    await fixture.browser.press(['\uE004']);
    const at = await evaluate(`[...document.querySelectorAll('${kControls}')]
      .indexOf(document.activeElement)`);
    if (at >= 0) reached.add(at);
  }
  assert.equal(reached.size, wanted);
});
