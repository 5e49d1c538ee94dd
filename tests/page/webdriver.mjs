// A WebDriver client with the parts that the page tests need (https://www.w3.org/TR/webdriver2).
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const kElement = 'element-6066-11e4-a52e-4f735466cecf';  // the key of an element reference

export const kKeys = {left: '\uE012', up: '\uE013', right: '\uE014', down: '\uE015', home: '\uE011',
  end: '\uE010', shift: '\uE008', enter: '\uE007', tab: '\uE004'};

function free_port() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject).listen(0, '127.0.0.1', () => {
      const {port} = server.address();
      server.close(() => resolve(port));
    });
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Browser {
  /** Starts chromedriver on a free port, and a Chromium with a temporary profile. */
  static async start(extra_args = []) {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), 'weft-browser-'));
    const port = await free_port();
    browser.driver = spawn(process.env.CHROMEDRIVER ?? 'chromedriver', [`--port=${port}`],
      {stdio: 'ignore'});
    browser.driver.on('error', () => {});  // shows as a driver that does not answer
    browser.kill = () => browser.driver.kill('SIGKILL');
    process.on('exit', browser.kill);
    browser.base = `http://127.0.0.1:${port}`;
    try {
      await browser.ready();
      await browser.open_session(extra_args);
    } catch (error) {
      await browser.stop();
      throw error;
    }
    return browser;
  }

  async ready() {
    for (let tries = 0; tries < 150; ++tries) {
      const answer = await fetch(`${this.base}/status`).catch(() => null);
      if (answer && (await answer.json()).value.ready) return;
      await pause(100);
    }
    throw new Error('chromedriver does not answer; is chromium-driver installed?');
  }

  async open_session(extra_args) {
    const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
      `--user-data-dir=${this.profile}`, ...extra_args];
    const {sessionId} = await this.call('POST', '/session', {capabilities: {alwaysMatch: {
      'browserName': 'chrome', 'goog:chromeOptions': {args},
      'goog:loggingPrefs': {browser: 'ALL'}}}}, '');
    this.session = `/session/${sessionId}`;
    // Chromium sends focus events only to a window with focus, which a headless one may lack.
    await this.devtools('Emulation.setFocusEmulationEnabled', {enabled: true});
  }

  async call(method, path, body, prefix = this.session) {
    const answer = await fetch(this.base + prefix + path,
      {method, body: body && JSON.stringify(body)});
    const {value} = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }

  open(url) { return this.call('POST', '/url', {url}); }

  /** The value of a JavaScript expression; awaits a promise. */
  evaluate(expression) {
    return this.call('POST', '/execute/sync', {script: `return (${expression});`, args: []});
  }

  /** Waits until the expression is truthy and returns its value. */
  async wait_for(expression) {
    for (let tries = 0; tries < 200; ++tries) {
      const value = await this.evaluate(expression);
      if (value) return value;
      await pause(50);
    }
    throw new Error(`still not so after ten seconds: ${expression}`);
  }

  async find(selector) {
    const found = await this.call('POST', '/element', {using: 'css selector', value: selector});
    return `/element/${found[kElement]}`;
  }

  /** Clicks an element. If the page drew it anew after it was found, finds and clicks it again. */
  async click(selector) {
    for (let tries = 0; ; ++tries) {
      try {
        return await this.call('POST', `${await this.find(selector)}/click`, {});
      } catch (error) {
        if (tries === 20 || !error.message.includes('stale element reference')) throw error;
        await pause(50);
      }
    }
  }

  async type(selector, text) {
    const element = await this.find(selector);
    await this.call('POST', `${element}/clear`, {});
    await this.call('POST', `${element}/value`, {text});
  }

  /** Presses keys one after the other while `held` keys are down. */
  async press(keys, held = []) {
    const down = (value) => ({type: 'keyDown', value});
    const up = (value) => ({type: 'keyUp', value});
    const actions = [...held.map(down), ...[...keys].flatMap((key) => [down(key), up(key)]),
      ...held.map(up)];
    await this.call('POST', '/actions', {actions: [{type: 'key', id: 'keyboard', actions}]});
  }

  /** Performs pointer actions in the window: [['move', x, y], ['down'], ['up']]. */
  async pointer(steps) {
    const actions = steps.map(([kind, x, y]) => (kind === 'move'
      ? {type: 'pointerMove', duration: 0, x: Math.round(x), y: Math.round(y)}
      : {type: kind === 'down' ? 'pointerDown' : 'pointerUp', button: 0}));
    await this.call('POST', '/actions', {actions: [{type: 'pointer', id: 'mouse',
      parameters: {pointerType: 'mouse'}, actions}]});
  }

  async wheel(x, y, delta) {
    await this.call('POST', '/actions', {actions: [{type: 'wheel', id: 'wheel', actions: [
      {type: 'scroll', x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY: delta}]}]});
  }

  /** Sets the size of the page area, which may be smaller than any real window. */
  async resize(width, height, command = 'Emulation.setDeviceMetricsOverride') {
    await this.devtools(command, {width, height, deviceScaleFactor: 1, mobile: false});
  }

  devtools(cmd, params = {}) {
    return this.call('POST', '/goog/cdp/execute', {cmd, params});
  }

  /** Console messages since the last call. */
  log() { return this.call('POST', '/se/log', {type: 'browser'}); }

  async screenshot(path) {
    const {cssContentSize: {width, height}} = await this.devtools('Page.getLayoutMetrics');
    const {data} = await this.devtools('Page.captureScreenshot',
      {captureBeyondViewport: true, clip: {x: 0, y: 0, width, height, scale: 1}});
    writeFileSync(path, Buffer.from(data, 'base64'));
  }

  async stop() {
    if (this.session) await this.call('DELETE', '').catch(() => {});
    process.off('exit', this.kill);
    const ended = new Promise((resolve) => this.driver.once('exit', resolve));
    if (this.driver.exitCode === null && this.driver.kill('SIGKILL')) await ended;
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
  }
}
