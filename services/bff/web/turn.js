/** One turn: sends a message and fills the answer from the stream. */

import { chat, readThread, rejoin, stopAnswer } from './api.js';
import { fillFromServer } from './history.js';
import { applyChunk, assistantMessage, close, fail } from './message.js';
import { newId } from './store.js';

/**
 * The delays before each attempt to rejoin an answer after the connection was lost, in
 * milliseconds.
 */
const REJOIN_DELAYS = [500, 2000, 5000];

/**
 * Runs in the background until it ends. `onChange()` is called after every change, and `done`
 * resolves at the end. With an `answer` instead of a `message`, it rejoins an answer that was
 * unfinished when the page was closed.
 */
export class Turn {
  #stop = new AbortController();
  #threadId;
  #assistant;
  #onChange;
  status = '';
  /** The conversation of the turn. */
  conversation;

  /** @param {{ threadId: string, assistant?: string, message?: any, answer?: any, onChange: () => void }} turn */
  constructor({ threadId, assistant, message, answer, onChange }) {
    this.#threadId = threadId;
    this.#assistant = assistant;
    this.#onChange = onChange;
    this.answer = answer ?? assistantMessage(newId(), new Date().toISOString());
    this.done = this.#run(message);
  }

  /**
   * Stops the answer at the server; its last chunks still arrive. If the server is not reachable,
   * only this page stops.
   */
  stop() {
    stopAnswer(this.#threadId).catch(() => this.#stop.abort());
  }

  async #run(message) {
    const calls = { threadId: this.#threadId, assistant: this.#assistant, signal: this.#stop.signal, onChunk: (chunk) => this.#take(chunk) };
    try {
      let complete = await this.#listen(() => (message ? chat({ ...calls, message }) : rejoin(calls)), Boolean(message));
      for (const wait of REJOIN_DELAYS) {
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

  /**
   * Whether the answer is complete. A connection that is lost after the server accepted the message
   * is not a failure yet.
   */
  async #listen(stream, isFirst) {
    try {
      const complete = await stream();
      // No answer is active any more: it ended in the meantime and is stored.
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
