// A headless Chromium, driven over a pipe by the DevTools protocol: no server, no port, no package.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Chromium {
  static async open(program, url) {
    const folder = mkdtempSync(join(tmpdir(), 'riffle-chromium-'));
    const process_ = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
      '--hide-scrollbars', '--force-color-profile=srgb', '--remote-debugging-pipe', `--user-data-dir=${folder}`],
      { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
    const browser = new Chromium(process_, folder);
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    browser.session = sessionId;
    await browser.send('Page.enable');
    await browser.send('Runtime.enable');
    await browser.send('Network.enable');
    await browser.send('Page.navigate', { url });
    return browser;
  }

  constructor(process_, folder) {
    this.process = process_;
    this.folder = folder;
    this.asked = new Map();
    this.errors = [];  // what the page said on its console, and what it threw
    this.requests = [];  // the addresses that it asked for something
    this.last = 0;
    let rest = '', said = '';
    process_.stderr.on('data', (text) => { said = (said + text).slice(-4000); });
    process_.stdio[4].setEncoding('utf8');  // a character may lie across two chunks
    process_.stdio[4].on('data', (text) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      for (const message of messages) this.hear(JSON.parse(message));
    });
    process_.on('exit', (code) => {
      for (const { reject } of this.asked.values()) reject(new Error(`the browser ended with ${code}:\n${said}`));
    });
  }

  hear(message) {
    if (message.method === 'Runtime.exceptionThrown')
      this.errors.push(message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text);
    if (message.method === 'Runtime.consoleAPICalled' && message.params.type === 'error')
      this.errors.push(message.params.args.map((each) => each.value).join(' '));
    if (message.method === 'Network.requestWillBeSent') this.requests.push(message.params.request.url);
    const waits = this.asked.get(message.id);
    if (!waits) return;
    this.asked.delete(message.id);
    if (message.error) waits.reject(new Error(message.error.message));
    else waits.resolve(message.result);
  }

  send(method, params = {}) {
    const message = { id: ++this.last, method, params };
    if (this.session) message.sessionId = this.session;
    this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) => this.asked.set(message.id, { resolve, reject }));
  }

  /** The value of an expression in the page; a promise is waited for. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate',
      { expression, returnByValue: true, awaitPromise: true, userGesture: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** Until two frames have been drawn: what was scheduled has been done. */
  frames() {
    return this.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))');
  }

  async until(expression, seconds = 60) {
    for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
      if (await this.value(expression)) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`never true within ${seconds} s: ${expression}`);
  }

  // ---- a person's hands

  async middle_of(selector) {
    return this.value(`(() => { const of = document.querySelector(${JSON.stringify(selector)});
      of.scrollIntoView({ block: 'center' }); const box = of.getBoundingClientRect();
      return { x: box.left + box.width / 2, y: box.top + box.height / 2, left: box.left, width: box.width }; })()`);
  }
  mouse(type, { x, y }, more = {}) {
    return this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', ...more });
  }
  async click(selector) {
    const place = await this.middle_of(selector);
    await this.mouse('mousePressed', place, { clickCount: 1 });
    await this.mouse('mouseReleased', place, { clickCount: 1 });
    await this.frames();
  }
  /** Drags the thumb of a slider from where it is to a share of its length. */
  async slide(selector, share, steps = 8) {
    const { y, left, width } = await this.middle_of(selector);
    const now = await this.value(`(() => { const of = document.querySelector(${JSON.stringify(selector)});
      return (of.valueAsNumber - of.min) / (of.max - of.min); })()`);
    const place = (at) => ({ x: left + 8 + (width - 16) * at, y });
    await this.mouse('mousePressed', place(now), { clickCount: 1 });
    for (let i = 1; i <= steps; ++i)
      await this.mouse('mouseMoved', place(now + (share - now) * i / steps), { buttons: 1 });
    await this.mouse('mouseReleased', place(share), { clickCount: 1 });
    await this.frames();
  }
  /** Both ends have to be in the window. */
  async drag(from, to, below = 0) {
    const end = await this.middle_of(to), start = await this.middle_of(from);
    await this.send('Input.setInterceptDrags', { enabled: true });
    const intercepted = new Promise((resolve) => {
      const hear = this.hear.bind(this);
      this.hear = (message) => {
        if (message.method === 'Input.dragIntercepted') { this.hear = hear; resolve(message.params.data); }
        hear(message);
      };
    });
    await this.mouse('mousePressed', start, { clickCount: 1 });
    await this.mouse('mouseMoved', { x: start.x + 5, y: start.y + 5 }, { buttons: 1 });
    await this.mouse('mouseMoved', { x: start.x + 10, y: start.y + 10 }, { buttons: 1 });
    const data = await intercepted;
    const place = { x: end.x, y: end.y + below };
    for (const type of ['dragEnter', 'dragOver', 'drop']) await this.send('Input.dispatchDragEvent', { type, ...place, data });
    await this.mouse('mouseReleased', place, { clickCount: 1 });
    await this.send('Input.setInterceptDrags', { enabled: false });
    await this.frames();
  }
  /** Drops files on the middle of the window. */
  async drop(files) {
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await this.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
    await this.frames();
  }
  async press(key, code = key, text) {
    const numbers = { Tab: 9, Enter: 13, ' ': 32, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
    const event = { key, code, windowsVirtualKeyCode: numbers[key] ?? 0 };
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    await this.frames();
  }
  async type(text) {
    await this.send('Input.insertText', { text });
    await this.frames();
  }
  /** Gives files to an input of the page. */
  async choose(selector, files) {
    const { root } = await this.send('DOM.getDocument');
    const { nodeId } = await this.send('DOM.querySelector', { nodeId: root.nodeId, selector });
    await this.send('DOM.setFileInputFiles', { nodeId, files });
    await this.frames();
  }

  async resize(width, height, scale = 1) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
    await this.frames();
  }
  async prefer(scheme) {
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await this.frames();
  }
  async screenshot() {
    await this.frames();
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  async close() {
    const ended = new Promise((done) => this.process.on('exit', done));
    delete this.session;
    this.send('Browser.close').catch(() => {});
    const forced = setTimeout(() => this.process.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(forced);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
