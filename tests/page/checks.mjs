// Checks that hold for every page. They read the data from the file, not from the browser.
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';

const kMostBytes = 3e6;

/** The JSON data in a page. */
export function data_of(path) {
  const text = readFileSync(path, 'utf8');
  const [, json] = /<script type="application\/json" id="weft-data">([^<]*)<\/script>/.exec(text);
  return JSON.parse(json);
}

/** Applies all checks below to a page. `dump` is its run's waveform, as read by read_vcd(). */
export async function is_whole(fixture, path, dump = null) {
  const {browser} = fixture;
  const data = data_of(path);
  assert.ok(statSync(path).size < kMostBytes, `${path} has ${statSync(path).size} bytes`);
  await fixture.open(path);
  await shows_what_the_data_has(browser, data);
  const text = await browser.evaluate('document.body.innerText');
  assert.doesNotMatch(text, /\b(NaN|undefined|Infinity)\b/);
  if (data.report?.check?.agrees !== false) assert.doesNotMatch(text, /\bdiffers\b/);
  if (data.report?.cycles) await the_ledger_sums_to_the_total(browser, data);
  if (data.report) await bars_equal_the_data(browser, data);
  for (const width of [1280, 400]) await fits(browser, width);
  await browser.resize(1280, 900);
  if (dump) await states_equal_the_waveform(browser, dump, data.array.end, 7);
}

export async function loads_without_complaint(browser, url) {
  await browser.log();
  await browser.open(url);
  await browser.wait_for('weft.ready');
  assert.deepEqual(await browser.log(), []);
}

export async function fits(browser, width) {
  await browser.resize(width, 900);
  await browser.evaluate('new Promise((done) => setTimeout(done, 250))');
  const wide = await browser.evaluate('document.scrollingElement.scrollWidth');
  assert.ok(wide <= width, `${wide} pixels of content in a window of ${width}`);
  const out = await browser.evaluate(`[...document.querySelectorAll('canvas, svg, h1, h2, p, td')]
    .filter((node) => !node.closest('.scroll') && node.getBoundingClientRect().right > ${width} + 1)
    .map((node) => node.outerHTML.slice(0, 80))`);
  assert.deepEqual(out, []);
}

export async function shows_what_the_data_has(browser, data) {
  const ids = await browser.evaluate(
    `[...document.querySelectorAll('main > section')].map((section) => section.id)`);
  const wanted = {tiles: data.tiles?.length, timeline: data.timeline, array: data.timeline,
    mapping: data.mappings?.length || data.layers?.some((layer) => layer.lanes),
    layers: data.layers?.length, roofline: data.roofline, sweep: data.sweep?.points?.length,
    why: data.why, training: data.training?.epochs.length};
  for (const [id, present] of Object.entries(wanted)) {
    assert.equal(ids.includes(id), Boolean(present), `section ${id}`);
  }
  const text = await browser.evaluate(`document.querySelector('header').textContent`);
  for (const note of data.notes ?? []) assert.ok(text.includes(note), note);
}

const digits = (text) => Number(text.replace(/\D/g, ''));

export async function the_ledger_sums_to_the_total(browser, data) {
  const rows = await browser.evaluate(`[...document.querySelectorAll('#ledger-table tbody tr')]
    .map((row) => row.cells[1].textContent)`);
  const sum = rows.reduce((all, text) => all + digits(text), 0);
  assert.equal(sum, data.report.cycles.total);
  const pieces = await browser.evaluate(`[...document.querySelectorAll('.ledger-piece')]
    .map((node) => [node.dataset.class, Number(node.dataset.cycles)])`);
  for (const [name, cycles] of pieces) assert.equal(cycles, data.report.cycles[name], name);
  assert.equal(pieces.reduce((all, [, cycles]) => all + cycles, 0), data.report.cycles.total);
}

/** The bars that the timeline must draw, from the data alone. */
function wanted_bars({units, instructions, pushes}) {
  const bars = instructions.unit.map((unit, i) => ({lane: units[unit], instruction: i,
    begin: instructions.started[i], end: instructions.retired[i] + 1}));
  pushes.started.forEach((begin, i) =>
    bars.push({lane: 'push', begin, end: begin + pushes.cycles[i], instruction: null}));
  return bars;
}

const order = (a, b) => a.lane.localeCompare(b.lane) || a.begin - b.begin || a.end - b.end ||
  a.instruction - b.instruction;

export async function bars_equal_the_data(browser, data) {
  if (!data.timeline) return;
  const drawn = await browser.evaluate('weft.timeline_bars()');
  const plain = drawn.map(({lane, begin, end, instruction}) => ({lane, instruction, begin, end}));
  assert.deepEqual(plain.sort(order), wanted_bars(data.timeline).sort(order));
}

/** Compares every `stride`-th cycle with the waveform, forward and then backward. */
export async function states_equal_the_waveform(browser, dump, end, stride) {
  const cycles = dump.cycles.filter((state, i) => i % stride === 0 && state.cycle < end);
  assert.ok(cycles.some((state) => state.write), 'there are writes among them');
  for (const state of [...cycles, ...[...cycles].reverse()]) {
    assert.deepEqual(await browser.evaluate(`weft.state_at(${state.cycle})`), state,
      `cycle ${state.cycle}`);
  }
}

/** Texts with less contrast than WCAG 2 requires of small text, 4.5. */
export function weak_contrasts(fixture) {
  return fixture.evaluate(`(() => {
    const paper = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const over = (color, ground) => {
      paper.fillStyle = ground;
      paper.fillRect(0, 0, 1, 1);
      paper.fillStyle = color;
      paper.fillRect(0, 0, 1, 1);
      return [...paper.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const css = (rgb) => 'rgb(' + rgb.join(',') + ')';
    const ground_of = (node) => node === null ? [255, 255, 255]
      : over(getComputedStyle(node).backgroundColor, css(ground_of(node.parentElement)));
    const light = (rgb) => rgb.map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const out = [];
    for (const node of document.querySelectorAll('body *:not(script):not(style):not(svg *)')) {
      const words = [...node.childNodes].filter((child) => child.nodeType === 3)
        .map((child) => child.textContent.trim()).join('');
      if (!words || !node.checkVisibility()) continue;
      const ground = ground_of(node);
      const ratio = contrast(light(over(getComputedStyle(node).color, css(ground))), light(ground));
      if (ratio < 4.5) out.push(node.className + ' ' + words.slice(0, 40) + ' ' + ratio.toFixed(2));
    }
    return out;
  })()`);
}
