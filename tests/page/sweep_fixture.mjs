// Pages of `weft sweep --report DB --html FILE` with the rows of the same sweeps as CSV, and what the
// tests of these pages share: counts from the rows, made without the page's scripts.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

import {browser_fixture} from './browser_fixture.mjs';
import {weft} from './samples.mjs';

export const kProduct = ['matmul', '8', '8', '8', '--machine', 'tiny'];

/** 10,000 points. */
export const kMany = [...kProduct, '--memory.kind', 'shared', '--array.rows', '1..10',
  '--array.cols', '1..10', '--clock_mhz', '100..1000+100', '--memory.gb_per_s',
  '0.5,1,1.5,2,2.5,3,3.5,4,5,6'];

export const kTwelve = [...kProduct, '--array.rows', '2,4,8', '--memory.kind', 'ideal,shared',
  '--clock_mhz', '100,200'];

/** The fields of CSV text (RFC 4180). */
function rows_of(text) {
  const [head, ...lines] = text.trimEnd().split('\n').map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      (quoted === undefined ? plain : quoted.replace(/""/g, '"'))));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

// --- What the rows say ---------------------------------------------------------------------------

const known = (row, name) => (row[name] === '' ? NaN : Number(row[name]));
export const inside = (row, name, [low, high]) => known(row, name) >= low && known(row, name) <= high;
export const command = (row) => row.command;

/** The commands of the points that no other beats: at most as large in both and smaller in one. */
export function front_of(rows, x, y, [sx, sy] = [1, 1]) {
  const good = rows.filter((row) => row.error === '');
  const beats = (a, b) => sx * a[x] <= sx * b[x] && sy * a[y] <= sy * b[y] &&
    (sx * a[x] < sx * b[x] || sy * a[y] < sy * b[y]);
  const pairs = new Map();  // of equal points any one
  for (const row of good) pairs.set(`${row[x]} ${row[y]}`, {[x]: +row[x], [y]: +row[y]});
  const all = [...pairs.values()];
  return all.filter((row) => !all.some((other) => beats(other, row)))
    .sort((a, b) => sx * (a[x] - b[x]));
}

// --- What the page shows -------------------------------------------------------------------------

/** A browser fixture with `pages` and `tables` (rows as objects of texts) by name. */
export function sweep_fixture() {
  const fixture = browser_fixture();
  const {evaluate} = fixture;
  const pages = {};
  const tables = {};

  /** Runs sweeps into one database and writes its page. */
  function sweep(name, ...sweeps) {
    const file = (ending) => join(fixture.folder, `${name}.${ending}`);
    tables[name] = sweeps.flatMap((words) => {
      weft(['sweep', ...words, '--quiet', '--db', file('db'), '--csv', file('csv')]);
      return rows_of(readFileSync(file('csv'), 'utf8'));
    });
    pages[name] = file('html');
    weft(['sweep', '--report', file('db'), '--quiet', '--html', pages[name]]);
  }

  /** The page of a sweep that ran, with further options. */
  function report_page(name, words) {
    const page = join(fixture.folder, `${name}-again.html`);
    weft(['sweep', '--report', join(fixture.folder, `${name}.db`), ...words, '--quiet', '--html',
      page]);
    return page;
  }

  const drawn = () => evaluate(`new Promise((done) => requestAnimationFrame(() =>
    requestAnimationFrame(done)))`);

  return Object.assign(fixture, {
    pages, tables, sweep, report_page, drawn,
    shown_commands: () =>
      evaluate('[...weft.points.shown].map((row) => weft.points.command(row))'),
    shown_count: () => evaluate('weft.points.shown.length'),
    /** The two figures of each point of the front. */
    front: () => evaluate(`weft.points.front.map((row) =>
      weft.points.weighed.map(({values}) => values[row]))`),
    rowcount: (id) => evaluate(
      `Number(document.querySelector('#${id}').getAttribute('aria-rowcount')) - 1`),
    brush_of: (name) => evaluate(`weft.points.brushes.get('${name}')`),
    text_of: (selector) => evaluate(`document.querySelector('${selector}').textContent`),

    /** The texts of a column in the rows in view, each with the row's place. */
    in_view: (key) => evaluate(`(() => {
      const at = [...document.querySelectorAll('#points-table th')]
        .findIndex((node) => node.dataset.key === '${key}');
      return [...document.querySelectorAll('#points-table tr[data-row]')]
        .map((line) => [Number(line.getAttribute('aria-rowindex')) - 2,
          line.cells[at].textContent]);
    })()`),

    async choose(selector, value) {
      await evaluate(`(() => {
        const select = document.querySelector('${selector}');
        select.value = '${value}';
        select.dispatchEvent(new Event('change'));
      })()`);
      await drawn();
    },
  });
}
