/** What the server keeps of a conversation, as the page shows it. */

import { assistantMessage, close, fail, rowsOf, userMessage } from './message.js';

/** The tools that ask search sources. */
const QUERIES = ['es_executor', 'graphql_executor'];

/** The messages of a thread as `GET /api/threads/{id}/messages` gives them, oldest first. */
export function fromStored(stored) {
  return stored.filter((one) => one.role !== 'system').map((one) => (one.role === 'user' ? userMessage(one.message_id, one.text, one.created_at) : answer(one)));
}

/** Fills an answer with what is stored of it: its calls, then its text. The server keeps no order between the two. */
export function fillFromStored(message, stored) {
  message.serverId = stored.message_id;
  if (stored.run_id) message.runId = stored.run_id;
  if (stored.source) message.source = stored.source;
  message.parts = (stored.tools_used ?? []).map(toolPart);
  const rows = message.parts.map(queried).findLast(Boolean);
  if (rows) message.parts.push({ type: 'rows', rows });
  if (stored.text) message.parts.push({ type: 'text', id: 'stored', text: stored.text, open: false });
  if (stored.status === 'failed') fail(message, 'api', 'The answer could not be completed.');
  else close(message, stored.status === 'partial' ? 'stopped' : 'done');
}

/** The rows that a call brought, of a database or of a search source. */
function queried({ name, output }) {
  if (name === 'run_sql') return rowsOf(output?.result?.rows);
  return QUERIES.includes(name) ? rowsOf(output?.result?.run?.rows) : undefined;
}

function answer(stored) {
  const message = assistantMessage(stored.message_id, stored.created_at);
  fillFromStored(message, stored);
  return message;
}

function toolPart({ id, name, arguments: input, result, status }) {
  const part = { type: 'tool', id, name, input: input ?? {} };
  if (status === 'pending') return part;
  part.output = result ?? null;
  // A picker that was answered in a later message shows what was chosen.
  if (result?.selection !== undefined) part.answer = `Selected: ${[result.selection].flat().join(', ')}`;
  else if (result?.status) part.answer = String(result.status);
  return part;
}
