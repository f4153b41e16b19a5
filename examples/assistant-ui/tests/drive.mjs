// Leads the built page in a real browser, over a running product.
// HELIOGRAPH_URL: the product. SLOW_URL: one whose model begins an answer and does not end it.
// Usage: HELIOGRAPH_URL=… SLOW_URL=… USER_OF_TEST=demo PASSWORD_OF_TEST=… CHROMIUM=/usr/bin/chromium node tests/drive.mjs
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { preview } from 'vite';

const { HELIOGRAPH_URL, SLOW_URL, USER_OF_TEST, PASSWORD_OF_TEST, CHROMIUM } = process.env;
/** How long something may take to appear. Generous: the machine may be busy with other tests. */
const PATIENCE = Number(process.env.PATIENCE ?? 60_000);

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
const servers = [];
const faults = [];
try {
  const page = await visit(HELIOGRAPH_URL);
  await cards(page);
  await pickers(page);
  await history(page);
  await plans(page);
  await signsOut(page);
  if (SLOW_URL) await resumesAndStops(await visit(SLOW_URL));
} finally {
  await browser.close();
  await Promise.all(servers.map((server) => server.close()));
}
assert.deepEqual(faults, []);

/** A browser before the page over one product, signed in. */
async function visit(target) {
  const proxy = Object.fromEntries(['/api', '/auth'].map((path) => [path, { target }]));
  const server = await preview({ preview: { port: 0, host: '127.0.0.1', proxy }, logLevel: 'error' });
  servers.push(server);
  const context = await browser.newContext({ baseURL: server.resolvedUrls.local[0] });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
  await page.goto('/');
  await page.getByLabel('Name').fill(USER_OF_TEST);
  await page.getByLabel('Password').fill(PASSWORD_OF_TEST);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Choose an assistant.').waitFor();
  return page;
}

function begin(page, assistant) {
  return page.getByRole('button', { name: `New: ${assistant}` }).click();
}

async function say(page, text) {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Waits until nothing is being answered. */
function answered(page) {
  return page.getByRole('button', { name: 'Send' }).waitFor();
}

async function cards(page) {
  await begin(page, 'Solar site');
  await page.getByRole('button', { name: 'Morning briefing' }).click();
  await page.locator('[data-component="FleetOverview"]').waitFor();
  await answered(page);
  assert.match(await page.locator('.message.assistant').last().innerText(), /inverters/);
  // A suggestion of a card is the next message.
  await page.locator('.suggestions button').first().click();
  await page.locator('.message.user').nth(1).waitFor();
  await page.locator('.message.assistant').nth(1).waitFor();
  await answered(page);
}

async function pickers(page) {
  await begin(page, 'Solar site');
  await say(page, 'Check the health');
  const device = page.getByRole('radio').first();
  await device.waitFor();
  await answered(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  assert.equal(await page.locator('form.picker [role=alert]').innerText(), 'Choose at least 1.');
  await device.check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('.picker .chosen').waitFor();
  const chosen = await page.locator('.picker .chosen').innerText();
  await page.locator('[data-component="HealthReport"]').getByText(chosen).first().waitFor();
  await answered(page);
  // The answer went to the call, and not beside it as another message.
  assert.equal(await page.locator('.message.user').count(), 1);
}

/** After a reload the conversation is there as it was, and the next message continues it. */
async function history(page) {
  const before = await words(page);
  await page.reload();
  await page.locator('[data-component="HealthReport"]').waitFor();
  assert.equal(await words(page), before);
  await say(page, 'Forecast for it');
  await page.locator('.message.user').nth(1).waitFor();
  await page.locator('.message.assistant').nth(1).waitFor();
  await answered(page);
  const titles = page.locator('.history .entry');
  assert.equal(await titles.count(), 2);
  await titles.nth(1).click();
  await page.locator('[data-component="FleetOverview"]').waitFor();
  await page.getByRole('button', { name: /^Delete/ }).nth(1).click();
  await page.getByText('Choose an assistant.').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.history .entry').length === 1);
}

async function plans(page) {
  await begin(page, 'Analyst');
  await page.locator('.starters button').nth(1).click();
  await page.locator('.plan[data-state="complete"]').waitFor();
  await answered(page);
  assert.equal(await page.locator('.plan').count(), 1);
  assert.ok((await page.locator('.plan li[data-status="complete"]').count()) > 2);
  assert.ok((await page.locator('figure rect').count()) > 2);
}

async function signsOut(page) {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
}

/** An answer goes on without its reader: a reload finds it in the making, and Stop keeps what there was. */
async function resumesAndStops(page) {
  await begin(page, 'Solar site');
  await say(page, 'Is the thing in the garage still alright?');
  const begun = page.locator('.message.assistant p').first();
  await begun.waitFor();
  const words = await begun.innerText();
  await page.reload();
  await begun.waitFor();
  assert.equal(await begun.innerText(), words);
  const stop = page.getByRole('button', { name: 'Stop' });
  await stop.click();
  await answered(page);
  assert.equal(await page.locator('.message.assistant').count(), 1);
  // It has ended for everybody, and what was said is kept.
  await page.reload();
  await begun.waitFor();
  await answered(page);
  assert.equal(await begun.innerText(), words);
}

/** The conversation as it reads. */
async function words(page) {
  const text = await page.locator('.viewport').innerText();
  return text.replace(/\s+/g, ' ').trim();
}
