// The page in a browser, driven by keys and pointer as a reader does it.
//
//   WEFT=build/dev/cli/weft node --test tests/page/page.test.mjs
//
// WEFT is the command that samples are made with. WEFT_PAGES may name a folder of pages that the
// command wrote: NAME.html, and beside it NAME.vcd of the same run if there is one.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {assemble} from './assemble.mjs';
import * as checks from './checks.mjs';
import {matmul_sample, network_sample} from './samples.mjs';
import {read_vcd} from './vcd.mjs';
import {Browser, kKeys} from './webdriver.mjs';

const folder = mkdtempSync(join(tmpdir(), 'weft-pages-'));
let browser;

function written(name, data) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, assemble(data));
  return path;
}

const url = (path) => pathToFileURL(path).href;
const cycle = () => browser.evaluate('weft.cycle');

async function open(path, width = 1280) {
  await browser.resize(width, 900);
  await checks.loads_without_complaint(browser, url(path));
}

/** The middle of an element of the page, which is scrolled into view. */
async function middle(selector) {
  return browser.evaluate(`(() => {
    const node = document.querySelector('${selector}');
    node.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = node.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  })()`);
}

let small, network;

before(async () => {
  browser = await Browser.start();
  small = written('small', matmul_sample([10, 9, 7], ['--machine', 'tiny']));
  const data = network_sample('lenet5', ['--machine', 'tiny']);
  data.layers[1].name = '<script>alert(1)</script>';
  data.tiles[0].name = '<img src=x onerror=alert(2)>';
  data.title = 'A <b>title</b> & more';
  network = written('network', data);
});

after(async () => {
  if (browser) await browser.stop();
  rmSync(folder, {recursive: true});
});

async function check_page(path, waveform) {
  const data = checks.data_of(path);
  await open(path);
  await checks.shows_what_the_data_has(browser, data);
  await checks.the_ledger_sums_to_the_total(browser, data);
  await checks.bars_equal_the_data(browser, data);
  for (const width of [1280, 400]) await checks.fits(browser, width);
  await browser.resize(1280, 900);
  if (!waveform || !data.array) return;
  await checks.states_equal_the_waveform(browser, read_vcd(waveform), data.array.end, 7);
}

// --- All pages -----------------------------------------------------------------------------------

test('a page of a product is whole', () => check_page(small));
test('a page of a network is whole', () => check_page(network));

test('a page without optional parts is whole', async () => {
  const {title, report} = checks.data_of(small);
  await check_page(written('bare', {title, command: null, report, notes: []}));
});

test('pages that the command wrote are whole', async (t) => {
  const given = process.env.WEFT_PAGES;
  if (!given) return t.skip('WEFT_PAGES names no folder');
  const pages = readdirSync(given).filter((name) => name.endsWith('.html'));
  assert.ok(pages.length > 0, `no pages in ${given}`);
  for (const name of pages) {
    const vcd = join(given, `${basename(name, '.html')}.vcd`);
    await t.test(name, () => check_page(join(given, name), existsSync(vcd) ? vcd : null));
  }
});

for (const dtype of ['int8', 'bf16']) {
  test(`registers in the browser are those of the waveform: ${dtype}`, async () => {
    const options = ['--machine', 'tiny', '--array.dtype', dtype];
    const vcd = join(folder, `${dtype}.vcd`);
    execFileSync(process.env.WEFT ?? 'weft',
      ['matmul', '9', '10', '11', '--engine', 'stepped', '--quiet', '--vcd', vcd, ...options]);
    await check_page(written(dtype, matmul_sample([9, 10, 11], options)), vcd);
  });
}

test('names are shown as text', async () => {
  await open(network);
  const text = await browser.evaluate(`document.querySelector('#layers-table').textContent`);
  assert.ok(text.includes('<script>alert(1)</script>'));
  assert.equal(await browser.evaluate(`document.querySelectorAll('img').length`), 0);
  assert.equal(await browser.evaluate('document.title'), 'A <b>title</b> & more');
  assert.equal(await browser.evaluate(`document.querySelector('h1').children.length`), 0);
});

// --- Time ----------------------------------------------------------------------------------------

