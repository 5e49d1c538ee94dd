// The pages that the command itself writes: whole, small, and true to the waveform of the same run.
//
//   WEFT=build/dev/cli/weft node --test tests/page/command.test.mjs
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';

import {browser_fixture} from './browser_fixture.mjs';
import * as checks from './checks.mjs';
import {matmul_model} from './onnx_model.mjs';
import {read_vcd} from './vcd.mjs';
import {weft} from './samples.mjs';

const fixture = browser_fixture();
const kTiny = ['--machine', 'tiny'];
const kSixteen = ['--array.rows', '16', '--array.cols', '16', '--unified_buffer.kib', '256'];
const kAttack = '</script><script>globalThis.attacked = 1</script>';

/** Has the command write the page of `words`; its path. */
function page_of(words) {
  const path = join(fixture.folder, `${words.join('_').replaceAll('/', '_').slice(-80)}.html`);
  weft([...words, '--html', path]);
  return path;
}

const sections = () => fixture.evaluate(
  `[...document.querySelectorAll('main > section')].map((section) => section.id)`);

// Which sections each page has; those of a product all, since a product has all of the data.
const kProduct = ['tiles', 'array', 'timeline', 'ledger', 'roofline'];
const kNetwork = ['tiles', 'array', 'timeline', 'ledger', 'roofline', 'layers'];
const kPages = [
  {name: 'a product', words: ['matmul', '10', '9', '7', ...kTiny], has: kProduct},
  {name: 'a product without a rest', words: ['matmul', '8', '8', '8', ...kTiny], has: kProduct},
  {name: 'the least product', words: ['matmul', '1', '1', '1', ...kTiny], has: kProduct},
  {name: 'bf16', words: ['matmul', '10', '9', '7', ...kTiny, '--array.dtype', 'bf16'],
    has: kProduct},
  {name: 'memory in the way', words: ['matmul', '20', '30', '20', ...kTiny, '--memory.kind',
    'shared', '--memory.gb_per_s', '0.5'], has: kProduct},
  {name: '256 tiles of 16 x 16', words: ['matmul', '64', '256', '256', ...kTiny, ...kSixteen],
    has: kProduct},
  {name: 'an array to zoom in', words: ['matmul', '70', '100', '90', '--machine', 'edge-tpu'],
    has: kProduct},
  {name: 'a thousand cubed on 128 x 128', words: ['matmul', '1000', '1000', '1000'],
    has: kProduct},
  {name: 'more instructions than are listed', words: ['matmul', '300', '400', '400', ...kTiny],
    has: kProduct, left_out: true},
  {name: 'cycles alone', words: ['matmul', '20', '20', '20', ...kTiny, '--engine', 'analytic'],
    has: ['tiles', 'timeline', 'ledger', 'roofline']},
  {name: 'a convolution', words: ['conv', '--input', '1,3,12,12', '--filters', '8', '--kernel', '3',
    ...kTiny], has: ['tiles', 'timeline', 'ledger', 'layers']},
  {name: 'a network', words: ['run', 'lenet5', ...kTiny], has: kNetwork.filter((id) =>
    id !== 'array')},
  {name: 'an explanation', words: ['explain', '10', '9', '7', ...kTiny],
    has: ['tiles', 'timeline', 'ledger']},
  {name: 'a sweep', words: ['explain', '10', '9', '7', ...kTiny, '--sweep', 'n=1..40'],
    has: ['tiles', 'ledger', 'sweep']},
];

for (const {name, words, has, left_out} of kPages) {
  test(`the command's page is whole: ${name}`, async () => {
    const path = page_of(words);
    await checks.is_whole(fixture, path);
    const shown = await sections();
    for (const id of has) assert.ok(shown.includes(id), `section ${id} among ${shown}`);
    if (!left_out) return;
    assert.ok(checks.data_of(path).timeline.left_out > 0, 'nothing is left out here');
    assert.ok(await fixture.evaluate(`document.querySelector('.notes, .beyond') !== null`));
  });
}

for (const dtype of ['int8', 'bf16', 'fp16']) {
  test(`the command's page shows the registers of the waveform: ${dtype}`, async () => {
    const words = ['matmul', '9', '10', '11', ...kTiny, '--array.dtype', dtype];
    const path = page_of(words);
    const vcd = join(fixture.folder, `${dtype}.vcd`);
    weft([...words, '--engine', 'stepped', '--quiet', '--vcd', vcd]);
    const dump = read_vcd(vcd);
    assert.ok(dump.cycles.length > 100);
    await checks.is_whole(fixture, path, dump);
  });
}

test('a program has a page too', async () => {
  const program = join(fixture.folder, 'p.weft');
  weft(['compile', '10', '9', '7', ...kTiny, '-o', program]);
  await checks.is_whole(fixture, page_of(['exec', program, ...kTiny]));
});

test('a node whose name is a script is text', async () => {
  const model = join(fixture.folder, 'attack.onnx');
  writeFileSync(model, matmul_model(kAttack, 6, 9, 7));
  const path = page_of(['run', model, ...kTiny]);
  await checks.is_whole(fixture, path);
  assert.ok(checks.data_of(path).layers.some((layer) => layer.name.includes(kAttack)));
  assert.equal(await fixture.evaluate('globalThis.attacked ?? 0'), 0);
  const table = await fixture.evaluate(`document.querySelector('#layers-table').textContent`);
  assert.ok(table.includes(kAttack), table);
});
