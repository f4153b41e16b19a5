/** Tells screen readers what appears: whole sentences as they are complete, not every syllable again and again. */

import { h } from './dom.js';

const KEPT = 40;

/** Speaks through a polite live region. */
export class Announcer {
  #region;
  #said = 0;

  constructor(region) {
    this.#region = region;
  }

  /** A new answer begins. */
  begin() {
    this.#said = 0;
  }

  say(text) {
    if (!text.trim()) return;
    this.#region.append(h('p', {}, text.trim()));
    while (this.#region.childNodes.length > KEPT) this.#region.firstChild.remove();
  }

  /** Says what is complete of a text that grows; all of it once it is `done`. */
  follow(text, done) {
    const end = done ? text.length : lastSentence(text);
    if (end <= this.#said) return;
    this.say(text.slice(this.#said, end).replace(/[*`#|]|^\s*-+:?/gm, ''));
    this.#said = end;
  }
}

/** Where the last complete sentence ends; the full stop of `1.` ends none. */
function lastSentence(text) {
  const ends = [...text.matchAll(/(?<!\d)[.!?:](?=\s)|\n/g)];
  const last = ends.at(-1);
  return last ? last.index + 1 : 0;
}
