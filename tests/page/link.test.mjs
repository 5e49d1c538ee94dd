// Links to a cycle and a PE: the address follows the reader, and a link restores the view.
//
//   WEFT=build/dev/cli/weft node --test tests/page/link.test.mjs
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import {matmul_sample} from './samples.mjs';
import {kKeys} from './webdriver.mjs';

const fixture = browser_fixture();
const {evaluate} = fixture;
const kView = '[weft.cycle, weft.picked]';
let small, heat;

before(() => {
  const large = ['--array.rows', '30', '--array.cols', '30', '--unified_buffer.kib', '64'];
  small = fixture.write('small', matmul_sample([10, 9, 7], ['--machine', 'tiny']));
  heat = fixture.write('heat', matmul_sample([40, 40, 40], ['--machine', 'tiny', ...large]));
});

const hash_becomes = (hash) => fixture.browser.wait_for(`location.hash === '${hash}'`);

test('the address follows steps and picked PEs, and adds no history', async () => {
  await fixture.open_link(small, '');
  const before_steps = await evaluate('history.length');
  assert.equal(await evaluate('location.hash'), '');
  await fixture.browser.press([kKeys.right, kKeys.right, kKeys.right]);
  await hash_becomes('#cycle=3');
  await evaluate(`document.querySelector('#array-canvas').focus()`);
  await fixture.browser.press([kKeys.right, kKeys.right, kKeys.down], [kKeys.shift]);
  await hash_becomes('#cycle=3&pe=1,1');
  await fixture.browser.press([kKeys.home]);
  await hash_becomes('#cycle=0&pe=1,1');
  assert.equal(await evaluate('history.length'), before_steps);
});

test('the address keeps up while the run plays', async () => {
  await fixture.open_link(small, '');
  await evaluate('(weft.set_speed(15), weft.play(), 0)');
  await fixture.browser.wait_for(`/^#cycle=[1-9]/.test(location.hash) && weft.playing`);
  await evaluate('(weft.pause(), 0)');
  await hash_becomes(`#cycle=${await evaluate('weft.cycle')}`);
});

test('a link restores the cycle and the PE', async () => {
  await fixture.open_link(small, '#cycle=37&pe=3,2');
  assert.deepEqual(await evaluate(kView), [37, [3, 2]]);
  await fixture.browser.wait_for(
    `document.querySelector('#pe').textContent.startsWith('PE(3, 2) in cycle 37')`);
  assert.equal(await evaluate(`document.querySelector('#cycle-number').value`), '37');
  const top = await evaluate(`document.querySelector('#array').getBoundingClientRect().top`);
  assert.ok(top >= 0 && top < 200, `the array begins ${top} pixels below the window's top`);
});

test('a link to a PE of a large array moves the window to it', async () => {
  await fixture.open_link(heat, '#pe=25,13');
  assert.deepEqual(await evaluate(kView), [0, [25, 13]]);
  const {row, col, side} = await evaluate('weft.heat');
  assert.ok(row <= 25 && 25 < row + side && col <= 13 && 13 < col + side, `${row} ${col}`);
});

// The run has 84 cycles on 4 x 4 PEs.
for (const [fragment, cycle, pe] of [
  ['#cycle=84', 83, null], ['#cycle=999999999999999', 83, null], ['#cycle=-1', 0, null],
  ['#cycle=1e1', 0, null], ['#cycle=12abc&pe=0,1', 0, [0, 1]],
  ['#cycle=9999999999999999999', 0, null],
  ['#cycle=&pe=', 0, null], ['#cycle=12&pe=4,0', 12, null], ['#cycle=12&pe=0,4', 12, null],
  ['#cycle=12&pe=-1,0', 12, null], ['#cycle=12&pe=1', 12, null], ['#cycle=12&pe=1,2,3', 12, null],
  ['#cycle=NaN&pe=a,b', 0, null], ['#%', 0, null], ['#cycle=%zz', 0, null],
  ['#cycle=<script>alert(1)</script>', 0, null], ['#timeline', 0, null], ['#__proto__=1', 0, null],
]) {
  test(`what does not fit is limited or ignored: ${fragment}`, async () => {
    await fixture.open_link(small, fragment);
    assert.deepEqual(await evaluate(kView), [cycle, pe]);
  });
}

test('a link that is typed into the address of the open page is followed', async () => {
  await fixture.open_link(small, '#cycle=5');
  await evaluate(`(location.hash = '#cycle=20&pe=0,0', 0)`);
  await fixture.browser.wait_for('weft.cycle === 20 && weft.picked !== null');
  await evaluate(`(location.hash = '#timeline', 0)`);
  await evaluate('new Promise((done) => setTimeout(done, 400))');
  assert.deepEqual(await evaluate(kView), [20, [0, 0]]);
  assert.equal(await evaluate('location.hash'), '#timeline');
});

test('the button copies the address of the view, or says why not', async () => {
  await fixture.open_link(small, '#cycle=20&pe=1,3');
  const replace = (body) => evaluate(`(Object.defineProperty(navigator, 'clipboard',
    {configurable: true, value: {writeText: ${body}}}), 0)`);
  await replace('async (text) => { weft.copied = text; }');
  await evaluate('(weft.go_to(21), 0)');
  await fixture.browser.click('#copy-link');
  await fixture.browser.wait_for(`document.querySelector('#said').textContent === 'Link copied'`);
  const copied = await evaluate('weft.copied');
  assert.equal(copied, await evaluate('location.href'));
  assert.ok(copied.endsWith('small.html#cycle=21&pe=1,3'), copied);
  await replace('async () => { throw new Error(); }');
  await fixture.browser.click('#copy-link');
  await fixture.browser.wait_for(
    `document.querySelector('#said').textContent.includes('the address bar has the link')`);
});
