// One response of POST /api/chat, read by the letter: the frames, the chunks in them, and every rule that they break.
//
// Real clients forgive some of this today, one version or another. Where they do not, they drop the whole message, so the
// rules here are those of the strictest client that we answer (ai 5.0.104, whose chunk schemas are closed).

/** The members of each chunk that all of our clients know: those that must be there, and those that may. */
const CHUNKS = {
  'start': [['messageId'], ['messageMetadata']],
  'start-step': [[], []],
  'finish-step': [[], []],
  'text-start': [['id'], []],
  'text-delta': [['id', 'delta'], []],
  'text-end': [['id'], []],
  'tool-input-available': [['toolCallId', 'toolName', 'input'], ['providerExecuted']],
  'tool-output-available': [['toolCallId', 'output'], ['providerExecuted']],
  'data-flow': [['id', 'data'], []],
  'data-status': [['data', 'transient'], []],
  'data-warning': [['data'], []],
  'data-plan': [['id', 'data'], []],
  'data-rows': [['data'], []],
  'source-document': [['sourceId', 'mediaType', 'title'], ['filename']],
  'source-url': [['sourceId', 'url'], ['title']],
  'error': [['errorText'], []],
  'finish': [['finishReason'], ['messageMetadata']],
};

/** The call that a person answers; every other is answered by us, in the same stream. */
const PICKER = 'request_user_selection';

/** What the response's headers lack. */
export function headerFaults(status, headers) {
  const wanted = [
    ['content-type', (value) => value?.split(';')[0] === 'text/event-stream'],
    ['cache-control', (value) => value?.includes('no-cache')],
    ['x-accel-buffering', (value) => value === 'no'],
    ['x-vercel-ai-ui-message-stream', (value) => value === 'v1'],
    ['x-run-id', (value) => /^[\w-]+$/.test(value ?? '')],
    ['content-encoding', (value) => value === null],
  ];
  const faults = wanted.filter(([name, holds]) => !holds(headers.get(name))).map(([name]) => `${name}: ${headers.get(name)}`);
  return status === 200 ? faults : [`status ${status}`, ...faults];
}

/** Reads a whole body. Gives back its chunks in their order, and what is wrong with it. */
export function readBody(body) {
  const faults = [];
  const blocks = body.split('\n\n');
  if (blocks.pop() !== '') faults.push('the last frame is cut off');
  if (body.includes('\r')) faults.push('a carriage return');
  const events = blocks.map((block) => readFrame(block, faults)).filter((event) => event !== undefined);
  if (events.findIndex((event) => event.data === '[DONE]') !== events.length - 1) faults.push('[DONE] is not the last frame, and only that');
  if (events.some((event, index) => index > 0 && !(event.id > events[index - 1].id))) faults.push('the ids do not rise');
  const chunks = events.filter((event) => event.data !== '[DONE]').map((event) => readChunk(event.data, faults));
  const laws = new Laws(faults);
  chunks.forEach((chunk, index) => laws.see(chunk, index));
  laws.end(chunks.length);
  return { chunks, faults };
}

/** A frame's id and data; undefined for a comment. */
function readFrame(block, faults) {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  if (lines.length === 0) return undefined;
  const values = (name) => lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  const [ids, data] = [values('id'), values('data')];
  if (lines.length !== 2 || ids.length !== 1 || data.length !== 1 || !/^\d+$/.test(ids[0])) {
    faults.push(`not one id and one line of data: ${excerpt(block)}`);
  }
  return { id: Number(ids[0]), data: data.join('\n') };
}

function readChunk(data, faults) {
  const chunk = parse(data);
  if (typeof chunk?.type !== 'string') {
    faults.push(`not a chunk: ${excerpt(data)}`);
    return { type: '' };
  }
  if (!data.startsWith(`{"type":"${chunk.type}"`)) faults.push(`the type does not come first: ${excerpt(data)}`);
  const known = CHUNKS[chunk.type];
  if (known === undefined) {
    faults.push(`a type that clients do not know: ${chunk.type}`);
    return chunk;
  }
  const [required, optional] = known;
  const members = Object.keys(chunk).filter((name) => name !== 'type');
  const wrong = [
    ...required.filter((name) => !members.includes(name)).map((name) => `no ${name}`),
    ...members.filter((name) => !required.includes(name) && !optional.includes(name)).map((name) => `${name}, which clients do not know`),
    ...nulls(chunk).map((path) => `null at ${path}`),
  ];
  faults.push(...wrong.map((what) => `${chunk.type}: ${what}`));
  return chunk;
}

