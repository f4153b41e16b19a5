/** The sites of a tenant: add one, change it, its devices with their capacities, delete it. */

import { deleteSite, listSites, putSite } from './api.js';
import { Status, field, mayWrite, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { devicesWords, idOf, placeWords, siteFaults, siteOf } from './site-words.js';

const PLAIN = { type: 'text', autocomplete: 'off' };
const NUMBER = { type: 'number', step: 'any' };
/** The zones that the browser knows. */
const ZONES = typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : [];
const ROLES = ['inverter', 'meter', 'weather'];

export class SitesPanel {
  #user;
  #changed;
  #status = new Status();
  #list = h('div');
  #work = h('div', { class: 'data-preview' });
  #form;
  #adding;

  /** `changed()` is called when a site came or went. */
  constructor(user, changed) {
    this.#user = user;
    this.#changed = changed;
    if (mayWrite(user, 'sites:write')) {
      this.#form = new SiteForm((site, control) => this.#add(site, control));
      this.#adding = h('details', { class: 'data-more' }, h('summary', {}, 'Add a site'), this.#form.element);
    }
    const zones = h('datalist', { id: 'time-zones' }, ZONES.map((value) => h('option', { value })));
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Sites' }, h('h3', {}, 'Sites'), zones, this.#adding, this.#status.element, this.#work, this.#list);
  }

  async load() {
    try {
      const { sites } = await listSites();
      this.#show(sites);
      if (sites.length === 0 && this.#adding) this.#adding.open = true;
    } catch (error) {
      this.#status.fail(error);
    }
  }

  leave() {
    this.#work.replaceChildren();
    this.#status.say('');
  }

  #show(sites) {
    if (sites.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, this.#form ? 'There are no sites yet. Add one, then import its files.' : 'There are no sites yet.'));
      return;
    }
    const rows = sites.map((one) => [
      [one.name ?? one.id, one.name && one.name !== one.id && h('p', { class: 'note' }, one.id)],
      placeWords(one),
      devicesWords(one),
      this.#form ? button({ label: 'Change', class: 'small', 'aria-label': `Change ${one.name ?? one.id}` }, () => this.#open(one)) : '',
      this.#form ? button({ label: `Delete ${one.name ?? one.id}`, name: 'trash', quiet: true, class: 'icon-button' }, (event) => this.#delete(one, event.currentTarget)) : '',
    ]);
    this.#list.replaceChildren(scroller('Sites', table('Sites', ['Name', 'Place', 'Devices', '', ''], rows)));
  }

  #add(site, control) {
    const work = async () => {
      const { sites } = await listSites();
      if (sites.some(({ id }) => id === site.id)) throw Object.assign(new Error('There is a site with this id already.'), { faults: [{ pointer: '/id', detail: 'there is a site with this id already; change it, or choose another id' }] });
      await stored(site);
      this.#form.clear();
      this.#adding.open = false;
      await this.load();
      this.#status.say(`${site.name ?? site.id} is added. Import the files of its loggers below.`);
      this.#changed();
    };
    return this.#status.attempt(control, work, this.#form.element);
  }

  /** Shows a site with what can be changed of it. */
  #open(site) {
    const form = new SiteForm((changed, control) => this.#change(changed, control, form), site);
    this.#status.say('');
    this.#work.replaceChildren(h('h4', { tabindex: '-1' }, `Change ${site.name ?? site.id}`), form.element);
    this.#work.querySelector('h4').focus();
  }

  #change(site, control, form) {
    const work = async () => {
      await stored(site);
      this.#work.replaceChildren();
      await this.load();
      this.#status.say(`${site.name ?? site.id} is changed.`);
      this.#changed();
    };
    return this.#status.attempt(control, work, form.element);
  }

  #delete(site, control) {
    if (!confirm(`Delete ${site.name ?? site.id} with its devices and all their readings? This cannot be undone.`)) return undefined;
    return this.#status.attempt(control, async () => {
      await deleteSite(site.id);
      this.#work.replaceChildren();
      await this.load();
      this.#status.say(`${site.name ?? site.id} is deleted.`);
      this.#changed();
    });
  }
}

/** Stores a site. Its faults name the fields of the form. */
async function stored(site) {
  try {
    await putSite(site);
  } catch (error) {
    error.faults = siteFaults(error);
    throw error;
  }
}

