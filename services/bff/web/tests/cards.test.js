import assert from 'node:assert/strict';
import { test } from 'node:test';

/** As much of an element as cards need. */
class Element {
  constructor(tag) {
    this.tag = tag;
    this.children = [];
  }
  setAttribute() {}
  addEventListener() {}
  append(...children) {
    this.children.push(...children);
  }
  get textContent() {
    return this.children.map((child) => child.textContent ?? String(child)).join('|');
  }
}

globalThis.document = /** @type {any} */ ({
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
});

const { renderCard } = await import('../cards.js');

test('a data card shows its figures and its table', () => {
  const rows = Array.from({ length: 14 }, (_, index) => ({ day: `Day ${index + 1}`, energyKwh: 10.456 + index }));
  const columns = [
    { key: 'day', label: 'Day' },
    { key: 'energyKwh', label: 'Energy', unit: 'kWh' },
  ];
  const props = { title: 'Energy of INV-1', note: 'in June', figures: [{ label: 'Energy', value: '237.4 kWh', remark: 'so far' }], table: { columns, rows } };
  const text = renderCard({ component: 'DataCard', props }).textContent;
  for (const part of ['Energy of INV-1', 'in June', '237.4 kWh', 'so far', 'Energy (kWh)', 'Day 1|10.5', 'Show 2 more rows']) {
    assert.ok(text.includes(part), `${part} is missing in ${text}`);
  }
});

test('a data card may have a title alone', () => {
  assert.equal(renderCard({ component: 'DataCard', props: { title: 'Nothing' } }).textContent, 'Nothing');
});
