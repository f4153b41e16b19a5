import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamParser } from '../sse.js';

const encoder = new TextEncoder();

function read(pieces) {
  const parser = new EventStreamParser();
  const events = pieces.flatMap((piece) => parser.push(piece));
  return events.concat(parser.end());
}

const STREAM = encoder.encode(
  ': hello\n\nid: 1\ndata: {"delta":"Grüße, 12 °C ☀️"}\n\ndata:{"no":"space"}\r\n\r\nevent: x\rdata: one\rdata: two\r\r: 15 s\n\ndata: [DONE]\n\n',
);
const EVENTS = ['{"delta":"Grüße, 12 °C ☀️"}', '{"no":"space"}', 'one\ntwo', '[DONE]'];

test('a body split at any byte yields the same events', () => {
  assert.deepEqual(read([STREAM]), EVENTS);
  for (let at = 0; at <= STREAM.length; at += 1) {
    assert.deepEqual(read([STREAM.slice(0, at), STREAM.slice(at)]), EVENTS, `split at ${at}`);
  }
});

test('a body that comes byte by byte yields the same events', () => {
  assert.deepEqual(read([...STREAM].map((byte) => Uint8Array.of(byte))), EVENTS);
});

test('an event is handed out as soon as it is complete', () => {
  const parser = new EventStreamParser();
  assert.deepEqual(parser.push(encoder.encode('data: a\n')), []);
  assert.deepEqual(parser.push(encoder.encode('\ndata: b')), ['a']);
  assert.deepEqual(parser.push(encoder.encode('\n\n')), ['b']);
  assert.deepEqual(parser.end(), []);
});

test('the last event may lack its blank line', () => {
  assert.deepEqual(read([encoder.encode('data: a\n\ndata: b')]), ['a', 'b']);
});

test('only one space after the colon is taken away', () => {
  assert.deepEqual(read([encoder.encode('data:  x\n\ndata\n\n')]), [' x', '']);
});
