/**
 * People and their set-up in the page: the own account, API keys, sign-ins, the accounts of a tenant, the audit log, readers, and a
 * plant that is set up in the browser alone. An administrator of the installation and a person of a new tenant take turns.
 */

import { SIZES } from './harness.mjs';

const ADDED = 'vera';
const NEXT = 'plum ladder quiet stone';

/** An administrator's `one`; `visit()` opens another browser. */
export async function people(one, visit, url) {
  const tenant = `newcomers-${one.name}`;
  await openAccount(one);
  await one.look('account');
  await narrow(one, 'account, narrow');
  await passwords(one);
  await keys(one, url);
  await signIns(one, await visit(url));
  const password = await addPerson(one, tenant);
  const vera = await visit(url);
  await viewer(vera, password);
  await promote(one);
  await plant(vera);
  await auditLog(one);
  await retention(one);
  await erase(one, vera);
  await closeDialog(one, '#people');
}

const panelOf = (one, name) => one.page.locator(`.data-panel[aria-label="${name}"]`);
const statusOf = (panel, text) => panel.locator(':scope > [role="status"]').filter({ hasText: text }).waitFor();
const faultOf = (form, label) => form.locator('.data-field', { has: form.page().getByLabel(label, { exact: true }) }).locator('+ .field-fault');

async function openAccount(one) {
  one.view = 'account';
  if (one.isPhone) await one.page.click('#menu');
  await one.page.click('#your-account');
  await panelOf(one, 'Your account').locator('.data-table').waitFor();
}

async function closeDialog(one, id) {
  await one.page.click(`${id} button[aria-label="Close"]`);
}

async function narrow(one, view) {
  await one.page.setViewportSize(SIZES.phone.viewport);
  await one.look(view);
  await one.page.setViewportSize(SIZES.desktop.viewport);
}

/** What is refused is said at its field. */
async function passwords(one) {
  one.view = 'a password that is refused';
  const panel = panelOf(one, 'Your account');
  await panel.locator('summary').click();
  const form = panel.locator('form');
  const fill = async (before, next, again) => {
    await form.getByLabel('Password', { exact: true }).fill(before);
    await form.getByLabel('New password', { exact: true }).fill(next);
    await form.getByLabel('New password, again', { exact: true }).fill(again);
    await form.locator('button').click();
  };
  await fill('wrong', NEXT, `${NEXT}x`);
  await faultOf(form, 'New password, again').filter({ hasText: 'Differs' }).waitFor();
  one.expected = /403|422/;
  await fill('wrong', NEXT, NEXT);
  await faultOf(form, 'Password').filter({ hasText: 'not the account' }).waitFor();
  await one.look('a password that is refused');
  await fill(process.env.PASSWORD_OF_TEST, 'password1', 'password1');
  await faultOf(form, 'New password').filter({ hasText: 'easily guessed' }).waitFor();
  one.expected = undefined;
}

