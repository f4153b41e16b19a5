import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

const folder = new URL('../', import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), 'utf8');
const names = readdirSync(folder);
const modules = names.filter((name) => name.endsWith('.js'));

test('nothing makes markup or code from text, or needs what the policy forbids', () => {
  assert.ok(modules.length > 10);
  for (const file of modules) {
    assert.doesNotMatch(read(file), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|setAttribute\('style'|style:/, file);
  }
  assert.doesNotMatch(read('index.html'), /\sstyle=|\son[a-z]+=|<script(?![^>]*src=)|https?:/);
});

test('the document has the place where the server names every other module', () => {
  assert.equal(read('index.html').split('<!-- modulepreload -->').length, 2);
  assert.match(read('index.html'), /<script type="module" src="app.js">/);
});

test('every import is a file of the page', () => {
  for (const file of modules) {
    for (const [, name] of read(file).matchAll(/from '\.\/([^']+)'/g)) assert.ok(modules.includes(name), `${file}: ${name}`);
  }
});

test('every element that the program asks for by id is there', () => {
  const ids = [...read('app.js').matchAll(/\$\('([^']+)'\)/g)].map((match) => match[1]);
  assert.ok(ids.length > 10);
  for (const id of ids) assert.ok(read('index.html').includes(`id="${id}"`), id);
});

test('the page is the same in every deployment: no file names an assistant’s data', () => {
  const words = /\bdemo\b|shipment|shipping|vessel|container|miami|port meridian|msc anna|carrier|technician|overtime|work order|scope 1|emission|inverter-|GW-INV|LTI-INV/i;
  for (const file of [...modules, 'index.html']) assert.doesNotMatch(read(file), words, file);
});
