// Saved figures: each stands alone, looks like the figure on the page in both themes, and has a
// name that tells the run and the figure.
//
//   WEFT=build/dev/cli/weft node --test tests/page/save.test.mjs
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {browser_fixture} from './browser_fixture.mjs';
import {matmul_sample, network_sample, weft} from './samples.mjs';

const fixture = browser_fixture();
const {evaluate} = fixture;
const kMargin = 14;  // around a saved figure
const kAttack = '</title><script>globalThis.attacked = 1</script> "\u0001\ud800&';
const pages = {};

before(() => {
  const large = ['--array.rows', '20', '--array.cols', '20', '--unified_buffer.kib', '64'];
  const network = network_sample('lenet5', ['--machine', 'tiny']);
  pages.small = fixture.write('small', matmul_sample([10, 9, 7], ['--machine', 'tiny']));
  pages.heat = fixture.write('heat', matmul_sample([30, 30, 30], ['--machine', 'tiny', ...large]));
  pages.network = fixture.write('network', network);
  pages.hostile = fixture.write('hostile', {...network, title: kAttack,
    tiles: network.tiles.map((map) => ({...map, name: kAttack})),
    layers: network.layers.map((layer) => ({...layer, name: kAttack}))});
  for (const [name, words] of [
    ['devices', ['compare', 'matmul', '100', '90', '70', '--with', 'tiny,a100', '--quiet']],
    ['curves', ['compare', 'matmul', '64', '64', '1', '--with', 'tiny,a100', '--sweep',
      'n=64..128:16', '--quiet']],
    ['training', ['train', 'digits-mlp', '--epochs', '2', '--quiet']]]) {
    pages[name] = join(fixture.folder, `${name}.html`);
    weft([...words, '--html', pages[name]]);
  }
});

/** The figure as a file: {name, bytes}. */
async function file_of(id, kind) {
  const {name, base64} = await evaluate(`weft.figure_file('${id}', '${kind}').then(
    ({name, blob}) => new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done({name, base64: reader.result.replace(/^[^,]*,/, '')});
      reader.readAsDataURL(blob);
    }))`);
  return {name, bytes: Buffer.from(base64, 'base64')};
}

/** A screenshot of a box of the page, in base64. */
async function picture(box) {
  const {data} = await fixture.browser.devtools('Page.captureScreenshot',
    {captureBeyondViewport: true, clip: {...box, scale: 1}});
  return data;
}

/** The share of pixels that differ much in two PNGs in base64. Scales the second to the first. */
const share_that_differs = (a, b, shift = 0) => evaluate(`(async () => {
  const load = async (base64) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + base64;
    await image.decode();
    return image;
  };
  const [a, b] = [await load('${a}'), await load('${b}')];
  const pixels = (image, by) => {
    const canvas = Object.assign(document.createElement('canvas'),
      {width: a.width, height: a.height});
    const context = canvas.getContext('2d');
    context.drawImage(image, by, 0, a.width, a.height);
    return context.getImageData(0, 0, a.width, a.height).data;
  };
  const [p, q] = [pixels(a, 0), pixels(b, ${shift})];
  let many = 0;
  for (let i = 0; i < p.length; i += 4) {
    if ([0, 1, 2].some((k) => Math.abs(p[i + k] - q[i + k]) > 80)) ++many;
  }
  return many / (p.length / 4);
})()`);

const figures = () => evaluate('weft.figure_names()');

// --- Controls ------------------------------------------------------------------------------------

for (const name of ['small', 'heat', 'network', 'devices', 'curves', 'training']) {
  test(`every figure can be saved, and its files stand alone: ${name}`, async () => {
    await fixture.open(pages[name]);
    const drawn = await evaluate(`[...document.querySelectorAll('main > section')]
      .filter((node) => node.querySelector('.stage, .mini, .change')).map((node) => node.id)`);
    assert.ok(drawn.length > 0);
    assert.deepEqual((await figures()).sort(), drawn.sort());
    assert.deepEqual(await evaluate(`${JSON.stringify(drawn)}.map((id) =>
      document.querySelectorAll('#' + id + ' .save').length)`), drawn.map(() => 2));
    const names = new Set();
    for (const id of drawn) {
      const file = await file_of(id, 'svg');
      names.add(file.name);
      await stands_alone(file.bytes.toString('utf8'), `${name} ${id}`);
    }
    assert.equal(names.size, drawn.length);
  });
}

async function stands_alone(text, what) {
  const found = await evaluate(`((text) => {
    const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    const all = [root, ...root.querySelectorAll('*')];
    const values = all.flatMap((node) => [...node.attributes].map(({value}) => value));
    const targets = values.map((value) => /^url\\(#(.*)\\)$/.exec(value)).filter(Boolean);
    return {tag: root.tagName, space: root.namespaceURI, first: root.firstChild.tagName,
      title: root.firstChild.textContent, run: weft.data.title,
      classes: all.filter((node) => node.hasAttribute('class')).length,
      foreign: all.filter((node) => node.namespaceURI !== root.namespaceURI ||
        ['script', 'style', 'foreignObject'].includes(node.tagName)).map((node) => node.tagName),
      links: all.map((node) => node.getAttribute('href')).filter((href) => href !== null &&
        !href.startsWith('data:image/png;')),
      lost: targets.map(([, id]) => id).filter((id) => !root.querySelector('[id="' + id + '"]')),
      sheet: values.filter((value) => /var\\(|color-mix|currentColor|NaN|undefined/.test(value))};
  })(${JSON.stringify(text)})`);
  const {tag, space, first, title, run, ...wrong} = found;
  assert.deepEqual([tag, space, first], ['svg', 'http://www.w3.org/2000/svg', 'title'], what);
  assert.ok(title.includes(run), title);
  assert.deepEqual(wrong, {classes: 0, foreign: [], links: [], lost: [], sheet: []}, what);
}

