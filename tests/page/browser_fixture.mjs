// A browser and a folder for the pages of one test file. Both are removed when its tests end.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';

import {assemble} from './assemble.mjs';
import {loads_without_complaint} from './checks.mjs';
import {Browser} from './webdriver.mjs';

/** Returns an object with a `browser`, which starts before the first test. */
export function browser_fixture() {
  const fixture = {
    folder: mkdtempSync(join(tmpdir(), 'weft-pages-')),

    /** Writes the page of `data` and returns its path. */
    write(name, data) {
      const path = join(fixture.folder, `${name}.html`);
      writeFileSync(path, assemble(data));
      return path;
    },

    async open(path, width = 1280) {
      await fixture.browser.resize(width, 900);
      await loads_without_complaint(fixture.browser, pathToFileURL(path).href);
    },

    /** Opens a link to the page; a new document, even if the page is already open. */
    async open_link(path, fragment) {
      await fixture.browser.open('about:blank');
      await fixture.browser.resize(1280, 900);
      await loads_without_complaint(fixture.browser, pathToFileURL(path).href + fragment);
    },

    evaluate: (expression) => fixture.browser.evaluate(expression),

    /** Scrolls an element into view and returns its middle. */
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
