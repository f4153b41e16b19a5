// The service under test, and an eye on everything that it answers.

import assert from 'node:assert/strict';

import { headerFaults, readBody } from './stream.mjs';

/** A client that asks more often than this in one turn asks forever. */
const REQUESTS_PER_TURN = 4;

/** Where a client posts its messages. */
export const chatUrl = () => `${setting('HELIOGRAPH_URL')}/api/chat`;

/** How a client says who it is. */
export const authorization = () => ({ authorization: `Bearer ${setting('HELIOGRAPH_TOKEN')}` });

/** The messages of a thread, as a page gets them that opens it now. */
export async function historyOf(thread) {
  const pages = [];
  let before = '';
  do {
    const url = `${setting('HELIOGRAPH_URL')}/api/threads/${thread}/ui-messages?limit=7${before}`;
    const response = await fetch(url, { headers: authorization() });
    const page = await response.json();
    assert.equal(response.status, 200, JSON.stringify(page));
    pages.unshift(page.messages);
    before = page.has_more ? `&before=${page.first_seq}` : undefined;
  } while (before !== undefined);
  return pages.flat();
}

function setting(name) {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
}

/** Hands requests on to the service (or to `fetch`, whatever that is) and reads every answer along with the client. */
export class Watch {
  #inner;
  #turn = [];

  constructor(inner = globalThis.fetch) {
    this.#inner = inner;
  }

  /** The bytes of the largest request so far. */
  largest = 0;

  /** What a client is given in place of `fetch`. */
  fetch = async (url, init) => {
    assert(this.#turn.length < REQUESTS_PER_TURN, 'the client sends the conversation again and again');
    const request = { body: JSON.parse(init.body), read: undefined };
    this.#turn.push(request);
    this.largest = Math.max(this.largest, Buffer.byteLength(init.body));
    const response = await this.#inner(url, init);
    if (!response.ok) {
      request.read = { chunks: [], faults: [`${response.status}: ${await response.clone().text()}`] };
      return response;
    }
    const [ours, theirs] = response.body.tee();
    request.read = read(ours, headerFaults(response.status, response.headers));
    return new Response(theirs, { status: response.status, headers: response.headers });
  };

  /** The requests of the turn that has ended, each with its chunks; and all that is wrong with them. */
  async turn() {
    const turn = this.#turn;
    this.#turn = [];
    const answers = await Promise.all(turn.map(async ({ body, read }) => ({ body, ...(await read) })));
    return { answers, faults: answers.flatMap(({ faults }) => faults) };
  }
}

async function read(stream, faults) {
  let body = '';
  try {
    for await (const text of stream.pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))) body += text;
  } catch (error) {
    faults.push(`the body cannot be read: ${error.message}`);
  }
  const { chunks, faults: more } = readBody(body);
  return { chunks, faults: [...faults, ...more] };
}

/** What a person is shown of a message: its words, and its calls in their order. */
export function shown(chunks) {
  const outputs = new Map(chunks.filter(({ type }) => type === 'tool-output-available').map((chunk) => [chunk.toolCallId, chunk.output]));
  return {
    text: chunks.filter(({ type }) => type === 'text-delta').map(({ delta }) => delta).join(''),
    calls: chunks
      .filter(({ type }) => type === 'tool-input-available')
      .map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input, output: outputs.get(id) })),
  };
}
