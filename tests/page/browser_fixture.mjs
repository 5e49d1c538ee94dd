// A browser and a folder for the pages of one test file, both gone when its tests end.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';

import {assemble} from './assemble.mjs';
import {loads_without_complaint} from './checks.mjs';
import {Browser} from './webdriver.mjs';

/** An object whose `browser` is there once the tests begin. */
export function browser_fixture() {
  const fixture = {
    folder: mkdtempSync(join(tmpdir(), 'weft-pages-')),

    /** The path of a page of `data`. */
    write(name, data) {
      const path = join(fixture.folder, `${name}.html`);
      writeFileSync(path, assemble(data));
      return path;
    },

    async open(path, width = 1280) {
      await fixture.browser.resize(width, 900);
      await loads_without_complaint(fixture.browser, pathToFileURL(path).href);
    },

    evaluate: (expression) => fixture.browser.evaluate(expression),

    /** The middle of an element of the page, which is scrolled into view. */
    middle: (selector) => fixture.browser.evaluate(`(() => {
      const node = document.querySelector(${JSON.stringify(selector)});
      node.scrollIntoView({block: 'center', behavior: 'instant'});
      const box = node.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    })()`),
  };
  before(async () => { fixture.browser = await Browser.start(); });
  after(async () => {
    if (fixture.browser) await fixture.browser.stop();
    rmSync(fixture.folder, {recursive: true});
  });
  return fixture;
}