/** A key is shown once, works, is listed without it, and ends when it is revoked. */
async function keys(one, url) {
  one.view = 'API keys';
  const panel = panelOf(one, 'API keys');
  await panel.locator('summary').click();
  await panel.getByLabel('Name', { exact: true }).fill('nightly import');
  await panel.getByLabel('Days until it ends').fill('30');
  for (const box of await panel.getByRole('checkbox').all()) await box.uncheck();
  one.expected = /422/;
  await panel.locator('button >> text="Make the key"').click();
  await panel.locator('.field-fault >> text=/Must name a scope/').waitFor();
  one.expected = undefined;
  await panel.getByLabel('tools:read').check();
  await panel.locator('button >> text="Make the key"').click();
  const shown = panel.getByRole('group', { name: 'The new API key' });
  const key = await shown.locator('code').innerText();
  await one.look('a new API key');
  const status = async () => (await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${key}` } })).status;
  one.expect((await status()) === 200, 'the key is not accepted');
  await panel.locator('td >> text="tools:read"').waitFor();
  await closeDialog(one, '#people');
  await openAccount(one);
  one.expect(!(await panel.innerText()).includes(key), 'the key is shown a second time');
  one.page.once('dialog', (dialog) => dialog.accept());
  await panel.locator('button[aria-label="Revoke nightly import"]').click();
  await statusOf(panel, 'is revoked.');
  one.expect((await status()) === 401, 'a revoked key is accepted');
}

/** A sign-in of another browser is listed and ended. */
async function signIns(one, other) {
  one.view = 'sign-ins';
  await other.page.goto('/');
  await other.signIn();
  await closeDialog(one, '#people');
  await openAccount(one);
  const panel = panelOf(one, 'Sign-ins');
  await panel.locator('td >> text="This page"').waitFor();
  await panel.locator('button >> text="End all others"').click();
  await statusOf(panel, 'All other sign-ins have ended.');
  one.expect((await panel.locator('button >> text="End"').count()) === 0, 'ended sign-ins are listed');
  other.expected = /401/;
  await other.page.reload();
  await other.page.waitForSelector('#sign-in:not([hidden])');
}

/** Returns the first password, which the page makes. */
async function addPerson(one, tenant) {
  one.view = 'people';
  const panel = panelOf(one, 'People');
  await panel.locator('summary').click();
  const form = panel.locator('form[aria-label="Add a person"]');
  await form.getByLabel('Name', { exact: true }).fill(ADDED);
  await form.getByLabel('First password', { exact: true }).fill('password1');
  await form.getByLabel('Tenant', { exact: true }).fill(tenant);
  one.expected = /422/;
  await form.locator('button >> text="Add"').click();
  await faultOf(form, 'First password').filter({ hasText: 'easily guessed' }).waitFor();
  one.expected = undefined;
  await one.look('a person who is refused');
  await form.locator('button >> text="Make a password"').click();
  await form.locator('button >> text="Add"').click();
  await statusOf(panel, `${ADDED} is added as viewer.`);
  const password = await panel.getByRole('group', { name: `First password of ${ADDED}` }).locator('code').innerText();
  await panel.locator(`td >> text="${ADDED}"`).waitFor();
  await one.look('people');
  await narrow(one, 'people, narrow');
  return password;
}

async function enter(vera, password) {
  const { page } = vera;
  await page.fill('#username', ADDED);
  await page.fill('#password', password);
  await page.click('#sign-in-form button');
  await page.waitForSelector('.choice');
}

/** A viewer of a tenant without data is offered only what a viewer may do. */
async function viewer(vera, password) {
  const { page } = vera;
  await page.goto('/');
  await enter(vera, password);
  await page.waitForSelector('.missing');
  await vera.look('a viewer without data');
  const said = await page.locator('.missing').innerText();
  vera.expect(!/`|heliograph import/.test(said), `a viewer reads "${said}"`);
  vera.expect((await page.locator('.connect').count()) === 0, 'a viewer is offered to connect a plant');
  await page.click('#your-data');
  await page.locator('#data >> text="There are no sites yet."').waitFor();
  await page.locator('#data >> text="There are no documents yet."').waitFor();
  vera.expect((await page.locator('#data form, #data summary').count()) === 0, 'a viewer is offered forms');
  await vera.look('your data, seen by a viewer');
  await closeDialog(vera, '#data');
  await openAccount(vera);
  vera.expect((await page.locator('#people .data-panel').count()) === 3, 'a viewer sees the accounts of others');
  const panel = panelOf(vera, 'Your account');
  await panel.locator('summary').click();
  await panel.getByLabel('Password', { exact: true }).fill(password);
  await panel.getByLabel('New password', { exact: true }).fill(NEXT);
  await panel.getByLabel('New password, again', { exact: true }).fill(NEXT);
  await panel.locator('form button').click();
  await statusOf(panel, 'Your password is changed.');
  const download = page.waitForEvent('download');
  await panel.locator('button >> text="Export your data"').click();
  const name = (await download).suggestedFilename();
  vera.expect(name === `${ADDED}.json`, `the export is ${name}`);
  await closeDialog(vera, '#people');
}

/** A role and groups are changed. */
async function promote(one) {
  one.view = 'a person';
  const panel = panelOf(one, 'People');
  await panel.locator(`button[aria-label="Open ${ADDED}"]`).click();
  const form = panel.locator(`form[aria-label="Change ${ADDED}"]`);
  await form.getByLabel('Role').selectOption('administrator');
  await form.getByLabel('Groups, with commas between').fill('night shift');
  await one.look('a person');
  await form.locator('button >> text="Save"').click();
  await statusOf(panel, `${ADDED} is changed.`);
  await panel.locator('td >> text="groups: night shift"').waitFor();
}

