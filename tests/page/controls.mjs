// Every control of the page: its place, the action, and the expected result.
//
//   page      the page to try it on
//   selector  the control, or all of a kind; the first is tried unless `at` names another
//   from      an expression that sets the page's state first
//   act       the reader's action
//   reads     an expression whose value must then be `gives`; or `is`, which must then be true
import {kKeys} from './webdriver.mjs';

const click = (browser, selector) => browser.click(selector);
const focus = (browser, selector) =>
  browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);

async function choose(browser, selector, value) {
  await browser.evaluate(`(() => {
    const select = document.querySelector('${selector}');
    select.value = '${value}';
    select.dispatchEvent(new Event('change'));
  })()`);
}

/** The middle of an element, scrolled into view, plus [dx, dy] pixels. */
async function point(browser, selector, [dx, dy] = [0, 0]) {
  const [x, y] = await browser.evaluate(`(() => {
    const node = document.querySelector('${selector}');
    node.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = node.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  })()`);
  return [x + dx, y + dy];
}

async function click_at(browser, selector, [dx, dy]) {
  const [x, y] = await point(browser, selector, [dx, dy]);
  await browser.pointer([['move', x, y], ['down'], ['up']]);
}

const kView = '[weft.timeline_view().begin, weft.timeline_view().end]';
const kWidth = 'weft.timeline_view().end - weft.timeline_view().begin';
const kOrder = `[...document.querySelectorAll('#layers-table tbody tr')]
  .map((row) => Number(row.dataset.layer))`;

