/**
 * The data of a message, and how the chunks of a stream fill it. Plain data, so that it can be
 * stored unchanged:
 *
 *   user       { id, role, text, at }
 *   assistant  { id, role, at, state, parts, sources?, flow?, source?, error? }
 *
 * `sources` are the passages of documents that numbers in the text refer to. Parts are texts, tool
 * calls, plans, rows and warnings in order of arrival. The states are `streaming`, `done`,
 * `stopped` and `failed`.
 */

/** The call that renders a card. */
export const CARD_TOOL = 'render_ui_component';
/** The call that the user answers. */
export const PICKER_TOOL = 'request_user_selection';

export function userMessage(id, text, at) {
  return { id, role: 'user', text, at };
}

export function assistantMessage(id, at) {
  return { id, role: 'assistant', at, state: 'streaming', parts: [] };
}

/** The code of the warning for a stopped answer. */
const STOPPED = 'cancelled';
/** The calls that return rows, and the member of their output that contains them. */
const QUERIES = {
  run_sql: (result) => result,
  es_executor: (result) => result?.run,
  graphql_executor: (result) => result?.run,
};

/** Whether a call is only shown in the details panel. */
export function isHidden(part) {
  return part.type === 'tool' && part.name !== CARD_TOOL && part.name !== PICKER_TOOL;
}

/** The picker that waits for an answer, if the message ends with one. */
export function openPicker(message) {
  if (message?.role !== 'assistant' || message.state === 'streaming') return undefined;
  return message.parts.find((part) => part.name === PICKER_TOOL && part.answer === undefined && part.said === undefined);
}

/** The status of a waiting answer: nothing is visible yet, tools run, or text appears. */
export function phase(message) {
  if (message.state !== 'streaming') return 'idle';
  if (message.parts.some((part) => isHidden(part) && part.output === undefined)) return 'analysing';
  const last = message.parts.at(-1);
  if (last?.type === 'text' && last.open && last.text !== '') return 'streaming';
  return message.parts.some((part) => !isHidden(part) && part.text !== '') ? 'working' : 'thinking';
}

/**
 * Applies a chunk to a message. Unknown and unsuitable chunks (the output of an unknown call, a
 * delta that is not text) are ignored, so that a newer server does not break an older page.
 */
export function applyChunk(message, chunk, now) {
  const apply = chunk !== null && typeof chunk === 'object' ? CHUNKS[chunk.type] : undefined;
  apply?.(message, chunk, now);
  return message;
}

const CHUNKS = {
  start(message, chunk) {
    // The stream starts again: a client that rejoins gets the whole answer once more.
    message.parts = [];
    message.sources = [];
    if (typeof chunk.messageId === 'string') message.serverId = chunk.messageId;
    const runId = chunk.messageMetadata?.runId;
    if (typeof runId === 'string') message.runId = runId;
  },
  'text-start': (message, chunk) => void textPart(message, chunk.id),
  'text-delta'(message, chunk) {
    if (typeof chunk.delta === 'string') textPart(message, chunk.id).text += chunk.delta;
  },
  'text-end'(message, chunk) {
    for (const part of message.parts) if (part.type === 'text' && part.id === chunk.id) part.open = false;
  },
  'tool-input-available'(message, chunk, now) {
    if (!chunk.toolCallId || findCall(message, chunk.toolCallId)) return;
    const { toolCallId: id, toolName: name, input } = chunk;
    message.parts.push({ type: 'tool', id, name, input: input ?? {}, startedAt: now });
  },
  'tool-output-available'(message, chunk, now) {
    finishCall(message, chunk, now, chunk.output ?? null);
  },
  'tool-output-error'(message, chunk, now) {
    finishCall(message, chunk, now, { status: 'error', message: chunk.errorText });
  },
  'data-flow'(message, chunk) {
    if (chunk.data) message.flow = chunk.data;
  },
  'data-warning'(message, chunk) {
    // The page shows below the answer that it was stopped.
    if (chunk.data?.code === STOPPED) message.stopped = true;
    else if (chunk.data?.text) message.parts.push({ type: 'warning', text: chunk.data.text });
  },
  'data-rows'(message, chunk) {
    const part = rowsPart(message, chunk.data);
    if (part) message.parts.push(part);
  },
  'data-plan'(message, chunk) {
    const plan = planOf(chunk.data);
    if (!plan) return;
    const id = String(chunk.id ?? plan.id ?? '');
    const known = message.parts.find((part) => part.type === 'plan' && part.id === id);
    if (known) known.plan = plan;
    else message.parts.push({ type: 'plan', id, plan });
  },
  error(message, chunk) {
    fail(message, 'api', chunk.errorText ?? chunk.message ?? 'The answer is incomplete because of an error.');
  },
  finish(message, chunk) {
    const source = chunk.messageMetadata?.source;
    if (source) message.source = source;
    if (message.state === 'streaming') close(message, chunk.finishReason === 'other' ? 'stopped' : 'done');
  },
};

