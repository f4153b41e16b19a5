/** Announces new text to screen readers, by complete sentences. */

import { h } from './dom.js';

const KEPT = 40;

/** Announces through a polite live region. */
export class Announcer {
  #region;
  #said = 0;

  constructor(region) {
    this.#region = region;
  }

  /** Starts a new answer. */
  begin() {
    this.#said = 0;
  }

  say(text) {
    if (!text.trim()) return;
    this.#region.append(h('p', {}, text.trim()));
    while (this.#region.childNodes.length > KEPT) this.#region.firstChild.remove();
  }

  /** Announces the complete sentences of a growing text, and the rest once it is `done`. */
  follow(text, done) {
    const end = done ? text.length : lastSentence(text);
    if (end <= this.#said) return;
    this.say(text.slice(this.#said, end).replace(/[*`#|]|^\s*-+:?/gm, ''));
    this.#said = end;
  }
}

/** The end of the last complete sentence. The full stop of `1.` does not end one. */
function lastSentence(text) {
  const ends = [...text.matchAll(/(?<!\d)[.!?:](?=\s)|\n/g)];
  const last = ends.at(-1);
  return last ? last.index + 1 : 0;
}
