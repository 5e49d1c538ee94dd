// Takes the pictures of docs/gallery.md from pages that `weft --html` writes:
//
//   WEFT=build/release/cli/weft node tools/gallery.mjs [NAME...]
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {Browser} from '../tests/page/webdriver.mjs';

const kTiny = ['--machine', 'tiny'];
const kProduct = ['matmul', '10', '9', '7', ...kTiny];
const kConv = ['conv', '--input', '1,3,12,12', '--filters', '8', '--kernel', '3', ...kTiny];

/** 240 points of about 50 ms each. */
const kSweep = ['resnet50', '--optimize', '0', '--machine', 'tpu-v2', '--array.rows', '32..256+32',
  '--link', 'array.cols=array.rows', '--memory.gb_per_s', '50..1600*2',
  '--unified_buffer.kib', '1024..16384*2'];

/** Each picture shows one section of a page at one cycle. */
const kPictures = [
  {name: 'tiles', words: kProduct, section: 'tiles', cycle: 40},
  {name: 'array', words: kProduct, section: 'array', cycle: 30},
  {name: 'timeline', words: ['matmul', '20', '30', '20', ...kTiny, '--memory.kind', 'shared',
    '--memory.gb_per_s', '0.5'], section: 'timeline', cycle: 200},
  {name: 'ledger', words: ['matmul', '1000', '1000', '1000'], section: 'ledger', cycle: 0},
  {name: 'heat', words: ['matmul', '300', '256', '256', '--machine', 'tpu-v2'], section: 'array',
    cycle: 900},
  {name: 'convolution', words: kConv, section: 'tiles', cycle: 700},
  {name: 'mapping', words: ['conv', '--input', '1,3,56,56', '--filters', '64', '--kernel', '7',
    '--stride', '2', '--pad', '3', '--machine', 'tpu-v2'], section: 'mapping', cycle: 2000},
  {name: 'roofline', words: ['run', 'resnet18', '--machine', 'tpu-v1', '--engine', 'analytic'],
    section: 'roofline', cycle: 0},
  {name: 'layers', words: ['run', 'lenet5', '--machine', 'tpu-v1'], section: 'layers', cycle: 0},
  {name: 'cliff', words: ['explain', '64', '64', '64', '--machine', 'tpu-v2', '--sweep',
    'n=100..300'], section: 'sweep', cycle: 0},
  {name: 'devices', words: ['compare', 'matmul', '1000', '1000', '1000', '--with',
    'tpu-v1,tpu-v2,i7-7700k,titan-rtx,a100,h100'], section: 'compare', cycle: 0},
  {name: 'curves', words: ['compare', 'matmul', '512', '512', '512', '--with',
    'tpu-v1,tpu-v2,i7-7700k,titan-rtx,a100', '--sweep', 'n=32..1536:32'], section: 'compare',
    cycle: 0},
  {name: 'results', words: ['compare'], section: 'ledgers', cycle: 0, results: [
    ['matmul', '1000', '1000', '1000', '--machine', 'tpu-v2'],
    ['matmul', '1000', '1000', '1000', '--machine', 'tpu-v1']]},
  {name: 'front', words: [], sweep: kSweep, section: 'front', cycle: 0},
  {name: 'parallel', words: [], sweep: kSweep, section: 'parallel', cycle: 0,
    before: `weft.set_brush('time_s', 0, 7.5e-4)`},
  {name: 'dark', words: kProduct, section: 'array', cycle: 60, dark: true},
];

const kWidth = 1120;
const docs = fileURLToPath(new URL('../docs/gallery/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'weft-gallery-'));

const weft = (words) => execFileSync(process.env.WEFT ?? 'weft', words, {stdio: 'ignore'});

/** Makes the reports of runs and returns their files. */
const reports_of = (runs) => runs.map((words, i) => {
  const file = join(folder, `${'ab'[i]}.json`);
  weft([...words, '--json', file]);
  return file;
});

/** Runs a sweep and returns the words that show its database. */
function swept(words) {
  const file = join(folder, 'points.db');
  weft(['sweep', ...words, '--db', file]);  // a second picture of the same sweep runs nothing
  return ['sweep', '--report', file, '--front', 'time,area'];
}

async function take(browser, {name, words: given, section, cycle, dark, sweep, before = '0',
  results = []}) {
  const page = join(folder, `${name}.html`);
  const words = sweep ? swept(sweep) : given;
  weft([...words, ...reports_of(results), '--html', page]);
  await browser.resize(kWidth, 900);
  await browser.devtools('Emulation.setEmulatedMedia',
    {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
  await browser.open(pathToFileURL(page).href);
  await browser.wait_for('globalThis.weft?.ready');
  await browser.evaluate(`weft.total && weft.go_to(${cycle})`);
  await browser.evaluate(`(${before}, 0)`);
  // The window holds the whole page: a picture larger than the window would change the layout.
  const height = await browser.evaluate('document.documentElement.scrollHeight');
  await browser.resize(kWidth, height);
  const clip = await browser.evaluate(`(() => {
    const box = document.querySelector('section#${section}').getBoundingClientRect();
    const margin = 16;
    return {x: box.left - margin, y: box.top, width: box.width + 2 * margin,
      height: box.height + margin, scale: 1};
  })()`);
  const {data} = await browser.devtools('Page.captureScreenshot', {clip});
  writeFileSync(join(docs, `${name}.png`), Buffer.from(data, 'base64'));
}

const wanted = process.argv.slice(2);
const browser = await Browser.start();
try {
  for (const picture of kPictures) {
    if (wanted.length === 0 || wanted.includes(picture.name)) await take(browser, picture);
  }
} finally {
  await browser.stop();
  rmSync(folder, {recursive: true, force: true});
}
