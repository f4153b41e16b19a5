/** One turn: a message goes out, the answer is filled as it streams in. */

import { chat } from './api.js';
import { applyChunk, assistantMessage, close, fail } from './message.js';

/** Runs in the background until it ends; `onChange(status)` is called after every change, `done` resolves when it is over. */
export class Turn {
  #stop = new AbortController();
  status = '';

  constructor({ threadId, message, newId, onChange }) {
    this.answer = assistantMessage(newId(), new Date().toISOString());
    this.done = this.#run(threadId, message, onChange);
  }

  stop() {
    this.#stop.abort();
  }

  async #run(threadId, message, onChange) {
    const onChunk = (chunk) => {
      if (chunk?.type === 'data-status') this.status = chunk.data?.text ?? '';
      else if (chunk?.type === 'text-start') this.status = '';
      applyChunk(this.answer, chunk, performance.now());
      onChange();
      return chunk?.type === 'finish' || chunk?.type === 'error';
    };
    try {
      const complete = await chat({ threadId, message, signal: this.#stop.signal, onChunk });
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
}