/** The fields of a new site, or of one that is there, whose id stays. */
class SiteForm {
  #site;
  #name = h('input', { ...PLAIN, name: '/name', required: true, maxlength: 200, placeholder: 'Roof' });
  #id = h('input', { ...PLAIN, name: '/id', required: true, maxlength: 64, autocapitalize: 'none', spellcheck: 'false', placeholder: 'roof' });
  #zone = h('input', { ...PLAIN, name: '/timezone', required: true, list: 'time-zones', spellcheck: 'false' });
  #latitude = h('input', { ...NUMBER, name: '/latitude', min: -90, max: 90 });
  #longitude = h('input', { ...NUMBER, name: '/longitude', min: -180, max: 180 });
  #tilt = h('input', { ...NUMBER, name: '/tilt', min: 0, max: 90 });
  #azimuth = h('input', { ...NUMBER, name: '/azimuth', min: 0, max: 360, placeholder: '180 is south' });
  #tariff = h('input', { ...NUMBER, name: '/tariff', min: 0, step: '0.0001' });
  #currency = h('input', { ...PLAIN, name: '/currency', maxlength: 3, pattern: '[A-Za-z]{3}', title: 'three letters, such as EUR', placeholder: 'EUR' });
  #devices = h('div', { class: 'data-rules', role: 'group', 'aria-label': 'Devices' });

  constructor(send, site) {
    this.#site = site;
    let named = site !== undefined;
    this.#id.addEventListener('input', () => {
      named = true;
    });
    this.#name.addEventListener('input', () => {
      if (!named) this.#id.value = idOf(this.#name.value);
    });
    const submit = (event) => {
      event.preventDefault();
      send(this.#given(), event.submitter ?? this.element.querySelector('button[type="submit"]'));
    };
    this.element = h(
      'form',
      { class: 'data-form', 'aria-label': site ? `Change ${site.name ?? site.id}` : 'Add a site', on: { submit } },
      field('Name', this.#name),
      site ? '' : field('Id', this.#id),
      field('Time zone', this.#zone),
      field('Latitude (optional)', this.#latitude),
      field('Longitude (optional)', this.#longitude),
      field('Slope, degrees (optional)', this.#tilt),
      field('Direction, degrees (optional)', this.#azimuth),
      field('Money per kWh (optional)', this.#tariff),
      field('Currency (optional)', this.#currency),
      h('div', { class: 'data-wide' }, h('p', { class: 'note' }, 'Devices and their capacities. Devices that an import finds are added by the import.'), this.#devices, button({ label: 'Add a device', class: 'small' }, () => this.#devices.append(deviceRow({}, true)))),
      h('div', { class: 'data-buttons' }, button({ label: site ? 'Save' : 'Add the site', type: 'submit', class: 'primary' })),
    );
    this.#fill();
  }

  #fill() {
    const site = this.#site ?? {};
    const write = (input, value) => {
      input.value = value ?? '';
    };
    write(this.#name, site.name ?? site.id);
    write(this.#zone, site.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
    write(this.#latitude, site.latitude);
    write(this.#longitude, site.longitude);
    write(this.#tilt, site.tilt_deg);
    write(this.#azimuth, site.azimuth_deg);
    write(this.#tariff, site.tariff_per_kwh);
    write(this.#currency, site.currency);
    this.#devices.replaceChildren(...(site.loggers ?? []).map((device) => deviceRow(device, false)));
  }

  #given() {
    const devices = [...this.#devices.children].map((row) => {
      const [id, role, capacity] = [...row.querySelectorAll('input, select')].map((input) => /** @type {HTMLInputElement} */ (input).value);
      return { id, role, capacity };
    });
    const given = { name: this.#name.value, id: this.#id.value, zone: this.#zone.value, latitude: this.#latitude.value, longitude: this.#longitude.value, tilt: this.#tilt.value, azimuth: this.#azimuth.value, tariff: this.#tariff.value, currency: this.#currency.value, devices };
    return siteOf(given, this.#site);
  }

  clear() {
    this.element.reset();
    this.#fill();
  }
}

/** The fields of a device. The id of one that is there stays. */
function deviceRow({ id = '', role = ROLES[0], capacity_kw: capacity = '' }, removable) {
  const row = h(
    'div',
    { class: 'data-form' },
    field('Device', h('input', { ...PLAIN, required: true, maxlength: 64, value: id, readonly: id !== '' })),
    field('Kind', h('select', {}, ROLES.map((value) => h('option', { value, selected: value === role }, value)))),
    field('Capacity, kW (optional)', h('input', { ...NUMBER, min: 0, value: capacity })),
    removable && button({ label: 'Leave this device out', name: 'trash', quiet: true, class: 'icon-button' }, () => row.remove()),
  );
  return row;
}
