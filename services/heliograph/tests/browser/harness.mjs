/** A browser before the page: opens it in a size, watches what goes wrong, and judges what is to be seen. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What Chromium needs as root, and without a network to talk to. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** The rules that a view has to keep: those of WCAG 2.2 AA, and what is good practice beside them. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export const SIZES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};

/** How long something may take to appear. Generous: the machine may be busy with other tests. */
const PATIENCE = 30_000;

export const browser = () => chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: FLAGS });

/** Everything that was wrong, in words. */
export const faults = [];

/** One browser profile of a person. */
export class Visit {
  static async begin(browser, name, url) {
    const context = await browser.newContext({ ...SIZES[name], baseURL: url, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    return new Visit(name, context, page);
  }

  constructor(name, context, page) {
    Object.assign(this, { name, context, page, isPhone: name === 'phone', view: 'start' });
    /** Console messages that belong to what is tried: a server that is away is one in the console, too. */
    this.expected = undefined;
    page.on('console', (message) => {
      if (message.type() === 'error' && !this.expected?.test(message.text())) this.fault(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.fault(`error: ${error.message}`));
  }

  fault(text) {
    faults.push(`${this.name}, ${this.view}: ${text}`);
  }

  /** Notes a fault unless `holds`. */
  expect(holds, text) {
    if (!holds) this.fault(text);
  }

  /** Judges what is to be seen, in light and dark. */
  async look(view) {
    this.view = view;
    for (const scheme of ['light', 'dark']) {
      this.view = `${view}, ${scheme}`;
      await this.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await this.#keepsItsWidth();
      await this.#isAccessible(scheme);
      if (process.env.SHOTS) await this.page.screenshot({ path: join(process.env.SHOTS, `${this.name}-${view.replace(/\W+/g, '-')}-${scheme}.png`) });
    }
    this.view = view;
    await this.#coversNothing();
  }

  /** Nothing scrolls sideways save what says that it does. Charts take a new width of the window a moment after it. */
  async #keepsItsWidth() {
    let wide = await this.#tooWide();
    for (let tries = 0; wide.length > 0 && tries < 40; tries += 1) {
      await this.page.waitForTimeout(100);
      wide = await this.#tooWide();
    }
    for (const text of wide) this.fault(`too wide: ${text}`);
  }

  async #tooWide() {
    return this.page.evaluate(() => {
      const own = '.table-scroll, pre, .entry-title, .title, .read-only, textarea, svg';
      const found = [];
      const room = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth > room) found.push(`the page is ${document.documentElement.scrollWidth} px wide in ${room}`);
      for (const element of document.querySelectorAll('body *')) {
        if (!(element instanceof HTMLElement) || element.closest(own) || element.offsetParent === null || element.clientWidth === 0) continue;
        if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible') found.push(`${element.className || element.tagName} holds ${element.scrollWidth} px in ${element.clientWidth}`);
        const { right, left, width } = element.getBoundingClientRect();
        if (width > 0 && element.closest('#log') && (right > room + 1 || left < -1)) found.push(`${element.className || element.tagName} reaches from ${Math.round(left)} to ${Math.round(right)} of ${room}`);
      }
      return found.slice(0, 5);
    });
  }

  /** What is there is the same in both; in the dark only its colours are judged. */
  async #isAccessible(scheme) {
    if (!(await this.page.evaluate(() => 'axe' in window))) await this.page.evaluate(axeSource);
    const runOnly = scheme === 'light' ? { type: 'tag', values: RULES } : { type: 'rule', values: ['color-contrast'] };
    const violations = await this.page.evaluate(async (rules) => (await window.axe.run(document, { runOnly: rules, resultTypes: ['violations'] })).violations.map(({ id, nodes }) => `${id} at ${nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ')}`), runOnly);
    for (const text of violations) this.fault(`axe: ${text}`);
  }

  /** At its end a conversation is whole: neither the composer nor the button to its end lies over it. */
  async #coversNothing() {
    const covered = await this.page.evaluate(() => {
      const scroller = document.getElementById('scroller');
      const last = document.getElementById('log')?.lastElementChild;
      const composer = document.getElementById('composer');
      if (!scroller || !last || !composer || composer.offsetParent === null) return undefined;
      const before = scroller.scrollTop;
      scroller.scrollTop = scroller.scrollHeight;
      const rest = last.getBoundingClientRect().bottom - composer.getBoundingClientRect().top;
      scroller.scrollTop = before;
      if (rest > 0) return `the end of the conversation lies ${Math.round(rest)} px below the composer's edge`;
      const jump = document.getElementById('jump');
      const outside = jump && !jump.hidden && jump.getBoundingClientRect().top < composer.getBoundingClientRect().top;
      return outside ? 'the button to the end lies over the conversation' : undefined;
    });
    if (covered) this.fault(covered);
  }

  /** Each size has a person of its own: what one chose is remembered for the next time. */
  async signIn() {
    await this.page.fill('#username', this.isPhone ? process.env.PHONE_USER : process.env.DESKTOP_USER);
    await this.page.fill('#password', process.env.PASSWORD_OF_TEST);
    await this.page.click('#sign-in-form button');
    await this.page.waitForSelector('#chat-view:not([hidden])');
  }

  /** A new conversation with an assistant. */
  async begin(assistant) {
    await this.page.click(this.isPhone ? '.top [data-new]' : '.sidebar [data-new]');
    await this.page.click(`.choice >> text="${assistant}"`);
  }

  /** Says something and waits for the whole answer. A source that is too busy is asked again, as the answer proposes. */
  async say(text) {
    for (let said = text, times = 0; said && times < 5; times += 1) {
      await this.page.fill('#message', said);
      await this.page.press('#message', 'Enter');
      await this.answered();
      said = (await this.answer()).includes('Say “continue”') ? 'continue' : undefined;
    }
  }

  async answered() {
    await this.page.waitForSelector('.message.assistant:last-child[data-phase="idle"]');
    await this.page.waitForSelector('[data-send]:not([hidden])');
  }

  /** The text of the last answer. */
  answer() {
    return this.page.locator('.message.assistant').last().innerText();
  }

  /** The whole conversation as it reads, without what only the page that saw it happen can know. */
  async conversation() {
    const text = await this.page.locator('#log').innerText();
    return text.replace(/(\d+ tool calls?), [\d.]+ m?s/g, '$1').replace(/\s+/g, ' ').trim();
  }

  get address() {
    return new URL(this.page.url()).hash;
  }
}