// The small page: 10 x 9 x 7 on 4 x 4, 84 cycles, matmuls start at 6, 16, 26, ...
export const kControls = [
  {name: 'first cycle', page: 'small', selector: '#first', from: 'weft.go_to(20)', act: click,
    reads: 'weft.cycle', gives: 0},
  {name: 'previous fold', page: 'small', selector: '#fold-back', from: 'weft.go_to(20)', act: click,
    reads: 'weft.cycle', gives: 16},
  {name: 'step back', page: 'small', selector: '#back', from: 'weft.go_to(20)', act: click,
    reads: 'weft.cycle', gives: 19},
  {name: 'play', page: 'small', selector: '#play', from: 'weft.go_to(20)', act: click,
    is: 'weft.playing && weft.cycle > 20'},
  {name: 'pause', page: 'small', selector: '#play', from: 'weft.play()', act: click,
    reads: 'weft.playing', gives: false},
  {name: 'step forward', page: 'small', selector: '#forward', from: 'weft.go_to(20)', act: click,
    reads: 'weft.cycle', gives: 21},
  {name: 'next fold', page: 'small', selector: '#fold-forward', from: 'weft.go_to(6)', act: click,
    reads: 'weft.cycle', gives: 16},
  {name: 'last cycle', page: 'small', selector: '#last', act: click, reads: 'weft.cycle',
    gives: 83},
  {name: 'jump to a cycle', page: 'small', selector: '#cycle-number',
    act: (browser, selector) => browser.type(selector, `37${kKeys.enter}`),
    reads: 'weft.cycle', gives: 37},
  {name: 'jump beyond the end', page: 'small', selector: '#cycle-number',
    act: (browser, selector) => browser.type(selector, `5000${kKeys.enter}`),
    reads: 'weft.cycle', gives: 83},
  {name: 'cycle slider, by pointer', page: 'small', selector: '#cycle-slider', act: click,
    is: 'Math.abs(weft.cycle - 42) <= 2'},
  {name: 'cycle slider, by key', page: 'small', selector: '#cycle-slider', from: 'weft.go_to(20)',
    act: async (browser, selector) => {
      await focus(browser, selector);
      await browser.press([kKeys.right]);
    }, reads: 'weft.cycle', gives: 21},
  {name: 'speed', page: 'small', selector: '#speed',
    act: (browser, selector) => choose(browser, selector, 60), reads: 'weft.speed', gives: 60},
  {name: 'theme', page: 'small', selector: '#theme', from: `weft.set_theme('light')`, act: click,
    reads: `[weft.theme(), getComputedStyle(document.documentElement).colorScheme]`,
    gives: ['dark', 'dark']},
  {name: 'contents', page: 'small', selector: 'nav a', act: click, reads: 'location.hash',
    gives: '#sweep'},
  {name: 'skip to the charts', page: 'small', selector: '.skip',
    act: async (browser, selector) => {
      await focus(browser, selector);
      await browser.press([kKeys.enter]);
    }, reads: 'location.hash', gives: '#main'},
  {name: 'a tile of the map', page: 'small', selector: '#tile-drawing',
    act: async (browser) => {  // the fifth matmul enters tile k1 n1
      const [x, y] = await browser.evaluate(`(() => {
        document.querySelector('#tile-drawing').scrollIntoView({block: 'center'});
        const box = document.querySelector('.matrix.weights .sheet').getBoundingClientRect();
        return [box.left + 0.75 * box.width, box.top + 0.5 * box.height];
      })()`);
      await browser.pointer([['move', x, y], ['down'], ['up']]);
    },
    is: `weft.matmuls.some((each) => each.begin === weft.cycle && each.k_tile === 1 &&
      each.n_tile === 1)`},
  {name: 'a PE, by pointer', page: 'small', selector: '#array-canvas', from: 'weft.go_to(20)',
    act: (browser, selector) => click_at(browser, selector, [60, 0]),
    is: `/^PE\\([0-3], [0-3]\\) in cycle 20/.test(document.querySelector('#pe').textContent)`},
  {name: 'a PE, by key', page: 'small', selector: '#array-canvas', from: 'weft.go_to(20)',
    act: async (browser, selector) => {
      await focus(browser, selector);
      await browser.press([kKeys.right, kKeys.right, kKeys.down], [kKeys.shift]);
    }, is: `document.querySelector('#pe').textContent.startsWith('PE(1, 1) in cycle 20')`},
  {name: 'save as SVG', page: 'small', selector: '.save', at: '#ledger .save[data-kind=svg]',
    act: click, is: `/^Saved as .*-ledger\\.svg$/.test(document.querySelector('#said').textContent)`},
  {name: 'save as PNG', page: 'network', selector: '.save', at: '#layers .save[data-kind=png]',
    act: click, is: `/^Saved as .*-layers\\.png$/.test(document.querySelector('#said').textContent)`},
  {name: 'copy a link', page: 'small', selector: '#copy-link', from: 'weft.go_to(20)', act: click,
    is: `location.hash === '#cycle=20' && document.querySelector('#said').textContent !== ''`},
  {name: 'zoom in', page: 'small', selector: '#zoom-in', act: click, reads: kWidth, gives: 42},
  {name: 'zoom out', page: 'small', selector: '#zoom-out', from: 'weft.set_timeline_view(20, 41)',
    act: click, reads: kWidth, gives: 42},
  {name: 'whole run', page: 'small', selector: '#zoom-all', from: 'weft.set_timeline_view(20, 41)',
    act: click, reads: kView, gives: [0, 84]},
  {name: 'timeline, wheel', page: 'small', selector: '#timeline-canvas',
    act: async (browser, selector) => browser.wheel(...await point(browser, selector), -300),
    is: `${kWidth} < 84`},
  {name: 'timeline, drag', page: 'small', selector: '#timeline-canvas',
    from: 'weft.set_timeline_view(20, 41)',
    act: async (browser, selector) => {
      const [x, y] = await point(browser, selector);
      await browser.pointer([['move', x, y], ['down'], ['move', x - 100, y], ['up']]);
    }, is: `weft.timeline_view().begin > 20 && weft.cycle === 0`},
  {name: 'timeline, click', page: 'small', selector: '#timeline-canvas',
    act: (browser, selector) => click_at(browser, selector, [0, 0]),
    is: 'Math.abs(weft.cycle - 39) <= 3'},  // lane names take part of the width
  {name: 'timeline, keys along', page: 'small', selector: '#timeline-canvas',
    from: 'weft.set_timeline_view(10, 30)',
    act: async (browser, selector) => {
      await focus(browser, selector);
      await browser.evaluate('weft.set_timeline_view(10, 30)');
      await browser.press([kKeys.right], [kKeys.shift]);
    }, reads: kView, gives: [15, 35]},
  {name: 'timeline, keys to an instruction', page: 'small', selector: '#timeline-canvas',
    act: async (browser, selector) => {
      await focus(browser, selector);
      await browser.press(['.', '.', ',', kKeys.enter]);
    },
    is: `document.querySelector('#instruction').textContent
      .includes(weft.data.timeline.instructions.text[1]) &&
      weft.cycle === weft.data.timeline.instructions.started[1]`},
  {name: 'a point of the roofline', page: 'small', selector: '#roofline circle',
    act: focus, is: `document.querySelector('#tip').textContent.includes('of the peak')`},
  {name: 'what the picture shows', page: 'heat', selector: '#quantity',
    act: (browser, selector) => choose(browser, selector, 'weight_active'),
    reads: 'weft.heat.quantity', gives: 'weight_active'},
  {name: 'how much the window shows', page: 'heat', selector: '#window-side',
    act: (browser, selector) => choose(browser, selector, '4'),
    reads: `[weft.heat.side, document.querySelector('#zoom-canvas').clientHeight]`,
    gives: [4, 20 + 4 * 62]},
  {name: 'window on the array, by pointer', page: 'heat', selector: '#array-canvas',
    act: (browser, selector) => click_at(browser, selector, [100, 100]),
    is: 'weft.heat.row > 4 && weft.heat.col > 4'},
  {name: 'window on the array, by key', page: 'heat', selector: '#array-canvas',
    act: async (browser, selector) => {
      await focus(browser, selector);
      await browser.press([kKeys.right, kKeys.right, kKeys.down], [kKeys.shift]);
    }, reads: '[weft.heat.row, weft.heat.col]', gives: [1, 2]},
  {name: 'a PE of the window', page: 'heat', selector: '#zoom-canvas',
    act: (browser, selector) => click_at(browser, selector, [0, 0]),
    is: `document.querySelector('#pe').textContent.startsWith('PE(')`},
  {name: 'tile map', page: 'network', selector: '#map-choice',
    act: (browser, selector) => choose(browser, selector, 1), reads: 'weft.map', gives: 1},
  {name: 'sort the layers', page: 'network', selector: '.sort', at: 'th[data-key=cycles] .sort',
    act: click, is: `${kOrder}[0] === weft.data.layers.findIndex(
      (layer) => layer.cycles === Math.max(...weft.data.layers.map((each) => each.cycles)))`},
  {name: 'choose a layer', page: 'network', selector: '.row-button',
    at: `tr[data-layer='4'] .row-button`, act: click,
    is: `weft.cycle === weft.data.layers[4].begin &&
      weft.map === weft.data.layers[4].tile_map`},
];