test('the buttons step, jump and play', async () => {
  await open(small);
  await browser.click('#forward');
  await browser.click('#forward');
  assert.equal(await cycle(), 2);
  await browser.click('#back');
  assert.equal(await cycle(), 1);
  await browser.click('#last');
  assert.equal(await cycle(), 83);
  await browser.click('#first');
  assert.equal(await cycle(), 0);
  await browser.click('#fold-forward');
  assert.equal(await cycle(), 6);  // A_0 = W_0 + R: fetched at the end of 1, pushed from 2 on
  await browser.click('#fold-forward');
  assert.equal(await cycle(), 16);  // max(M, R) later
  await browser.click('#fold-back');
  assert.equal(await cycle(), 6);
  await browser.click('#play');
  assert.equal(await browser.evaluate('weft.playing'), true);
  await browser.wait_for('weft.cycle > 6');
  await browser.click('#play');
  assert.equal(await browser.evaluate('weft.playing'), false);
});

test('a cycle can be typed and dragged to', async () => {
  await open(small);
  await browser.type('#cycle-number', '37\uE007');
  assert.equal(await cycle(), 37);
  await browser.type('#cycle-number', '5000\uE007');
  assert.equal(await cycle(), 83);
  await browser.click('#cycle-slider');  // in its middle
  assert.ok(Math.abs(await cycle() - 42) <= 2);
});

test('keys do what the list of keys says', async () => {
  await open(small);
  const pressed = async (keys, held) => {
    await browser.press(keys, held);
    return cycle();
  };
  assert.equal(await pressed([kKeys.right, kKeys.right, kKeys.right]), 3);
  assert.equal(await pressed([kKeys.left]), 2);
  assert.equal(await pressed([kKeys.end]), 83);
  assert.equal(await pressed([kKeys.home]), 0);
  assert.equal(await pressed([']']), 6);
  assert.equal(await pressed(['[']), 6);
  await browser.press([' ']);
  assert.equal(await browser.evaluate('weft.playing'), true);
  await browser.press([' ']);
  assert.equal(await browser.evaluate('weft.playing'), false);
  const speed = await browser.evaluate('weft.speed');
  await browser.press(['>']);
  assert.ok(await browser.evaluate('weft.speed') > speed);
});

test('keys are left to the field in which somebody types', async () => {
  await open(small);
  await browser.click('#cycle-number');
  await browser.press([' ', kKeys.home, kKeys.left, ']']);
  assert.equal(await cycle(), 0);
  assert.equal(await browser.evaluate('weft.playing'), false);
});

test('a reader who wants no motion gets steps', async () => {
  await browser.devtools('Emulation.setEmulatedMedia',
    {features: [{name: 'prefers-reduced-motion', value: 'reduce'}]});
  await open(small);
  await browser.evaluate(`weft.on('phase', (phase) => { weft.moved = weft.moved || phase > 0; })`);
  await browser.evaluate('weft.set_speed(4)');
  await browser.click('#play');
  await browser.wait_for('weft.cycle > 1');
  assert.equal(await browser.evaluate('weft.moved ?? false'), false);
  await browser.devtools('Emulation.setEmulatedMedia', {features: []});
});

// --- Tiles and timeline --------------------------------------------------------------------------

test('the fold in the array is the one that the data names for the cycle', async () => {
  await open(small);
  const {instructions: all} = checks.data_of(small).timeline;
  const matmuls = all.unit.map((unit, i) => i).filter((i) => all.unit[i] === 2);
  for (const i of matmuls) {
    await browser.evaluate(`weft.go_to(${all.started[i]})`);
    await browser.wait_for(`document.querySelector('#fold').textContent.startsWith(
      'Tile k${all.k_tile[i]} n${all.n_tile[i]}, chunk ${all.chunk[i]}: ')`);
  }
  assert.equal(await browser.evaluate(`document.querySelectorAll('.marks .current').length`), 3);
});

test('the timeline zooms, moves and goes to the cycle that is clicked', async () => {
  await open(small);
  const width = () => browser.evaluate('weft.timeline_view().end - weft.timeline_view().begin');
  await browser.click('#zoom-in');
  assert.equal(await width(), 42);
  await browser.click('#zoom-out');
  assert.equal(await width(), 84);
  const [x, y] = await middle('#timeline-canvas');
  await browser.wheel(x, y, -300);
  assert.ok(await width() < 84);
  const before_drag = await browser.evaluate('weft.timeline_view().begin');
  await browser.pointer([['move', x, y], ['down'], ['move', x - 100, y], ['up']]);
  assert.ok(await browser.evaluate('weft.timeline_view().begin') > before_drag);
  await browser.click('#zoom-all');
  const [left, top] = await middle('#timeline-canvas');
  await browser.pointer([['move', left, top], ['down'], ['up']]);
  assert.ok(Math.abs(await cycle() - 39) <= 3);  // the names at the left take some of the width
});

