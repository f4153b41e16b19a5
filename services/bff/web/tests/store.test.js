import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConversationStore, forgetEverything, titleOf } from '../store.js';

class FakeStorage {
  #kept = new Map();
  constructor(room = Infinity) {
    this.room = room;
  }
  getItem(key) {
    return this.#kept.get(key) ?? null;
  }
  setItem(key, text) {
    if (text.length > this.room) throw new Error('QuotaExceededError');
    this.#kept.set(key, text);
  }
  removeItem(key) {
    this.#kept.delete(key);
  }
}

const conversation = (id, day, messages = []) => ({ id, title: id, messages, createdAt: '', updatedAt: `2026-01-0${day}T00:00:00Z` });

test('conversations come back, the latest first, each account its own', () => {
  const storage = new FakeStorage();
  const store = new ConversationStore(storage, 'a');
  store.save(conversation('old', 1));
  store.save(conversation('new', 2));
  store.rename('old', 'Renamed');
  assert.deepEqual(store.list().map((one) => one.title), ['new', 'Renamed']);
  assert.deepEqual(new ConversationStore(storage, 'b').list(), []);
  store.remove('new');
  assert.deepEqual(store.list().map((one) => one.id), ['old']);
});

test('signing out forgets an account’s conversations, also those of an answer that still comes in', () => {
  const storage = new FakeStorage();
  const [store, other] = [new ConversationStore(storage, 'a'), new ConversationStore(storage, 'b')];
  store.save(conversation('one', 1));
  other.save(conversation('two', 2));
  store.forget();
  store.save(conversation('one', 3));
  assert.equal(storage.getItem('solar-analyst-chats:a'), null);
  assert.deepEqual(other.list().map((one) => one.id), ['two']);
});

test('two tabs do not overwrite each other’s conversations', () => {
  const storage = new FakeStorage();
  const [one, two] = [new ConversationStore(storage, 'a'), new ConversationStore(storage, 'a')];
  one.save(conversation('one', 1));
  two.save(conversation('two', 2));
  one.save(conversation('one', 3));
  assert.deepEqual(one.list().map(({ id }) => id), ['one', 'two']);
});

test('when storage is full the oldest make room', () => {
  const store = new ConversationStore(new FakeStorage(700), 'a');
  for (const day of [1, 2, 3]) store.save(conversation(`c${day}`, day, [{ role: 'user', text: 'x'.repeat(200) }]));
  assert.deepEqual(store.list().map(({ id }) => id), ['c3', 'c2']);
});

test('large outputs of hidden calls are not kept, cards are', () => {
  const store = new ConversationStore(new FakeStorage(), 'a');
  const output = 'x'.repeat(10_000);
  const parts = ['get_power_curve', 'render_ui_component'].map((name) => ({ type: 'tool', name, input: {}, output }));
  store.save(conversation('c', 1, [{ role: 'assistant', parts }]));
  const [hidden, card] = store.get('c').messages[0].parts;
  assert.deepEqual([hidden.output, hidden.outputDropped, card.output], [null, true, output]);
});

test('broken storage is an empty one', () => {
  const storage = new FakeStorage();
  for (const text of ['{', '7', '[{"id":1},null]']) {
    storage.setItem('solar-analyst-chats:a', text);
    assert.deepEqual(new ConversationStore(storage, 'a').list(), []);
  }
});

test('titles are the first fifty characters on one line', () => {
  assert.equal(titleOf('  Morning\n briefing '), 'Morning briefing');
  assert.equal(titleOf('x'.repeat(80)).length, 50);
});

test('what was led elsewhere is listed until it is gone there', () => {
  const store = new ConversationStore(new FakeStorage(), 'a');
  store.save(conversation('here', 1));
  const thread = (id, title) => ({ thread_id: id, title, created_at: '', last_updated: '2026-01-05T00:00:00Z' });
  store.merge([thread('there', 'From my phone'), thread('here', 'x')]);
  assert.deepEqual(store.list().map(({ id, title, remote }) => [id, title, remote]), [['there', 'From my phone', true], ['here', 'here', undefined]]);
  store.merge([], false);
  assert.deepEqual(store.list().map(({ id }) => id), ['there', 'here'], 'a page of the list says nothing of older ones');
  store.merge([]);
  assert.deepEqual(store.list().map(({ id }) => id), ['here']);
});

test('what was said elsewhere since is noticed', () => {
  const store = new ConversationStore(new FakeStorage(), 'a');
  store.save({ ...conversation('c', 1), servedAt: '2026-01-01T00:00:00Z' });
  store.merge([{ thread_id: 'c', last_updated: '2026-01-01T00:00:00Z' }]);
  assert.equal(store.get('c').stale, undefined);
  store.merge([{ thread_id: 'c', last_updated: '2026-01-02T00:00:00Z' }]);
  assert.equal(store.get('c').stale, true);
});

test('nothing of any account is left when everything is forgotten', () => {
  const kept = { 'solar-analyst-chats:a': '[]', 'solar-analyst-chats:b': '[]', 'heliograph-theme': 'dark' };
  Object.defineProperty(kept, 'removeItem', { value: (key) => delete kept[key] });
  forgetEverything(kept);
  assert.deepEqual(Object.keys(kept), ['heliograph-theme']);
});
