/** Sites, as the server takes them, and in words. */

import { count, number } from './format.js';

/**
 * Words of a fault, and the field that it is about.
 * @type {[RegExp, string][]}
 */
const FIELDS = [[/time zone/i, '/timezone'], [/latitude/i, '/latitude'], [/longitude/i, '/longitude'], [/tilt/i, '/tilt'], [/azimuth/i, '/azimuth'], [/tariff/i, '/tariff'], [/currency/i, '/currency'], [/\bname\b/i, '/name'], [/\bid\b/i, '/id']];

/** The faults of a list of sites, at the fields of the one site. */
export function siteFaults({ faults = [] }) {
  return faults.map(({ pointer, detail }) => {
    const words = detail.replace(/^site "[^"]*": /, '');
    return { pointer: FIELDS.find(([pattern]) => pattern.test(words))?.[1] ?? pointer, detail: words };
  });
}

/** An id from a name: `Halle Süd 2` is `halle-sued-2`. */
export function idOf(name) {
  const spelled = name.toLowerCase().replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');
  return spelled.normalize('NFD').replace(/\p{M}/gu, '').replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 64);
}

/**
 * The body of a site, from the texts of its fields. `site` is the one of before, whose other
 * members stay.
 */
export function siteOf({ name, id, zone, latitude, longitude, tilt, azimuth, tariff, currency, devices }, site = undefined) {
  const figure = (text) => (String(text).trim() === '' ? undefined : Number(text));
  const known = new Map((site?.loggers ?? []).map((device) => [device.id, device]));
  return {
    ...site,
    id: site?.id ?? id.trim(),
    name: name.trim(),
    timezone: zone.trim(),
    latitude: figure(latitude),
    longitude: figure(longitude),
    tilt_deg: figure(tilt),
    azimuth_deg: figure(azimuth),
    tariff_per_kwh: figure(tariff),
    currency: currency.trim() === '' ? undefined : currency.trim().toUpperCase(),
    loggers: devices.map((device) => ({ ...known.get(device.id.trim()), id: device.id.trim(), role: device.role, capacity_kw: figure(device.capacity) })),
  };
}

/** The zone and the position of a site. */
export function placeWords({ timezone, latitude, longitude }) {
  const known = Number.isFinite(latitude) && Number.isFinite(longitude);
  const degrees = (value, positive, negative) => `${number(Math.abs(value), 2)}° ${value < 0 ? negative : positive}`;
  return known ? `${timezone}, ${degrees(latitude, 'N', 'S')}, ${degrees(longitude, 'E', 'W')}` : timezone;
}

/** The devices of a site, with their capacity. */
export function devicesWords({ loggers = [] }) {
  const capacity = loggers.reduce((sum, { capacity_kw: kw }) => sum + (kw ?? 0), 0);
  return `${count(loggers.length, 'device')}${capacity > 0 ? `, ${number(capacity, 1)} kW` : ''}`;
}