test('the timeline tells the text of instructions, to pointer and keyboard', async () => {
  await open(small);
  const {instructions: all} = checks.data_of(small).timeline;
  const shown = () => browser.evaluate(`document.querySelector('#instruction').textContent`);
  await browser.evaluate(`document.querySelector('#timeline-canvas').focus()`);
  assert.ok((await shown()).includes(all.text[0]));
  await browser.press(['.', '.']);
  assert.ok((await shown()).includes(all.text[2]));
  await browser.press([kKeys.enter]);
  assert.equal(await cycle(), all.started[2]);
  const view = 'weft.timeline_view().begin';
  await browser.evaluate('weft.set_timeline_view(10, 30)');
  await browser.press([kKeys.right], [kKeys.shift]);
  assert.equal(await browser.evaluate(view), 15);
  await browser.evaluate('weft.set_timeline_view(0, 84)');
  const [x, y] = await middle('#timeline-canvas');
  const tips = [];
  for (let below = -80; below <= 80; below += 8) {
    await browser.pointer([['move', x, y + below]]);
    tips.push(await browser.evaluate(`document.querySelector('#tip').textContent`));
  }
  const matmul = all.unit.findIndex((unit, i) =>
    unit === 2 && all.started[i] <= 39 && 39 < all.started[i] + 10);
  assert.ok(tips.some((tip) => tip.includes(all.text[matmul])), tips.join('\n'));
});

// --- Layers and theme ----------------------------------------------------------------------------

const column = (key) => browser.evaluate(
  `[...document.querySelectorAll('#layers-table tbody tr')].map((row) => Number(row.dataset.layer))
    .map((i) => weft.data.layers[i].${key} ?? null)`);

test('layers sort by a heading, up and down, by click and by key', async () => {
  await open(network);
  const numbers = (list) => list.filter((value) => value !== null);
  await browser.click('th[data-key=cycles] button');
  const down = await column('cycles');
  assert.deepEqual(numbers(down), numbers(down).sort((a, b) => b - a));
  assert.equal(down.at(-1), null);  // what has no cycles comes last either way
  assert.equal(await browser.evaluate(
    `document.querySelector('th[data-key=cycles]').getAttribute('aria-sort')`), 'descending');
  await browser.press([kKeys.enter]);
  const up = await column('cycles');
  assert.deepEqual(numbers(up), numbers(up).sort((a, b) => a - b));
  assert.equal(up.at(-1), null);
  await browser.click('th[data-key=name] button');
  const names = await column('name');
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, 'en')));
});

test('a chosen layer shows its tile map and its first cycle', async () => {
  await open(network);
  const {layers} = checks.data_of(network);
  const last = layers.findLastIndex((layer) => layer.tile_map !== null);
  await browser.click(`tr[data-layer='${last}'] .row-button`);
  assert.equal(await cycle(), layers[last].begin);
  assert.equal(await browser.evaluate('weft.map'), layers[last].tile_map);
  assert.equal(await browser.evaluate(`document.querySelector('#map-choice').value`),
    String(layers[last].tile_map));
});

test('the theme changes, in canvases too, and paper is light', async () => {
  await open(small);
  const ground = () => browser.evaluate(`getComputedStyle(document.body).backgroundColor`);
  const picture = () => browser.evaluate(
    `document.querySelector('#array-canvas').toDataURL()`);
  const [light, drawn] = [await ground(), await picture()];
  await browser.click('#theme');
  assert.notEqual(await ground(), light);
  assert.notEqual(await picture(), drawn);
  const grounds = await browser.evaluate(`(() => {
    dispatchEvent(new Event('beforeprint'));
    const on_paper = getComputedStyle(document.body).backgroundColor;
    dispatchEvent(new Event('afterprint'));
    return [on_paper, getComputedStyle(document.body).backgroundColor];
  })()`);
  assert.equal(grounds[0], light);
  assert.notEqual(grounds[1], light);
});

test('frames a second of a 16 x 16 array that plays', async (t) => {
  const size = ['--array.rows', '16', '--array.cols', '16', '--unified_buffer.kib', '64'];
  await open(written('frames', matmul_sample([40, 40, 40], ['--machine', 'tiny', ...size])));
  await browser.evaluate('weft.set_speed(4)');
  await browser.evaluate('(weft.go_to(40), weft.play())');
  const frames = await browser.evaluate(`new Promise((done) => {
    const begin = weft.frames;
    setTimeout(() => done((weft.frames - begin) / 2), 2000);
  })`);
  t.diagnostic(`${frames} frames a second`);
  assert.ok(frames > 0);
});