/** A plant is described and its files are imported, in the browser alone. */
async function plant(vera) {
  const { page } = vera;
  vera.view = 'a new plant';
  await page.reload();
  await page.click('.connect');
  const sites = panelOf(vera, 'Sites');
  const form = sites.locator('form[aria-label="Add a site"]');
  await form.getByLabel('Name', { exact: true }).fill('Halle Süd');
  vera.expect((await form.getByLabel('Id', { exact: true }).inputValue()) === 'halle-sued', 'the id is not made from the name');
  await form.getByLabel('Time zone').fill('Europe/Nowhere');
  vera.expected = /422/;
  await form.locator('button >> text="Add the site"').click();
  await faultOf(form, 'Time zone').filter({ hasText: 'Europe/Nowhere' }).waitFor();
  vera.expected = undefined;
  await form.getByLabel('Time zone').fill('Europe/Berlin');
  await form.locator('button >> text="Add a device"').click();
  await form.getByLabel('Device', { exact: true }).fill('HALL-1');
  await form.getByLabel('Capacity, kW (optional)').fill('12.5');
  await vera.look('a new site');
  await form.locator('button >> text="Add the site"').click();
  await statusOf(sites, 'Halle Süd is added.');
  await sites.locator('td >> text="1 device, 12.5 kW"').waitFor();
  await files(vera);
  await readers(vera);
  await closeDialog(vera, '#data');
  await page.locator('.start >> text="Morning briefing"').waitFor();
}

/** Many files at once; what is ready is run or discarded from the list; a refused file does not pile up. */
async function files(vera) {
  const { page } = vera;
  const panel = panelOf(vera, 'Logger files');
  const day = (date) => Array.from({ length: 4 }, (_, hour) => `${date} ${String(hour + 9).padStart(2, '0')}:00;HALL-1;${hour + 1}`).join('\n');
  const file = (name, text) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  const logger = (name, date) => file(name, `Zeit;Gerät;Leistung kW\n${day(date)}\n`);
  const broken = file('broken.csv', 'nothing of this is a reading\n');
  const chosen = [logger('first.csv', '2026-06-01'), logger('second.csv', '2026-06-02'), logger('third.csv', '2026-06-03'), broken];
  await page.setInputFiles('#import-file', chosen);
  await panel.locator('button >> text="Preview"').click();
  await statusOf(panel, '3 of 4 files can be imported.');
  await vera.look('many files');
  await page.setInputFiles('#import-file', [broken, logger('first.csv', '2026-06-01')]);
  await panel.locator('button >> text="Preview"').click();
  await statusOf(panel, '1 of 2 files can be imported.');
  vera.expect((await panel.locator('td >> text="broken.csv"').count()) === 1, 'a refused file is listed twice');
  await panel.locator('button[aria-label="Discard third.csv"]').click();
  await statusOf(panel, 'third.csv is discarded.');
  await panel.locator('button[aria-label="Discard broken.csv"]').click();
  await statusOf(panel, 'broken.csv is discarded.');
  await panel.locator('button >> text="Import all 2 that are ready"').click();
  await statusOf(panel, '2 of 2 files are imported: 8 rows.');
  await page.setInputFiles('#import-file', [logger('third.csv', '2026-06-03'), logger('fourth.csv', '2026-06-04')]);
  await panel.locator('button >> text="Preview"').click();
  await statusOf(panel, '2 of 2 files can be imported.');
  await panel.locator('button[aria-label="Import fourth.csv"]').click();
  await statusOf(panel, 'fourth.csv is imported: 4 new rows');
  await panel.locator('button[aria-label="Open third.csv"]').click();
  await panel.locator('button >> text="Import 4 rows"').click();
  await statusOf(panel, 'third.csv is imported: 4 new rows');
  await vera.look('imported files');
  await narrow(vera, 'imported files, narrow');
}