/** Where a chunk holds null. What tools and cards say is theirs: a reading that is missing is null in it, and no client minds. */
function nulls(value, path = '') {
  if (path === '/output' || path === '/input/props' || path.startsWith('/data/')) return [];
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => nulls(member, `${path}/${name}`));
}

/** The order of chunks in one message. */
class Laws {
  constructor(faults) {
    this.faults = faults;
    this.ids = new Set();
    this.calls = new Map();
    this.step = undefined;
    this.lastStep = undefined;
    this.text = undefined;
    this.ended = undefined;
  }

  demand(holds, what) {
    if (!holds) this.faults.push(`chunk ${this.index}: ${what}`);
  }

  fresh(id) {
    this.demand(!this.ids.has(id), `the id ${id} is used again`);
    this.ids.add(id);
  }

  see(chunk, index) {
    this.index = index;
    this.demand((index === 0) === (chunk.type === 'start'), 'start comes first, and once');
    this.demand(this.ended === undefined, `${chunk.type} after the end`);
    const within = ['text-delta', 'text-end', 'data-status', 'data-warning'];
    this.demand(this.text === undefined || within.includes(chunk.type), `${chunk.type} within an open text`);
    const rule = this[chunk.type];
    if (rule !== undefined) rule.call(this, chunk);
  }

  'start'({ messageId }) {
    this.demand(/^[\w-]+$/.test(messageId), `the message id ${messageId} does not fit a URL`);
  }

  'start-step'() {
    this.demand(this.step === undefined, 'a step within a step');
    this.step = { texts: 0, calls: [] };
  }

  'finish-step'() {
    this.demand(this.step !== undefined, 'the end of a step that is not open');
    this.lastStep = this.step;
    this.step = undefined;
  }

  'text-start'({ id }) {
    this.demand(this.step !== undefined, 'a text outside of a step');
    this.fresh(id);
    if (this.step !== undefined) this.step.texts += 1;
    this.text = { id, length: 0 };
  }

  'text-delta'({ id, delta }) {
    this.demand(this.text?.id === id, `a delta of ${id}, which is not open`);
    this.demand(typeof delta === 'string' && delta !== '', 'an empty delta');
    if (this.text !== undefined) this.text.length += String(delta).length;
  }

  'text-end'({ id }) {
    this.demand(this.text?.id === id && this.text.length > 0, `the end of ${id}, which is not open or has no words`);
    this.text = undefined;
  }

  'tool-input-available'({ toolCallId, toolName, providerExecuted }) {
    this.demand(this.step !== undefined, 'a call outside of a step');
    this.fresh(toolCallId);
    // Without the mark clients wait for an answer to the call, and with it they do not send a person's.
    const marked = toolName === PICKER ? providerExecuted === undefined : providerExecuted === true;
    this.demand(marked, `${toolName} has providerExecuted: ${providerExecuted}`);
    this.calls.set(toolCallId, { toolName, answers: 0 });
    this.step?.calls.push(toolCallId);
  }

  'tool-output-available'({ toolCallId, providerExecuted }) {
    const call = this.calls.get(toolCallId);
    this.demand(call !== undefined, `an output of ${toolCallId}, which this message did not call`);
    this.demand(providerExecuted === true, `an output with providerExecuted: ${providerExecuted}`);
    if (call === undefined) return;
    call.answers += 1;
    this.demand(call.toolName !== PICKER, 'an output of the call that a person answers');
    this.demand(call.answers === 1, `a second output of ${toolCallId}`);
  }

  'data-flow'({ id, data }) {
    this.demand(id === 'flow' && typeof data?.flow === 'string' && data.confidence >= 0 && data.confidence <= 1, 'not a flow');
  }

  'data-status'({ data, transient }) {
    this.demand(transient === true && typeof data?.text === 'string', 'not a passing hint');
  }

  'error'() {
    this.ended = 'error';
  }

  'finish'({ finishReason }) {
    this.ended = 'finish';
    this.demand(this.step === undefined, 'the end within a step');
    const calls = [...this.calls.values()];
    const asked = calls.some((call) => call.toolName === PICKER);
    this.demand(finishReason === (asked ? 'tool-calls' : 'stop'), `finishReason ${finishReason}`);
    const open = calls.filter((call) => call.toolName !== PICKER && call.answers === 0);
    this.demand(open.length === 0, `calls without an output: ${open.map((call) => call.toolName)}`);
    const onlyText = this.lastStep?.texts > 0 && this.lastStep.calls.length === 0;
    this.demand(asked || onlyText, 'the last step is not just text, so clients send the conversation again');
  }

  end(index) {
    this.index = index;
    this.demand(this.ended !== undefined, 'neither finish nor error');
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function excerpt(text) {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
