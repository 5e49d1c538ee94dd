// Each control of controls.mjs works as listed there, and the page has no others.
//
//   WEFT=build/dev/cli/weft node --test tests/page/controls.test.mjs
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import {kControls, kKeyTable} from './controls.mjs';
import {matmul_sample, network_sample} from './samples.mjs';

const fixture = browser_fixture();
const {evaluate} = fixture;
const pages = {};

before(() => {
  const large = ['--array.rows', '20', '--array.cols', '20', '--unified_buffer.kib', '64'];
  pages.small = fixture.write('small', matmul_sample([10, 9, 7], ['--machine', 'tiny']));
  pages.heat = fixture.write('heat', matmul_sample([30, 30, 30], ['--machine', 'tiny', ...large]));
  pages.network = fixture.write('network', network_sample('lenet5', ['--machine', 'tiny']));
});

async function holds({reads, gives, is}) {
  if (is) await fixture.browser.wait_for(is);
  else assert.deepEqual(await evaluate(reads), gives);
}

for (const control of kControls) {
  test(`control: ${control.name}`, async () => {
    await fixture.open(pages[control.page]);
    if (control.from) await evaluate(`(${control.from}, 0)`);
    await control.act(fixture.browser, control.at ?? control.selector);
    await holds(control);
    assert.deepEqual(await fixture.browser.log(), []);
  });
}

test('every control of the page stands in the table', async () => {
  for (const [name, page] of Object.entries(pages)) {
    await fixture.open(page);
    const selectors = kControls.map(({selector}) => selector).join(', ');
    const others = await evaluate(`[...document.querySelectorAll(
      'button, input, select, textarea, a, canvas, summary, [tabindex]')]
      .filter((node) => node.checkVisibility() && !node.matches(${JSON.stringify(selectors)}))
      .map((node) => node.outerHTML.slice(0, 120))`);
    assert.deepEqual(others, [], name);
  }
});

for (const entry of kKeyTable) {
  test(`key: ${entry.name}`, async () => {
    await fixture.open(pages.small);
    await evaluate(`(weft.go_to(20), document.activeElement.blur(), 0)`);
    if (entry.focus) await evaluate(`document.querySelector('${entry.focus}').focus()`);
    if (entry.from) await evaluate(`(${entry.from}, 0)`);
    await fixture.browser.press(entry.keys, entry.held);
    await holds(entry);
  });
}

test('the page lists the keys of the table, and no others', async () => {
  await fixture.open(pages.small);
  const listed = await evaluate(`[...document.querySelectorAll('#foot kbd')]
    .map((node) => node.textContent)`);
  assert.deepEqual(listed.sort(), kKeyTable.map(({name}) => name).sort());
});

test('keys are left to the field in which somebody types', async () => {
  await fixture.open(pages.small);
  await fixture.browser.click('#cycle-number');
  await fixture.browser.press([' ', '\uE011', '\uE012', ']']);
  assert.equal(await evaluate('weft.cycle'), 0);
  assert.equal(await evaluate('weft.playing'), false);
});

test('every control can be reached with the tab key', async () => {
  await fixture.open(pages.small);
  const wanted = await evaluate(`[...document.querySelectorAll(
    'button, input, select, a, canvas')].filter((node) => node.checkVisibility()).length`);
  const reached = new Set();
  for (let i = 0; i < wanted + 20; ++i) {
    await fixture.browser.press(['\uE004']);
    const at = await evaluate(`[...document.querySelectorAll('button, input, select, a, canvas')]
      .indexOf(document.activeElement)`);
    if (at >= 0) reached.add(at);
  }
  assert.equal(reached.size, wanted);
});