/** Readers of a collection are given and changed. */
async function readers(vera) {
  vera.view = 'collections';
  const panel = panelOf(vera, 'Collections');
  await panel.locator('summary').click();
  const adding = panel.locator('form[aria-label="Add a collection"]');
  await adding.getByLabel('Name of the collection').fill('contracts');
  await adding.getByLabel('Read by').selectOption('administrator');
  await adding.locator('button').click();
  await statusOf(panel, 'It is read by administrators.');
  await panel.locator('button[aria-label="Change contracts"]').click();
  const change = panel.locator('form[aria-label="Change contracts"]');
  await change.getByLabel('Read by').selectOption('only the groups');
  await change.getByLabel('And these groups, with commas between').fill('night shift');
  await vera.look('readers of a collection');
  await change.locator('button').click();
  await statusOf(panel, 'It is read by group night shift.');
  await panel.locator('td >> text="group night shift"').waitFor();
  vera.page.once('dialog', (dialog) => dialog.accept());
  await panel.locator('button[aria-label="Delete contracts"]').click();
  await statusOf(panel, 'contracts is deleted.');
}

/** The log names what was done to what; filters and pages work. */
async function auditLog(one) {
  one.view = 'audit log';
  await closeDialog(one, '#people');
  await openAccount(one);
  const panel = panelOf(one, 'Audit log');
  await panel.locator('.data-table').waitFor();
  const cell = (text) => panel.locator('td', { hasText: text }).first().waitFor();
  const show = async (operation, by) => {
    await panel.getByLabel('Operation').fill(operation);
    await panel.getByLabel('By (name)').fill(by);
    await panel.locator('button >> text="Show"').click();
  };
  await show('change_account', '');
  await cell(`${ADDED}: role viewer → role administrator; groups none → night shift`);
  await show('Put sites', ADDED);
  await cell('halle-sued');
  await show('run_import', ADDED);
  await cell('fourth.csv (site halle-sued');
  await one.look('audit log');
  await narrow(one, 'audit log, narrow');
  one.expected = /422/;
  await show('', 'a stranger');
  await faultOf(panel, 'By (name)').filter({ hasText: 'no account of this name' }).waitFor();
  one.expected = undefined;
  await show('', '');
  const rows = panel.locator('tbody tr');
  const earlier = panel.locator('button >> text="Earlier entries"');
  const before = await rows.count();
  if ((await earlier.count()) > 0) {
    await earlier.click();
    await rows.nth(before).waitFor();
  }
}

/** A shorter time is asked about and saved; an empty field is the installation's. */
async function retention(one) {
  one.view = 'retention';
  const panel = panelOf(one, 'Retention');
  const days = panel.getByLabel('Conversations without activity, days');
  const said = (text) => panel.locator('.note', { hasText: text }).first().waitFor();
  await said('Deleted never for their age');
  await days.fill('90');
  one.page.once('dialog', (dialog) => dialog.accept());
  await panel.locator('button >> text="Save"').click();
  await statusOf(panel, 'Saved.');
  await said('Deleted after 90 days. Without your setting: never');
  await one.look('retention');
  await days.fill('');
  await panel.locator('button >> text="Save"').click();
  await said('Deleted never for their age, as the installation has it');
}

/** An account is disabled, which ends its sign-in, and deleted. */
async function erase(one, vera) {
  one.view = 'a person who leaves';
  const panel = panelOf(one, 'People');
  await panel.locator(`button[aria-label="Open ${ADDED}"]`).click();
  await panel.locator('button >> text="Disable"').click();
  await statusOf(panel, 'is disabled');
  vera.expected = /401/;
  await vera.page.reload();
  await vera.page.waitForSelector('#sign-in:not([hidden])');
  one.page.once('dialog', (dialog) => dialog.accept());
  await panel.locator(`button[aria-label="Delete ${ADDED}"]`).click();
  await statusOf(panel, /is deleted|being deleted/);
  one.expect((await panel.locator(`td >> text="${ADDED}"`).count()) === 0, 'a deleted person is listed');
}

/** A person with another role sees the own account only. */
export async function ownAccount(one) {
  await openAccount(one);
  await one.look('account');
  one.expect((await one.page.locator('#people .data-panel').count()) === 3, 'the accounts of others are shown');
  await closeDialog(one, '#people');
}
