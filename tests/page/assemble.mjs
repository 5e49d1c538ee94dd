// Puts a page together from report/page/web and a data file, as the command does it:
//
//   node tests/page/assemble.mjs data.json page.html
import {readFileSync, writeFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const web = new URL('../../report/page/web/', import.meta.url);
const d3 = process.env.WEFT_D3 ?? '/usr/share/nodejs/d3/dist/d3.min.js';

const part = (name) => readFileSync(new URL(name, web), 'utf8');
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function scripts() {
  const names = part('scripts.txt').split('\n').filter((name) => name !== '');
  return [readFileSync(d3, 'utf8'), ...names.map(part)]
    .map((text) => `<script>\n${text}\n</script>`).join('\n');
}

/** The text of the page for `data`. Replacements are functions, so that a $ stays a $. */
export function assemble(data) {
  const parts = {
    title: escaped(data.title),
    style: part('page.css') + part('points/points.css'),
    data: JSON.stringify(data).replace(/</g, '\\u003c'),
    scripts: scripts(),
  };
  return part('page.html').replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [input, output] = process.argv.slice(2);
  writeFileSync(output, assemble(JSON.parse(readFileSync(input, 'utf8'))));
}
