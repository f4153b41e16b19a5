/**
 * Leads every view of the page in a real browser, on a desktop and on a phone, in light and in dark: no view scrolls sideways, breaks a rule of
 * accessibility or says an error in the console, and each does what it is there for.
 *
 * `HELIOGRAPH_URL` is the whole product, `SLOW_URL` one whose model does not come to an end.
 */

import { SIZES, Visit, browser, faults } from './harness.mjs';
import { ownAccount, people } from './people.mjs';

const { HELIOGRAPH_URL: url, SLOW_URL: slow } = process.env;

const chromium = await browser();
for (const size of Object.keys(SIZES)) {
  await part('people', size, accounts);
  await part('conversations', size, conversations);
  if (slow) await part('a run that is stopped', size, stopped);
}
await chromium.close();
for (const fault of faults) console.log(`FAULT ${fault}`);
console.log(`${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Runs a part; one that does not come through is a fault of its own. */
async function part(name, size, run) {
  const began = Date.now();
  const visits = [];
  const visit = async (address) => {
    const one = await Visit.begin(chromium, size, address);
    visits.push(one);
    return one;
  };
  try {
    await run(visit);
  } catch (error) {
    const last = visits.at(-1);
    if (process.env.SHOTS) await last?.page.screenshot({ path: `${process.env.SHOTS}/${size}-broken.png` });
    faults.push(`${size}, ${last?.view}: ${error.message}`);
  }
  for (const one of visits) await one.context.close();
  console.log(`${size}: ${name}, ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

async function accounts(visit) {
  const one = await visit(url);
  await one.page.goto('/');
  await one.signIn();
  await one.page.waitForSelector('.choice');
  if (one.isPhone) await step(one, ownAccount);
  else await people(one, visit, url);
}

async function conversations(visit) {
  const one = await visit(url);
  await signIn(one);
  await step(one, welcome);
  await step(one, site);
  await step(one, database);
  const thread = await step(one, analyst);
  await step(one, documents);
  await step(one, ownData);
  await step(one, schedules);
  await step(one, () => addresses(one, thread));
  const other = await visit(url);
  await step(other, () => elsewhere(one, other, thread));
  await step(other, () => away(other, thread));
  await step(other, signOut);
}

/** What one step does not come through is noted, and the next begins. */
async function step(visit, run) {
  try {
    return await run(visit);
  } catch (error) {
    visit.fault(error.message.split('\n')[0]);
    if (process.env.SHOTS) await visit.page.screenshot({ path: `${process.env.SHOTS}/${visit.name}-broken-${run.name}.png` });
    return undefined;
  }
}

async function signIn(one) {
  const { page } = one;
  await page.goto('/');
  await page.waitForSelector('#sign-in:not([hidden])');
  one.expect((await page.inputValue('#username')) === '', 'a name is filled in');
  await one.look('sign-in');
  await one.signIn();
}

async function welcome(one) {
  const { page } = one;
  await page.waitForSelector('.choice');
  await one.look('welcome');
  for (const title of ['Database', 'Analyst', 'Documents', 'Solar site']) {
    await page.click(`.choice >> text="${title}"`);
    one.view = `welcome of ${title}`;
    one.expect((await page.locator('.start').count()) >= 2, 'there is nothing to begin with');
    // The answer to what is offered first is one.
    if (title === 'Solar site') continue;
    const offered = await page.locator('.start').allInnerTexts();
    console.log(`${title} offers: ${offered.map((text) => text.replace(/\s+/g, ' ')).join(' | ')}`);
  }
}

async function site(one) {
  const { page } = one;
  await page.click('.start >> text="Morning briefing"');
  await one.answered();
  one.view = 'briefing';
  one.expect((await page.locator('.card').count()) > 0, 'there is no card');
  await one.look('briefing');
  await panel(one);
  await one.say('Compare GW-INV-001 and LTI-INV-001 on energy on 4 December 2025');
  await one.look('comparison');
  await one.say('power curve of GW-INV-001 on 29 November 2025');
  await one.look('power curve');
  if (one.isPhone) await touch(one);
  await one.say('Forecast for GW-INV-001');
  await one.look('forecast');
  await one.say('Check the health');
  await page.waitForSelector('form.picker');
  await one.look('picker');
  await one.say('LTI-INV-001');
  one.view = 'picker answered in words';
  const locked = await page.locator('.picker .locked').last().innerText();
  one.expect(locked.includes('LTI-INV-001'), `the picker says "${locked}"`);
  await one.look('health');
}

/** The panel of the calls stays in its column. */
async function panel(one) {
  const { page } = one;
  const tools = page.locator('.message-tools').last();
  await tools.locator('.how > summary').click();
  await tools.locator('.call > summary').first().click();
  await one.look('tool calls');
  const [inner, column] = await Promise.all([tools.boundingBox(), page.locator('#log').boundingBox()]);
  one.expect(inner.width <= column.width, `the panel is ${inner.width} px wide in ${column.width}`);
  await tools.locator('.how > summary').click();
}

/** What a finger touched stays to be read until it touches something else. */
async function touch(one) {
  const { page } = one;
  one.view = 'tooltip';
  const area = page.locator('.chart-area').last();
  await area.scrollIntoViewIfNeeded();
  await area.tap({ position: { x: 150, y: 100 } });
  const tip = area.locator('.chart-tip');
  await page.waitForTimeout(200);
  one.expect(await tip.isVisible(), 'the values are gone when the finger is lifted');
  await page.locator('.top .wordmark').tap();
  one.expect(!(await tip.isVisible()), 'the values stay forever');
}

async function database(one) {
  await one.begin('Database');
  await one.say('How many work orders are open, by status?');
  one.view = 'database';
  one.expect((await one.page.locator('.chart').count()) === 1, 'there is not one chart');
  one.expect((await one.page.locator('.rows .card').count()) === 0, 'the rows of the chart are shown again');
  await one.look('database');
  await one.page.locator('.chart-table > summary').last().click();
  await one.look('data of a chart');
  await one.say('Show employees who worked more than 20 hours last week');
  await one.look('table');
}

async function analyst(one) {
  const { page } = one;
  await one.begin('Analyst');
  await one.say('Average delay by carrier');
  const thread = one.address;
  one.view = 'plan and chart';
  one.expect((await page.locator('.plan-card').count()) >= 1, 'there is no plan');
  const label = await page.locator('.axes .axis-label').first().textContent();
  one.expect(/delay/i.test(label), `the axis is "${label}"`);
  one.expect((await page.locator('.legend-entry').count()) === 0, 'something is drawn that was not asked for');
  one.expect((await page.locator('.rows .card, .prose table').count()) === 0, 'the rows of the chart are shown again');
  await one.look('plan and chart');
  await step(one, records);
  await step(one, record);
  return thread;
}

async function records(one) {
  const { page } = one;
  await one.say('Show shipments to Miami last week');
  await page.waitForSelector('form.picker');
  await one.look('clarification');
  await one.say('Port of Miami');
  await one.look('records');
  one.view = 'records';
  const told = await one.answer();
  const found = /Found ([\d,]+) /.exec(told)?.[1];
  one.expect(found !== undefined, 'it is not said how many were found');
  const counts = await page.locator('.rows .card > header .note').allInnerTexts();
  one.expect(counts.length === 1 && counts[0].startsWith(found), `the text says ${found}, the table ${counts}`);
  one.expect(!/\d{4}-\d\d-\d\dT|\b[a-z]+_[a-z]+\b/.test(told), 'there are raw values');
}

async function record(one) {
  const { page } = one;
  await one.say('Show me the vessel MSC ANNA');
  one.view = 'one record';
  const told = await one.answer();
  one.expect(!/\b[12],\d{3}\b.*\n?.*built|built.*\b[12],\d{3}\b/i.test(told), 'a year has its digits grouped');
  one.expect((await page.locator('.message.assistant').last().locator('.rows .card').count()) === 0, 'one record is shown twice');
  await one.look('one record');
}

async function documents(one) {
  await one.begin('Documents');
  const offered = one.page.locator('.start');
  await offered.first().click();
  await one.answered();
  one.view = 'documents';
  one.expect(/\[1\]/.test(await one.answer()), 'nothing is quoted');
  await one.look('documents');
  await step(one, () => passage(one));
}

/** The source of a quote opens the document at the passage; its address does so, too. */
async function passage(one) {
  const { page } = one;
  const said = await one.answer();
  const link = page.locator('.message.assistant').last().locator('a.cite').first();
  const address = await link.getAttribute('href');
  await link.click();
  await page.waitForSelector('dialog.passage[open] mark');
  one.view = 'a passage';
  const title = await page.locator('#passage-title').innerText();
  one.expect(said.includes(title), `the dialog shows ${title}`);
  const marked = await page.locator('dialog.passage mark').innerText();
  const quoted = (/\u201c(.+?)\u201d/.exec(said)?.[1] ?? '').slice(0, 40);
  const plain = (text) => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  one.expect(quoted !== '' && plain(marked).includes(plain(quoted)), `"${quoted}" is not in the passage "${marked.slice(0, 80)}"`);
  const seen = await page.locator('dialog.passage mark').evaluate((mark) => {
    const box = mark.closest('pre').getBoundingClientRect();
    const own = mark.getBoundingClientRect();
    return own.top < box.bottom && own.bottom > box.top;
  });
  one.expect(seen, 'the passage is not in view');
  await one.look('a passage');
  await page.locator('dialog.passage button[aria-label="Close"]').click();
  await page.waitForSelector('dialog.passage', { state: 'detached' });
  const thread = one.address;
  await page.goto(`/${address}`);
  await page.waitForSelector('dialog.passage[open] mark');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog.passage', { state: 'detached' });
  await page.goto(`/${thread}`);
  await page.waitForSelector('.message.assistant a.cite');
}

/** Each conversation has an address: reload, Back and Forward, and the order of the list stay right. */
async function addresses(one, thread) {
  const { page } = one;
  one.view = 'addresses';
  const last = one.address;
  one.expect(/^#\/t\/./.test(last) && last !== thread, `the address is ${last}`);
  const seen = await one.conversation();
  await page.reload();
  await page.waitForSelector('.message.assistant');
  one.expect((await one.conversation()) === seen, 'a reload shows something else');
  const titles = () => page.locator('.entry-title').allTextContents();
  const order = await titles();
  await page.goto(`/${thread}`);
  await page.waitForSelector('.plan-card');
  one.expect(JSON.stringify(await titles()) === JSON.stringify(order), 'opening a conversation moves it in the list');
  await page.goBack();
  await page.waitForFunction((hash) => location.hash === hash, last);
  await page.waitForFunction(() => document.querySelectorAll('.plan-card').length === 0);
  one.expect((await one.conversation()) === seen, 'Back shows something else');
  await page.goForward();
  await page.waitForSelector('.plan-card');
  if (one.isPhone) await page.click('#menu');
  await page.waitForSelector('.entry.current', { state: 'visible' });
  await one.look('list of conversations');
  if (one.isPhone) await page.keyboard.press('Escape');
}

/** Documents and files of loggers come and go in the page. */
async function ownData(one) {
  const { page } = one;
  one.view = 'your data';
  if (one.isPhone) await page.click('#menu');
  await page.click('#your-data');
  await page.waitForSelector('#data[open] .data-table');
  await one.look('your data');
  const panel = page.locator('.data-panel[aria-label="Documents"]');
  const name = `care-${one.name}.md`;
  const text = '# Care\n\nThe quokka valve is greased in May.\n';
  await page.setInputFiles('#document-files', [
    { name, mimeType: 'text/markdown', buffer: Buffer.from(text) },
    { name: `broken-${one.name}.docx`, mimeType: 'application/octet-stream', buffer: Buffer.from('no office file') },
  ]);
  one.expected = /422/;
  await panel.locator('button >> text="Upload"').click();
  await panel.locator('[role="status"] >> text=/1 of 2 documents were added/').waitFor();
  one.expected = undefined;
  const told = await panel.locator('[role="status"]').innerText();
  one.expect(told.includes('does not begin as an Office file'), `a broken file is told "${told}"`);
  await page.setInputFiles('#document-files', [{ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') }]);
  one.expected = /415/;
  await panel.locator('button >> text="Upload"').click();
  await panel.locator('[role="status"] >> text=/load a table as a spreadsheet/').waitFor();
  one.expected = undefined;
  await panel.locator(`td >> text="${name}"`).waitFor();
  await panel.locator(`td button >> text="${name}"`).click();
  await panel.locator('pre >> text=/quokka valve is greased/').waitFor();
  await one.look('documents');
  page.once('dialog', (dialog) => dialog.accept());
  await panel.locator(`button[aria-label="Delete ${name}"]`).click();
  await panel.locator('[role="status"] >> text=/is deleted/').waitFor();
  one.expect((await panel.locator(`td >> text="${name}"`).count()) === 0, 'a deleted document is still listed');
  // Whoever may not import sees what was imported.
  if ((await page.locator('#import-file').count()) > 0) await importFile(one);
  await targets(one);
  await sources(one);
  await services(one);
  await issuers(one);
  await page.click('#data button[aria-label="Close"]');
}

/** A search source is tested at a wrong address, then added with one of its tables, and removed. */
async function sources(one) {
  const { page } = one;
  one.view = 'search sources';
  const panel = page.locator('.data-panel[aria-label="Search sources"]');
  await panel.locator('.data-table, p:text-is("There are no search sources yet.")').first().waitFor();
  if ((await panel.locator('summary').count()) === 0) {
    one.expect(one.isPhone, 'an administrator cannot connect a search source');
    return;
  }
  const { username, host, pathname } = new URL(process.env.SHOP_URL);
  const status = panel.locator('[role="status"]');
  const test = panel.locator('button >> text="Test"');
  await panel.locator('summary').click();
  await panel.getByLabel('Name, by which questions name it').fill('shop_search');
  await panel.getByLabel('Kind').selectOption('postgresql');
  await panel.getByLabel('Encryption').selectOption('off');
  await panel.getByLabel('Key or password').fill('secret');
  await panel.getByLabel('Address').fill('shop.example.com');
  await test.click();
  await panel.locator('.fault >> text=/has the form postgres/').waitFor();
  await panel.getByLabel('Address').fill(`postgres://${username}@${host}${pathname}`);
  await test.click();
  await status.filter({ hasText: '2 indices were found' }).waitFor();
  await one.look('the indices of a search source');
  await page.setViewportSize(SIZES.phone.viewport);
  await one.look('the indices of a search source, narrow');
  await page.setViewportSize(SIZES.desktop.viewport);
  await panel.getByRole('checkbox').first().uncheck();
  await panel.locator('button >> text="Add shop_search"').click();
  await status.filter({ hasText: 'shop_search is added' }).waitFor();
  one.expect((await panel.getByLabel('Key or password').inputValue()) === '', 'the password stays in the form');
  page.once('dialog', (dialog) => dialog.accept());
  await panel.locator('button[aria-label="Remove shop_search"]').click();
  await status.filter({ hasText: 'shop_search is removed' }).waitFor();
}

/** An MCP server is tested with a wrong key, then added with a tool, and removed. */
async function services(one) {
  const { page } = one;
  one.view = 'services';
  const panel = page.locator('.data-panel[aria-label="Services"]');
  await panel.locator('.data-table, p:text-is("There are no services yet.")').first().waitFor();
  if ((await panel.locator('summary').count()) === 0) {
    one.expect(one.isPhone, 'an administrator cannot connect a service');
    return;
  }
  const status = panel.locator('[role="status"]');
  await panel.locator('summary').click();
  await panel.getByLabel('Name', { exact: true }).fill('tracker');
  await panel.getByLabel('Address').fill(process.env.TRACKER_URL);
  await panel.getByLabel(/^Value of the header/).fill('Bearer wrong');
  await panel.locator('button[value="test"]').click();
  await panel.locator('.fault >> text=/does not accept/').waitFor();
  await panel.getByLabel(/^Value of the header/).fill('Bearer key-of-the-tracker');
  await panel.locator('button[value="test"]').click();
  await status.filter({ hasText: 'The server has 2 tools' }).waitFor();
  one.expect(await panel.getByLabel(/find-tickets/).isChecked(), 'a tool that only reads is not chosen');
  one.expect(!(await panel.getByLabel(/close_ticket/).isChecked()), 'a tool that may write is chosen');
  await one.look('the tools of a service');
  await page.setViewportSize(SIZES.phone.viewport);
  await one.look('the tools of a service, narrow');
  await page.setViewportSize(SIZES.desktop.viewport);
  await panel.locator('button >> text="Add tracker with these tools"').click();
  await status.filter({ hasText: 'tracker is added' }).waitFor();
  await panel.locator('td >> text="find_tickets"').waitFor();
  one.expect((await panel.getByLabel(/^Value of the header/).inputValue()) === '', 'the value of the header stays in the form');
  page.once('dialog', (dialog) => dialog.accept());
  await panel.locator('button[aria-label="Remove tracker"]').click();
  await status.filter({ hasText: 'tracker is removed' }).waitFor();
}

/** An issuer is added after a wrong secret, changed, refused a change, and removed. */
async function issuers(one) {
  const { page } = one;
  one.view = 'issuers';
  const panel = page.locator('.data-panel[aria-label="Single sign-on"]');
  if ((await panel.count()) === 0) {
    one.expect(one.isPhone, 'an administrator of the installation cannot add an issuer');
    return;
  }
  const status = panel.locator('[role="status"]');
  await panel.locator('p:text-is("There are no issuers yet: people sign in with passwords.")').waitFor();
  await panel.locator('summary').click();
  const adding = panel.locator('form[aria-label="Add an issuer"]');
  await adding.getByLabel('Name in addresses').fill('company');
  await adding.getByLabel('Issuer', { exact: true }).fill(process.env.ISSUER_URL);
  await adding.getByLabel('Client id').fill('heliograph');
  await adding.getByLabel('Client secret').fill('wrong');
  await adding.getByLabel('Tenant').fill('acme');
  one.expected = /422/;
  await adding.locator('button[value="add"]').click();
  await panel.locator('.fault >> text=/invalid_client/').waitFor();
  one.expected = undefined;
  await one.look('an issuer that refuses');
  await adding.getByLabel('Client secret').fill(process.env.ISSUER_SECRET);
  await adding.locator('button[value="add"]').click();
  await status.filter({ hasText: 'company is added.' }).waitFor();
  await panel.locator('td >> text="everyone: viewer in acme"').waitFor();
  await panel.locator('button[aria-label="Change company"]').click();
  const change = panel.locator('form[aria-label="Change company"]');
  one.expect((await change.getByLabel('Tenant').inputValue()) === 'acme', 'the form of a change is empty');
  one.expect((await change.getByLabel(/client secret/).inputValue()) === '', 'the form of a change shows the secret');
  await one.look('the change of an issuer');
  await page.setViewportSize(SIZES.phone.viewport);
  await one.look('the change of an issuer, narrow');
  await page.setViewportSize(SIZES.desktop.viewport);
  await change.getByLabel(/client secret/).fill('wrong');
  one.expected = /422/;
  await change.locator('button[type="submit"]').click();
  await panel.locator('.fault >> text=/invalid_client/').waitFor();
  one.expected = undefined;
  await change.getByLabel(/client secret/).fill('');
  await change.getByLabel('Label of the button (optional)').fill('Company');
  await change.locator('button >> text="Add a rule"').click();
  await change.getByLabel('Group (empty: everyone)').first().fill('solar-admins');
  await change.getByLabel('Role').first().selectOption('administrator');
  await change.getByLabel('Tenant').last().fill('acme');
  await change.locator('button[type="submit"]').click();
  await status.filter({ hasText: 'company is changed.' }).waitFor();
  await panel.locator('p >> text="solar-admins: administrator in acme"').waitFor();
  await panel.locator('p >> text="everyone: viewer in acme"').waitFor();
  one.expect((await change.count()) === 0, 'the form of a change stays');
  await one.look('issuers');
  page.once('dialog', (dialog) => dialog.accept());
  await panel.locator('button[aria-label="Remove company"]').click();
  await status.filter({ hasText: 'company is removed.' }).waitFor();
}

/** A schedule is made, refused, changed, paused, continued and deleted with its form. */
async function schedules(one) {
  const { page } = one;
  one.view = 'schedules';
  if (one.isPhone) await page.click('#menu');
  await page.click('#schedules');
  const dialog = page.locator('dialog[aria-labelledby="schedules-title"]');
  const note = dialog.locator('> .note');
  await note.filter({ hasText: 'Nothing is scheduled' }).waitFor();
  await dialog.locator('button >> text="New schedule"').click();
  const made = dialog.locator('form[aria-label="New schedule"]');
  await made.getByLabel('Question', { exact: true }).fill('How is INV-404?');
  await made.getByLabel('Time', { exact: true }).fill('07:30');
  await made.getByLabel('Time zone').fill('Europe/Zurich');
  for (const day of ['Sat', 'Sun']) await made.getByLabel(day).uncheck();
  await made.getByLabel('Sent to').fill('ops@example.com');
  await one.look('a new schedule');
  one.expected = /422/;
  await made.locator('button >> text="Save"').click();
  await made.locator('.fault >> text=/names INV-404, which is none of your devices/').waitFor();
  one.expected = undefined;
  await made.getByLabel('Question', { exact: true }).fill('Morning briefing');
  await made.locator('button >> text="Save"').click();
  await note.filter({ hasText: '“Morning briefing” is saved.' }).waitFor();
  const entry = dialog.locator('.schedule');
  const says = (text) => entry.filter({ hasText: text }).waitFor();
  await says('every weekday at 07:30 (Europe/Zurich), to ops@example.com');
  await one.look('schedules');

  // Every field of the form has what was saved, and only what differs is another.
  await entry.locator('button >> text="Change"').click();
  const form = dialog.locator('form[aria-label="Change “Morning briefing”"]');
  one.expect((await form.locator('textarea').inputValue()) === 'Morning briefing', 'the form lacks the question');
  one.expect(!(await form.getByLabel('Sun').isChecked()), 'the form has a day that is not of the schedule');
  await form.getByLabel('Name', { exact: true }).fill('Devices that are out');
  await form.locator('select').first().selectOption('device_out');
  await form.getByLabel('Minutes', { exact: true }).fill('45');
  await form.locator('button >> text="Save"').click();
  await note.filter({ hasText: '“Devices that are out” is changed.' }).waitFor();
  await says('45 minutes');

  await entry.locator('button >> text="Pause"').click();
  await note.filter({ hasText: 'is paused.' }).waitFor();
  await entry.locator('button >> text="Continue"').waitFor();
  one.expect((await entry.locator('button >> text="Send now"').count()) === 0, 'a paused schedule can be sent');
  await entry.locator('button >> text="Continue"').click();
  await note.filter({ hasText: 'works again.' }).waitFor();
  await entry.locator('button >> text="Delete"').click();
  await note.filter({ hasText: 'Nothing is scheduled' }).waitFor();
  one.expect((await entry.count()) === 0, 'a deleted schedule is listed');
  await dialog.locator('button >> text="Close"').click();
  if (one.isPhone) await page.keyboard.press('Escape');
}

/** A table is previewed, its columns are corrected, and it is imported. */
async function importFile(one) {
  const { page } = one;
  const panel = page.locator('.data-panel[aria-label="Logger files"]');
  // The same file would be known already from the other visit.
  const day = one.isPhone ? '2024-06-02' : '2024-06-01';
  const rows = Array.from({ length: 12 }, (_, hour) => `${day} ${String(hour + 6).padStart(2, '0')}:00;${hour + 1}`);
  await page.setInputFiles('#import-file', { name: `own-roof-${one.name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(`Zeit;Leistung\n${rows.join('\n')}\n`) });
  await panel.locator('input[type="text"]').first().fill('OWN-ROOF-1');
  await panel.locator('button >> text="Preview"').click();
  await panel.locator('.data-preview').waitFor();
  await panel.locator('select[aria-label="Meaning of Leistung"]').selectOption('power');
  await panel.locator('input[aria-label="Unit of Leistung"]').fill('kW');
  await panel.locator('button >> text="Read again with these columns"').click();
  await panel.locator('td >> text="12000 W"').waitFor();
  await one.look('preview of an import');
  await panel.locator('button >> text="Import 12 rows"').click();
  await panel.locator('[role="status"] >> text=/is imported: 12 new rows/').waitFor();
  await panel.locator(`td >> text="own-roof-${one.name}.csv"`).waitFor();
}

/** Databases and spreadsheets are seen by all, and changed by administrators. */
async function targets(one) {
  const { page } = one;
  one.view = 'databases';
  const panel = page.locator('.data-panel[aria-label="Databases"]');
  await panel.locator('td >> text="fieldservice"').waitFor();
  one.expect((await panel.locator('button[aria-label="Remove fieldservice"]').count()) === 0, 'a database of the configuration can be removed');
  if ((await panel.locator('summary').count()) > 0) {
    await loadSpreadsheet(one, panel);
    await addDatabase(one, panel);
    return;
  }
  one.expect(one.isPhone, 'an administrator cannot add a database');
  await panel.locator('td button >> text="fieldservice"').click();
  await panel.locator('h4 >> text="fieldservice"').waitFor();
  one.expect((await panel.locator('button >> text="Read the tables again"').count()) === 0, 'an editor is offered to read the tables again');
  await one.look('a database, seen by an editor');
}

/** A database is tested with a wrong address, then added, asked and removed. */
async function addDatabase(one, panel) {
  const { page } = one;
  const { username, hostname, port, pathname } = new URL(process.env.SHOP_URL);
  const status = panel.locator('[role="status"]');
  await panel.locator('summary >> text="Add a database"').click();
  const fill = (label, value) => panel.locator('details').first().getByLabel(label, { exact: true }).fill(value);
  await fill('Name, by which questions name it', 'shop');
  await fill('Host', hostname);
  await fill('Port', port);
  await fill('Database', 'nothing_of_this_name');
  await fill('Role that only reads', username);
  await fill('Password of the role', 'secret');
  await panel.getByLabel('Encryption').selectOption('off');
  await panel.locator('button[value="test"]').click();
  await panel.locator('.fault >> text=/name of the database/').waitFor();
  await one.look('a database that is not there');
  await page.setViewportSize(SIZES.phone.viewport);
  await one.look('the form of a database, narrow');
  await page.setViewportSize(SIZES.desktop.viewport);
  await fill('Database', pathname.slice(1));
  await panel.locator('button[value="test"]').click();
  await status.filter({ hasText: /The test went well: .*not encrypted, 2 tables/ }).waitFor();
  one.expect((await panel.locator('td >> text="shop"').count()) === 0, 'a test adds the database');
  await panel.locator('button[value="add"]').click();
  await panel.locator('.data-questions button').first().waitFor();
  one.expect(/shop is ready/.test(await status.innerText()), `it says "${await status.innerText()}"`);
  await panel.locator('td button >> text="shop"').waitFor();
  one.expect((await panel.getByLabel('Password of the role', { exact: true }).inputValue()) === '', 'the password stays in the form');
  await one.look('a database that is ready');
  await panel.locator('summary >> text="Change the password"').click();
  await panel.getByLabel('New password of the role', { exact: true }).fill('secret');
  await panel.locator('button >> text="Test and store"').click();
  await status.filter({ hasText: 'The new password of shop is stored.' }).waitFor();
  one.expect((await panel.getByLabel('New password of the role', { exact: true }).inputValue()) === '', 'the new password stays in the form');
  await one.look('a database whose password is changed');
  await panel.locator('.data-questions button').first().click();
  await one.answered();
  one.expect((await page.locator('#data[open]').count()) === 0, 'the dialog stays open over the answer');
  one.expect(/“shop”/.test(await one.answer()), `the question is answered from elsewhere: ${await one.answer()}`);
  await page.click('#your-data');
  await remove(one, panel, 'shop');
}

/** A file is previewed, a type is corrected, and its table is asked and removed. */
async function loadSpreadsheet(one, panel) {
  const { page } = one;
  await panel.locator('summary >> text="Load a spreadsheet"').click();
  const file = (name, text) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.setInputFiles('#target-file', file('broken.xlsx', 'PK\u0003\u0004 no workbook'));
  one.expected = /422/;
  await panel.locator('button >> text="Preview"').click();
  await panel.locator('.fault').waitFor();
  one.expected = undefined;
  await panel.locator('details').nth(1).getByLabel('Name, by which questions name it').fill('');
  await page.setInputFiles('#target-file', file('Sales 2026.csv', 'Region;Sum;Post\nNorth;1.234,50;10115\nSouth;99,90;20095\nNorth;0,60;10115\n'));
  await panel.locator('button >> text="Preview"').click();
  await panel.locator('.data-sheet').waitFor();
  await panel.locator('.data-sheet select').nth(2).selectOption('text');
  await one.look('preview of a spreadsheet');
  await panel.locator('button >> text="Load as sales_2026"').click();
  await panel.locator('.data-questions button').first().waitFor();
  const found = await panel.locator('td >> text="region, sum, post"').count();
  one.expect(found === 1, 'the columns are not shown');
  await page.setViewportSize(SIZES.phone.viewport);
  await one.look('a spreadsheet that is ready, narrow');
  await page.setViewportSize(SIZES.desktop.viewport);
  await remove(one, panel, 'sales_2026');
  await panel.locator('summary >> text="Load a spreadsheet"').click();
  await page.setInputFiles('#target-file', process.env.PARQUET_FILE);
  await panel.locator('button >> text="Preview"').click();
  await panel.locator('.data-sheet').waitFor();
  await panel.locator('p, li').filter({ hasText: 'Columns with lists, maps or structures' }).first().waitFor();
  await panel.locator('button >> text="Load as types"').click();
  await panel.locator('.data-questions button').first().waitFor();
  await remove(one, panel, 'types');
}

async function remove(one, panel, name) {
  one.page.once('dialog', (dialog) => dialog.accept());
  await panel.locator(`button[aria-label="Remove ${name}"]`).click();
  await panel.locator('[role="status"]').filter({ hasText: `${name} is removed.` }).waitFor();
  one.expect((await panel.locator(`td >> text="${name}"`).count()) === 0, `${name} is still listed`);
}

/** In another browser a conversation reads the same. */
async function elsewhere(one, other, thread) {
  const { page } = other;
  const seen = await one.conversation();
  await page.goto(`/${thread}`);
  await other.signIn();
  await page.waitForSelector('.plan-card');
  other.view = 'opened elsewhere';
  const read = await other.conversation();
  other.expect(read === seen, `it reads otherwise:\n  ${read}\n  instead of\n  ${seen}`);
  await other.look('opened elsewhere');
  const missing = '#/t/there-is-no-such-conversation';
  other.expected = /404/;
  await page.goto(`/${missing}`);
  await page.waitForSelector('.state');
  await other.look('no such conversation');
  other.expected = undefined;
}

/** A server that is away is no empty page, and coming back is one click. */
async function away(other, thread) {
  const { page, context } = other;
  other.expected = /ERR_|Failed to load/;
  const entries = page.locator('.entry-title');
  const isUp = { down: false };
  await context.route(/\/(api|auth)\//, (route) => (isUp.down ? route.abort('connectionrefused') : route.continue()));
  await page.goto('/#/');
  await page.waitForSelector('.choice');
  isUp.down = true;
  // One that this browser has not opened before.
  const unread = await entries.evaluateAll((links, known) => links.map((link) => link.getAttribute('href')).find((href) => href !== known), thread);
  await page.evaluate((hash) => (location.hash = hash), unread);
  await page.waitForSelector('.state button');
  await other.look('server away');
  other.expect((await page.locator('.welcome').count()) === 0, 'the welcome page is shown');
  isUp.down = false;
  await page.click('.state button >> text="Try again"');
  await page.waitForSelector('.message.assistant');
  isUp.down = true;
  await page.reload();
  await page.waitForSelector('#away .state');
  await other.look('nothing can be reached');
  isUp.down = false;
  await page.click('#away button');
  await page.waitForSelector('.message.assistant');
  other.expected = undefined;
}

/** After signing out nothing of the conversations is left in the browser. */
async function signOut(other) {
  const { page } = other;
  other.view = 'signed out';
  if (other.isPhone) await page.click('#menu');
  await page.click('#sign-out');
  await page.waitForSelector('#sign-in:not([hidden])');
  const kept = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('chats')));
  other.expect(kept.length === 0, `the browser keeps ${kept}`);
  other.expect(['', '#/'].includes(other.address), `the address is still ${other.address}`);
}

/** A run that goes on is marked, also after a reload; one that is stopped says so once. */
async function stopped(visit) {
  const one = await visit(slow);
  const { page } = one;
  await page.goto('/');
  await one.signIn();
  await page.waitForSelector('.choice');
  await page.fill('#message', 'Is the thing in the garage still alright?');
  await page.press('#message', 'Enter');
  await page.waitForSelector('.message.assistant .prose');
  await one.look('running');
  await page.reload();
  await page.waitForSelector('.message.assistant .prose');
  one.view = 'running, after a reload';
  one.expect((await page.locator('.entry.busy').count()) === 1, 'a running answer is not marked');
  const other = await visit(slow);
  await other.page.goto('/');
  await other.signIn();
  await other.page.waitForSelector('.entry.busy', { state: 'attached' });
  await page.click('[data-stop]');
  await one.answered();
  const told = await one.answer();
  const notices = told.match(/stopped/gi) ?? [];
  one.expect(notices.length === 1, `that it was stopped is said ${notices.length} times: ${told}`);
  await one.look('stopped');
  await other.page.goto(`/${one.address}`);
  await other.page.waitForSelector('.message.assistant');
  other.view = 'stopped, opened elsewhere';
  other.expect((await other.conversation()) === (await one.conversation()), `it reads otherwise: ${await other.conversation()}`);
}
