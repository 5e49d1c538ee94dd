// The page in a browser: all sections of the data, names shown as text, light and dark. Its
// controls are in controls.test.mjs. The command that WEFT names makes the samples:
//
//   WEFT=build/dev/cli/weft node --test tests/page/page.test.mjs
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import * as checks from './checks.mjs';
import {matmul_sample, network_sample, waveform} from './samples.mjs';
import {kKeys} from './webdriver.mjs';

const fixture = browser_fixture();
const {evaluate} = fixture;
let small, network;

before(() => {
  small = fixture.write('small', matmul_sample([10, 9, 7], ['--machine', 'tiny']));
  const data = network_sample('lenet5', ['--machine', 'tiny']);
  data.layers[1].name = '<script>alert(1)</script>';
  data.tiles[0].name = '<img src=x onerror=alert(2)>';
  data.roofline.points[0].name = '</script><script>alert(3)</script>';
  data.notes.push('</script><b>a note</b>');
  data.title = 'A <b>title</b> & more';
  network = fixture.write('network', data);
});

// --- Whole pages ---------------------------------------------------------------------------------

test('a page of a product is whole', () => checks.is_whole(fixture, small));
test('a page of a network is whole', () => checks.is_whole(fixture, network));

test('a page without optional parts is whole', async () => {
  const {title, report} = checks.data_of(small);
  await checks.is_whole(fixture, fixture.write('bare', {title, command: null, report, notes: []}));
});

test('a sweep without tiles is drawn without their lines', async () => {
  const data = checks.data_of(small);
  const with_tiles = data.sweep.points.length > 0;
  assert.ok(with_tiles);
  data.sweep = {...data.sweep, dimension: 'm', tile: null};
  await checks.is_whole(fixture, fixture.write('rows', data));
  assert.equal(await evaluate(`document.querySelectorAll('.cliff').length`), 0);
  assert.equal(await evaluate(`document.querySelectorAll('.sweep .dot').length`),
    2 * data.sweep.points.length);
});

for (const dtype of ['int8', 'bf16']) {
  test(`registers in the browser are those of the waveform: ${dtype}`, async () => {
    const options = ['--machine', 'tiny', '--array.dtype', dtype];
    const page = fixture.write(dtype, matmul_sample([9, 10, 11], options));
    await checks.is_whole(fixture, page, waveform([9, 10, 11], options));
  });
}

// --- Text ----------------------------------------------------------------------------------------

test('a number in a cell is the value, however short', async () => {
  const page = fixture.write('floats', matmul_sample([9, 10, 11],
    ['--machine', 'tiny', '--array.dtype', 'bf16']));
  await fixture.open(page);
  const values = [10.5, -20.25, 100.125, 0.5, -0.75, 30.0625, 200, 1000.5];
  for (const room of [4, 6, 8, 12]) {
    const texts = await evaluate(`${JSON.stringify(values)}.map((value) =>
      weft.cell_text(value, ${room}))`);
    texts.forEach((text, i) => {
      const shown = Number(text.replace('\u2212', '-'));
      // At least one digit is right, and with room for all of them the value is.
      const most = room === 12 ? 0.0005 : 0.5;
      assert.ok(Math.abs(shown - values[i]) <= most * Math.abs(values[i]), `${values[i]}: ${text}`);
    });
  }
});

test('times and energies have three digits and a prefix at every size', async () => {
  await fixture.open(small);
  const sizes = {'': 1, 'k': 1e3, 'M': 1e6, 'm': 1e-3, 'µ': 1e-6, 'n': 1e-9, 'p': 1e-12};
  for (const [call, values] of [['duration', [0.99996, 9.9996e-4, 1.5, 2e-7]],
    ['physical', [0.99996, 9.9996e-4, 1.5, 2e-7, 1234567, 999.96, 3.2e-11]]]) {
    const texts = await evaluate(`${JSON.stringify(values)}.map((value) => weft.${call}(value, 's'))`);
    texts.forEach((text, i) => {
      const [, digits, prefix] = /^(\d+\.?\d*)\u202f([kMmµnp]?)s$/.exec(text) ?? assert.fail(text);
      assert.equal(digits.replace('.', '').length, 3, text);
      assert.ok(Math.abs(digits * sizes[prefix] / values[i] - 1) < 0.005, text);
    });
  }
});

test('names are shown as text', async () => {
  await fixture.open(network);
  const text = await evaluate(`document.querySelector('#layers-table').textContent`);
  assert.ok(text.includes('<script>alert(1)</script>'));
  const main = await evaluate(`document.body.textContent`);
  assert.ok(main.includes('</script><b>a note</b>'));
  assert.equal(await evaluate(`document.querySelectorAll('img, b').length`), 0);
  assert.equal(await evaluate('document.title'), 'A <b>title</b> & more');
  assert.equal(await evaluate(`document.querySelector('h1').children.length`), 0);
});