// --- Looks ---------------------------------------------------------------------------------------

// The first part of each figure, as the page shows it.
const kParts = [
  ['small', 'tiles', '#tile-drawing'], ['small', 'array', '#array-canvas'],
  ['small', 'timeline', '#timeline-canvas'], ['small', 'ledger', '#ledger svg'],
  ['small', 'roofline', '#roofline .stage svg'], ['small', 'sweep', '#sweep .stage'],
  ['heat', 'array', '#array-canvas'], ['network', 'timeline', '#timeline-canvas'],
  ['network', 'layers', '#layers-table']];

for (const theme of ['light', 'dark']) {
  for (const [page, id, selector] of kParts) {
    test(`a saved figure looks like the one on the page: ${page} ${id}, ${theme}`, async () => {
      await fixture.open(pages[page]);
      await evaluate(`(weft.set_theme('${theme}'), weft.go_to(30), 0)`);
      // The window holds the whole page: a scroll bar would shift it between two pictures.
      await fixture.browser.resize(1280, await evaluate('document.body.scrollHeight + 50'));
      await evaluate('new Promise((done) => setTimeout(done, 250))');
      const box = await evaluate(`(() => {
        const node = document.querySelector('${selector}').getBoundingClientRect();
        return {x: Math.round(node.left + scrollX), y: Math.round(node.top + scrollY),
          width: Math.floor(node.width), height: Math.floor(node.height)};
      })()`);
      const wanted = await picture(box);
      const [svg, png] = [await file_of(id, 'svg'), await file_of(id, 'png')];
      const path = join(fixture.folder, `${theme}-${svg.name}`);
      writeFileSync(path, svg.bytes);
      const [width, height] = /width="(\d+)" height="(\d+)"/.exec(svg.bytes.toString())
        .slice(1).map(Number);
      await fixture.browser.open(pathToFileURL(path).href);
      const alone = await picture({...box, x: kMargin, y: kMargin});
      const whole = await picture({x: 0, y: 0, width, height});
      await fixture.open(pages.small);  // compares pictures; an SVG file has no canvas
      const differs = await share_that_differs(wanted, alone);
      assert.ok(differs < 0.03, `${differs} of the pixels differ`);
      assert.ok(await share_that_differs(wanted, alone, 12) > 2 * differs, 'they show something');
      assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)],
        [2 * width, 2 * height]);
      const rendered = await share_that_differs(whole, png.bytes.toString('base64'));
      assert.ok(rendered < 0.03, `${rendered} of the PNG's pixels differ`);
    });
  }
}

test('the canvases of large arrays are vectors where they can be', async () => {
  await fixture.open(pages.heat);
  const text = (await file_of('array', 'svg')).bytes.toString('utf8');
  assert.equal(text.match(/<image /g).length, 1);  // the heat map; the window is vectors
  const shown = await evaluate(`weft.heat.side ** 2`);
  assert.ok(text.match(/<text /g).length > 3 * shown);
  await fixture.open(pages.small);
  assert.doesNotMatch((await file_of('array', 'svg')).bytes.toString('utf8'), /<image /);
});

// --- Names and files -----------------------------------------------------------------------------

test('a file tells the run, the figure and what of it is shown', async () => {
  await fixture.open(pages.network);
  await evaluate(`(weft.data.title = 'run a/b c.onnx on 3 x 4 x 5', weft.go_to(40), 0)`);
  const {tiles} = await evaluate('weft.data');
  assert.equal((await file_of('ledger', 'svg')).name, 'run-a-b-c.onnx-on-3x4x5-ledger.svg');
  assert.equal((await file_of('tiles', 'svg')).name,
    `run-a-b-c.onnx-on-3x4x5-tiles-${tiles[0].name}-cycle-40.svg`);
  await evaluate(`(weft.set_timeline_view(100, 200), 0)`);
  assert.equal((await file_of('timeline', 'png')).name,
    'run-a-b-c.onnx-on-3x4x5-timeline-cycles-100-to-199.png');
});

test('names from files stay text in saved figures', async () => {
  await fixture.open(pages.hostile);
  for (const id of await figures()) {
    const file = await file_of(id, 'svg');
    assert.match(file.name, /^[A-Za-z0-9._-]+\.svg$/);
    const text = file.bytes.toString('utf8');
    assert.doesNotMatch(text, /<script/, id);
    const [tag, scripts] = await evaluate(`((text) => {
      const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
      return [root.tagName, root.querySelectorAll('script, parsererror').length];
    })(${JSON.stringify(text)})`);
    assert.deepEqual([tag, scripts], ['svg', 0], id);
    assert.equal((await file_of(id, 'png')).bytes.toString('latin1', 1, 4), 'PNG');
  }
  assert.equal(await evaluate('globalThis.attacked ?? 0'), 0);
});

test('a press of the button writes the file', async () => {
  const downloads = join(fixture.folder, 'downloads');
  mkdirSync(downloads);
  await fixture.browser.devtools('Page.setDownloadBehavior',
    {behavior: 'allow', downloadPath: downloads});
  await fixture.open(pages.small);
  await evaluate(`document.querySelector('#roofline .save').focus()`);
  await fixture.browser.press(['\uE007']);
  await fixture.browser.wait_for(`document.querySelector('#said').textContent !== ''`);
  const {name, bytes} = await file_of('roofline', 'svg');
  const path = join(downloads, name);
  for (let tries = 0; tries < 100 && !existsSync(path); ++tries) {
    await evaluate('new Promise((done) => setTimeout(done, 50))');
  }
  assert.deepEqual(readFileSync(path), bytes);
});
