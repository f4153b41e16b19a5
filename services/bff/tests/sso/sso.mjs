/**
 * Adds a certified identity provider on the page while the service runs, then signs in there, with
 * a real browser and with a script's token.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { stop } from './provider.mjs';

const { ISSUER, HELIOGRAPH_URL, CLIENT_SECRET, CHROMIUM, PASSWORD_OF_DEMO, AUDIENCE } = process.env;

const program = process.env.PATH.split(delimiter)
  .map((folder) => join(folder, CHROMIUM))
  .find(existsSync);
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });

/** The page in a browser without cookies. */
async function fresh() {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(HELIOGRAPH_URL);
  return page;
}

/** Signs in at the provider as a person. */
async function signIn(page, name) {
  await page.getByRole('link', { name: 'Sign in with Example' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL((url) => url.href.startsWith(`${HELIOGRAPH_URL}/`) && !url.pathname.startsWith('/auth'));
}

const me = (page) =>
  page.evaluate(async () => {
    const response = await fetch('/auth/me');
    return response.ok ? response.json() : response.status;
  });

/** An administrator of the installation adds the issuer. */
async function addIssuer() {
  const page = await fresh();
  await page.fill('#username', 'demo');
  await page.fill('#password', PASSWORD_OF_DEMO);
  await page.click('#sign-in-form button');
  await page.locator('#account-name', { hasText: 'demo' }).waitFor();
  await page.click('#your-data');
  const panel = page.locator('.data-panel[aria-label="Single sign-on"]');
  const status = panel.locator('[role="status"]');
  await panel.locator('p', { hasText: 'There are no issuers yet' }).waitFor();
  await panel.locator('summary').click();
  await panel.getByLabel('Name in addresses').fill('example');
  await panel.getByText(`${HELIOGRAPH_URL}/auth/oidc/example/callback`).waitFor();
  await panel.getByLabel(/^Label/).fill('Example');
  await panel.getByLabel('Issuer', { exact: true }).fill(`${ISSUER}/`);
  await panel.getByLabel('Client id').fill('heliograph');
  await panel.getByLabel('Client secret').fill('wrong');
  await panel.getByLabel(/^Scopes/).fill('profile groups');
  await panel.getByLabel(/^Audience/).fill(AUDIENCE);
  await panel.getByRole('button', { name: 'Add a rule' }).click();
  await panel.getByRole('button', { name: 'Remove this rule' }).last().click();
  await panel.getByLabel(/^Group/).fill('solar');
  await panel.getByLabel('Tenant').fill('acme');
  await panel.getByLabel('Role').selectOption('editor');
  await fits(page, panel);
  const test = () => panel.locator('button[value="test"]').click();
  await test();
  await status.filter({ hasText: `names the issuer ${ISSUER}. Enter it` }).waitFor();
  await panel.getByLabel('Issuer', { exact: true }).fill(ISSUER);
  await test();
  await status.filter({ hasText: 'invalid_client' }).waitFor();
  await panel.getByLabel('Client secret').fill(CLIENT_SECRET);
  await test();
  await status.filter({ hasText: 'The test went well' }).waitFor();
  await panel.locator('button[value="add"]').click();
  await status.filter({ hasText: 'example is added' }).waitFor();
  await panel.locator('td', { hasText: 'solar: editor in acme' }).waitFor();
  await page.context().close();
}

/** On a phone, nothing is wider than the panel, and everything is large enough for a finger. */
async function fits(page, panel) {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const wrong = await panel.evaluate((element) => {
    const { right } = element.getBoundingClientRect();
    return [...element.querySelectorAll('input, select, button, dd, summary')]
      .filter((one) => one.checkVisibility())
      .map((one) => ({ name: one.outerHTML.slice(0, 80), box: one.getBoundingClientRect() }))
      .filter(({ name, box }) => box.right > right + 1 || (!name.startsWith('<dd') && (box.height < 24 || box.width < 24)))
      .map(({ name, box }) => `${name}: ${box.width} x ${box.height}`);
  });
  assert.deepEqual(wrong, []);
  await page.setViewportSize(before);
}

try {
  await addIssuer();
  const page = await fresh();
  await signIn(page, 'ada');
  await page.locator('#account-name', { hasText: 'ada' }).waitFor();
  const ada = await me(page);
  assert.deepEqual([ada.username, ada.tenant, ada.role], ['ada', 'acme', 'editor']);

  // Signing out here signs out there, and leads back.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('button[name=logout][value=yes]').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await me(page), 401);

  // The same person has the same account again. Signing out there signs out here.
  await signIn(page, 'ada');
  await page.locator('#account-name', { hasText: 'ada' }).waitFor();
  assert.equal((await me(page)).sub, ada.sub);
  const other = await page.context().newPage();
  await other.goto(`${ISSUER}/session/end`);
  await other.locator('button[name=logout][value=yes]').click();
  await other.waitForURL(/success/);
  assert.equal(await me(page), 401);

  // A person without a rule gets no account, and a sentence that says so.
  const stranger = await fresh();
  await signIn(stranger, 'eve');
  await stranger.getByRole('alert').filter({ hasText: 'not allowed' }).waitFor();
  assert.equal(await me(stranger), 401);

  // A script's access token counts where it is meant for this service.
  const token = async (resource) => {
    const response = await fetch(`${ISSUER}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`script:${CLIENT_SECRET}`)}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
    });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()).access_token;
  };
  const asked = async (bearer) => fetch(`${HELIOGRAPH_URL}/api/me`, { headers: { authorization: `Bearer ${bearer}` } });
  const accepted = await asked(await token('https://heliograph.example/api'));
  assert.equal(accepted.status, 200, await accepted.clone().text());
  const script = await accepted.json();
  assert.deepEqual([script.account.username, script.account.tenant, script.credential], ['script', 'acme', 'issuer']);
  assert.equal((await asked(await token('https://other.example/api'))).status, 401);
  console.log('signed in and out');
} finally {
  await browser.close();
  stop();
}