test('the fold in the array is the one that the data names for the cycle', async () => {
  await fixture.open(small);
  const {instructions: all} = checks.data_of(small).timeline;
  const matmuls = all.unit.map((unit, i) => i).filter((i) => all.unit[i] === 2);
  for (const i of matmuls) {
    await evaluate(`weft.go_to(${all.started[i]})`);
    await fixture.browser.wait_for(`document.querySelector('#fold').textContent.startsWith(
      'Tile k${all.k_tile[i]} n${all.n_tile[i]}, chunk ${all.chunk[i]}: ')`);
  }
  assert.equal(await evaluate(`document.querySelectorAll('.marks .current').length`), 3);
});

test('the timeline tells the text of an instruction under the pointer', async () => {
  await fixture.open(small);
  const {instructions: all} = checks.data_of(small).timeline;
  const [x, y] = await fixture.middle('#timeline-canvas');
  const tips = [];
  for (let below = -80; below <= 80; below += 8) {
    await fixture.browser.pointer([['move', x, y + below]]);
    tips.push(await evaluate(`document.querySelector('#tip').textContent`));
  }
  const matmul = all.unit.findIndex((unit, i) =>
    unit === 2 && all.started[i] <= 39 && 39 < all.started[i] + 10);
  assert.ok(tips.some((tip) => tip.includes(all.text[matmul])), tips.join('\n'));
});

test('where no instruction is listed the timeline tells shares', async () => {
  await fixture.open(network);
  const {timeline} = checks.data_of(network);
  const {cycles, busy} = timeline.bins;
  await evaluate(`weft.go_to(${3 * cycles})`);
  const share = (100 * busy[2][3]).toFixed(1);
  await fixture.browser.wait_for(`document.querySelector('#now-table').textContent
    .includes('matmulbusy ${share}')`);
});

const column = (key) => evaluate(
  `[...document.querySelectorAll('#layers-table tbody tr')].map((row) => Number(row.dataset.layer))
    .map((i) => weft.data.layers[i].${key} ?? null)`);

test('layers sort by a heading, up and down, by click and by key', async () => {
  await fixture.open(network);
  const numbers = (list) => list.filter((value) => value !== null);
  await fixture.browser.click('th[data-key=cycles] button');
  const down = await column('cycles');
  assert.deepEqual(numbers(down), numbers(down).sort((a, b) => b - a));
  assert.equal(down.at(-1), null);  // layers without cycles come last either way
  assert.equal(await evaluate(
    `document.querySelector('th[data-key=cycles]').getAttribute('aria-sort')`), 'descending');
  await fixture.browser.press([kKeys.enter]);
  const up = await column('cycles');
  assert.deepEqual(numbers(up), numbers(up).sort((a, b) => a - b));
  assert.equal(up.at(-1), null);
  await fixture.browser.click('th[data-key=name] button');
  const names = await column('name');
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, 'en')));
});

// --- Light, dark, paper, calm --------------------------------------------------------------------

const ground = () => evaluate(`getComputedStyle(document.body).backgroundColor`);
const picture = () => evaluate(`document.querySelector('#array-canvas').toDataURL()`);
const prefer = (name, value) => fixture.browser.devtools('Emulation.setEmulatedMedia',
  {features: name ? [{name, value}] : []});

test('the theme is the one that the system prefers', async () => {
  const seen = [];
  for (const scheme of ['light', 'dark']) {
    await prefer('prefers-color-scheme', scheme);
    await fixture.open(small);
    assert.equal(await evaluate('weft.theme()'), scheme);
    seen.push([await ground(), await picture()]);
  }
  await prefer();
  assert.notEqual(seen[0][0], seen[1][0]);
  assert.notEqual(seen[0][1], seen[1][1]);
});

test('the theme changes, in canvases too, and paper is light', async () => {
  await fixture.open(small);
  const [light, drawn] = [await ground(), await picture()];
  await fixture.browser.click('#theme');
  assert.notEqual(await ground(), light);
  assert.notEqual(await picture(), drawn);
  const grounds = await evaluate(`(() => {
    dispatchEvent(new Event('beforeprint'));
    const on_paper = getComputedStyle(document.body).backgroundColor;
    dispatchEvent(new Event('afterprint'));
    return [on_paper, getComputedStyle(document.body).backgroundColor];
  })()`);
  assert.equal(grounds[0], light);
  assert.notEqual(grounds[1], light);
});

test('text stands out from its ground in both themes', async () => {
  for (const scheme of ['light', 'dark']) {
    await prefer('prefers-color-scheme', scheme);
    for (const page of [small, network]) {
      await fixture.open(page);
      assert.deepEqual(await checks.weak_contrasts(fixture), [], `${scheme} ${page}`);
    }
  }
  await prefer();
});

test('a reader who wants no motion gets steps', async () => {
  await prefer('prefers-reduced-motion', 'reduce');
  await fixture.open(small);
  await evaluate(`weft.on('phase', (phase) => { weft.moved = weft.moved || phase > 0; })`);
  await evaluate('weft.set_speed(4)');
  await fixture.browser.click('#play');
  await fixture.browser.wait_for('weft.cycle > 1');
  assert.equal(await evaluate('weft.moved ?? false'), false);
  await prefer();
});
