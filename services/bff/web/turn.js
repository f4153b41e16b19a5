/** One turn: a message goes out, the answer is filled as it streams in. */

import { chat, readThread, rejoin, stopAnswer } from './api.js';
import { fillFromServer } from './history.js';
import { applyChunk, assistantMessage, close, fail } from './message.js';
import { newId } from './store.js';

/** The server goes on without us: so often, after so many milliseconds, we come back to an answer whose connection was lost. */
const RETURNS = [500, 2000, 5000];

/**
 * Runs in the background until it ends; `onChange(status)` is called after every change, `done` resolves when it is over. With an
 * `answer` instead of a `message` it comes back to one that was being given when the page was closed.
 */
export class Turn {
  #stop = new AbortController();
  #threadId;
  #assistant;
  #onChange;
  status = '';
  /** Which conversation it is a turn of. */
  conversation;

  /** @param {{ threadId: string, assistant?: string, message?: any, answer?: any, onChange: () => void }} turn */
  constructor({ threadId, assistant, message, answer, onChange }) {
    this.#threadId = threadId;
    this.#assistant = assistant;
    this.#onChange = onChange;
    this.answer = answer ?? assistantMessage(newId(), new Date().toISOString());
    this.done = this.#run(message);
  }

  /** Stops the answer at the server, whose last words still come. Without the server only this page stops. */
  stop() {
    stopAnswer(this.#threadId).catch(() => this.#stop.abort());
  }

  async #run(message) {
    const calls = { threadId: this.#threadId, assistant: this.#assistant, signal: this.#stop.signal, onChunk: (chunk) => this.#take(chunk) };
    try {
      let complete = await this.#listen(() => (message ? chat({ ...calls, message }) : rejoin(calls)), Boolean(message));
      for (const wait of RETURNS) {
        if (complete) break;
        await new Promise((resolve) => setTimeout(resolve, wait));
        complete = await this.#listen(() => rejoin(calls), false);
      }
      if (!complete) fail(this.answer, 'network', 'The connection was lost before the answer was complete.');
      else if (this.answer.state === 'streaming') close(this.answer, 'done');
    } catch (error) {
      if (error.name === 'AbortError') close(this.answer, 'stopped');
      else fail(this.answer, error.kind ?? 'api', error.message);
      this.status = '';
      return error;
    }
    return undefined;
  }

  /** Whether the answer is complete. A connection that is lost after the server took the message is no failure yet. */
  async #listen(stream, isFirst) {
    try {
      const complete = await stream();
      // Nothing is being answered any more: it ended without us, and is stored.
      return complete === undefined ? await this.#fromStore() : complete;
    } catch (error) {
      const isLost = error.kind === 'network' || error.kind === 'timeout';
      if (isLost && (!isFirst || this.answer.runId)) return false;
      throw error;
    }
  }

  async #fromStore() {
    const [, read] = await readThread(this.#threadId);
    if (!fillFromServer(this.answer, read)) return false;
    this.#onChange();
    return true;
  }

  #take(chunk) {
    if (chunk?.type === 'data-status') this.status = chunk.data?.text ?? '';
    else if (chunk?.type === 'text-start') this.status = '';
    applyChunk(this.answer, chunk, performance.now());
    this.#onChange();
    return chunk?.type === 'finish' || chunk?.type === 'error';
  }
}
