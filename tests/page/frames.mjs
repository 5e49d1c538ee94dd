// Measures how many frames a second a sweep's page shows while a brush moves along each axis, in a
// window of 1280 x 900 or of another height:
//
//   node tests/page/frames.mjs points.html [HEIGHT]
import {pathToFileURL} from 'node:url';

import {Browser} from './webdriver.mjs';

const kMoves = 150;      // of the pointer, one each 16 ms
const kChanges = 120;
const kLongFrame = 1000 / 30;

const browser = await Browser.start();

/** The times between the frames while the pointer drags from [x, y0] to [x, y1] and back. */
async function frames_of_drag(x, y0, y1) {
  const mouse = (type, y) => browser.devtools('Input.dispatchMouseEvent',
    {type, x, y, button: 'left', buttons: 1, clickCount: 1});
  await mouse('mousePressed', y0);
  await browser.evaluate(`(() => {
    weft.frames = [];
    let last = performance.now();
    const tick = (now) => {
      if (!weft.frames) return;
      weft.frames.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  })()`);
  for (let i = 1; i <= kMoves; ++i) {
    const along = Math.abs(Math.sin(Math.PI * i / kMoves * 2));
    const pause = new Promise((done) => setTimeout(done, 16));
    await mouse('mouseMoved', y0 + along * (y1 - y0));
    await pause;
  }
  const frames = await browser.evaluate(`(() => {
    const {frames} = weft;
    weft.frames = null;
    return frames.slice(1);
  })()`);
  await mouse('mouseReleased', y0);
  return frames;
}

/** Frames a second if the brush changes in every frame. */
const frames_of_changes = (name) => browser.evaluate(`(async () => {
  const [low, high] = weft.range_of(weft.points.by_name.get('${name}'), weft.points.rows);
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  const begin = performance.now();
  for (let i = 0; i < ${kChanges}; ++i) {
    weft.set_brush('${name}', low, high - (high - low) * (i % 60) / 60);
    await frame();
  }
  return 1000 * ${kChanges} / (performance.now() - begin);
})()`);

try {
  await browser.resize(1280, Number(process.argv[3] ?? 900));
  const start = Date.now();
  await browser.open(pathToFileURL(process.argv[2]).href);
  await browser.wait_for('globalThis.weft?.ready');
  console.log(`opened in ${Date.now() - start} ms`);
  const columns = await browser.evaluate('weft.points.listed.map(({name}) => name)');
  const many = await browser.evaluate('weft.points.rows.length');
  for (const name of columns) {
    await browser.evaluate('(weft.drop_brushes(), 0)');
    const [x, top, bottom] = await browser.evaluate(`(() => {
      const strip = document.querySelector('.strip[data-column="${name}"]');
      strip.scrollIntoView({block: 'center', behavior: 'instant'});
      const box = strip.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + 62, box.bottom - 20];
    })()`);
    const frames = (await frames_of_drag(x, bottom - 2, top + 2)).sort((a, b) => a - b);
    const total = frames.reduce((sum, time) => sum + time, 0);
    const long = frames.filter((time) => time > kLongFrame).length;
    const changes = await frames_of_changes(name);
    const ms = (share) => frames[Math.floor(share * (frames.length - 1))].toFixed(1);
    console.log(`${many} points, ${name}: drag ${(1000 * frames.length / total).toFixed(1)} frames ` +
      `a second (median ${ms(0.5)}, 95 % ${ms(0.95)}, longest ${ms(1)} ms; ${long} of ` +
      `${frames.length} longer than 33 ms); a change in every frame: ${changes.toFixed(1)}`);
  }
} finally {
  await browser.stop();
}