/** Rows for a table. Sources of documents are not shown as a table, because the text lists them. */
export function rowsOf(data) {
  const rows = Array.isArray(data) ? data.filter((row) => row !== null && typeof row === 'object' && !Array.isArray(row)) : [];
  return rows.length === 0 || rows.every((row) => 'chunk_index' in row) ? undefined : rows;
}

/** Keeps the sources among rows, each with its number in the text and the place of its passage. */
function keepSources(message, data) {
  const isSource = (row) => Number.isInteger(row?.number) && Number.isInteger(row.chunk_index) && typeof row.document_id === 'string' && row.document_id !== '' && typeof row.filename === 'string';
  const found = Array.isArray(data) ? data.filter(isSource) : [];
  if (found.length === 0) return;
  const others = (message.sources ?? []).filter((one) => found.every((other) => other.number !== one.number));
  message.sources = [...others, ...found];
}

/**
 * A part for rows, with the columns and the total from the query; undefined for sources, which are
 * kept with the message.
 */
export function rowsPart(message, data) {
  keepSources(message, data);
  const rows = rowsOf(data);
  if (!rows) return undefined;
  const brought = message.parts.map(({ name, output }) => (Object.hasOwn(QUERIES, name ?? '') ? QUERIES[name](output?.result) : undefined));
  const query = brought.findLast((one) => one?.rows?.length === rows.length);
  return { type: 'rows', rows, columns: query?.columns, total: query?.total, truncated: query?.truncated === true, about: query?.index, whole: wholeOf(message, query) };
}

/** The query whose rows can be downloaded, as many as its database gives. */
function wholeOf(message, query) {
  if (query === undefined || typeof query.target !== 'string') return undefined;
  const call = message.parts.findLast(({ name, output }) => name === 'run_sql' && output?.result === query);
  const sql = call?.input?.sql;
  return typeof sql === 'string' && sql !== '' ? { target: query.target, sql } : undefined;
}

/** Marks the open picker of a message as answered by the user's next message, `said`. */
export function answerInWords(message, said) {
  const picker = openPicker(message);
  if (picker) picker.said = said;
}

/** A plan with valid tasks. */
function planOf(data) {
  const tasks = Array.isArray(data?.tasks) ? data.tasks.filter((task) => typeof task?.key === 'string') : [];
  return tasks.length > 0 ? { ...data, tasks } : undefined;
}

/** Ends a message with an error. Its contents are kept. */
export function fail(message, kind, text) {
  close(message, 'failed');
  message.error = { kind, text };
}

/** Ends a message. */
export function close(message, state) {
  message.state = state;
  for (const part of message.parts) if (part.type === 'text') part.open = false;
}

/** The text of an answer, for the clipboard and for titles. */
export function plainText(message) {
  if (message.role === 'user') return message.text;
  return message.parts.filter((part) => part.type === 'text').map((part) => part.text.trim()).join('\n\n');
}

function textPart(message, id) {
  const known = message.parts.find((part) => part.type === 'text' && part.id === id && part.open);
  if (known) return known;
  const part = { type: 'text', id, text: '', open: true };
  message.parts.push(part);
  return part;
}

function findCall(message, id) {
  return message.parts.find((part) => part.type === 'tool' && part.id === id);
}

function finishCall(message, chunk, now, output) {
  const call = findCall(message, chunk.toolCallId);
  if (!call || call.output !== undefined) return;
  call.output = output;
  call.duration = Math.max(0, now - call.startedAt);
}