// Every key of the page's list. `focus` names the focused element.
export const kKeyTable = [
  {name: 'Space', keys: [' '], is: 'weft.playing'},
  {name: '→', keys: [kKeys.right], reads: 'weft.cycle', gives: 21},
  {name: '←', keys: [kKeys.left], reads: 'weft.cycle', gives: 19},
  {name: 'Page ↓', keys: ['\uE00F'], reads: 'weft.cycle', gives: 36},
  {name: 'Page ↑', keys: ['\uE00E'], reads: 'weft.cycle', gives: 4},
  {name: 'Home', keys: [kKeys.home], reads: 'weft.cycle', gives: 0},
  {name: 'End', keys: [kKeys.end], reads: 'weft.cycle', gives: 83},
  {name: ']', keys: [']'], reads: 'weft.cycle', gives: 26},
  {name: '[', keys: ['['], reads: 'weft.cycle', gives: 16},
  {name: '>', keys: ['>'], reads: 'weft.speed', gives: 4},
  {name: '<', keys: ['<'], reads: 'weft.speed', gives: 1},
  {name: '+', keys: ['+'], reads: kWidth, gives: 42},
  {name: '−', keys: ['+', '+', '-'], reads: kWidth, gives: 42},
  {name: '0', keys: ['+', '+', '0'], reads: kView, gives: [0, 84]},
  {name: 'Shift ←  →', focus: '#timeline-canvas', keys: [kKeys.left], held: [kKeys.shift],
    from: 'weft.set_timeline_view(20, 40)', reads: kView, gives: [15, 35]},
  {name: ',  .', focus: '#timeline-canvas', keys: ['.', ','],
    is: `document.querySelector('#instruction').textContent.includes('instruction ')`},
  {name: 'Enter', focus: '#timeline-canvas', keys: ['.', kKeys.enter],
    is: 'weft.data.timeline.instructions.started.includes(weft.cycle)'},
  {name: 'Shift + arrows', focus: '#array-canvas', keys: [kKeys.right], held: [kKeys.shift],
    is: `document.querySelector('#pe').textContent.startsWith('PE(0, 0) in cycle 20')`},
];
