/** The own sign-ins: where one is signed in, and ending them. */

import { endSession, endSessions, listSessions } from './api-people.js';
import { Status, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';
import { clientWords, moment } from './people-words.js';

/** A table of sign-ins; `end(session)` ends one. */
export function sessionTable(sessions, end) {
  const rows = sessions.map((one) => [
    [clientWords(one), h('p', { class: 'note' }, one.address ?? '')],
    moment(one.created_at),
    moment(one.last_seen_at),
    one.current ? 'This page' : button({ label: 'End', class: 'small', 'aria-label': `End the sign-in of ${clientWords(one)} of ${moment(one.created_at)}` }, (event) => end(one, event.currentTarget)),
  ]);
  return scroller('Sign-ins', table('Sign-ins', ['Where', 'Since', 'Last use', ''], rows));
}

export class SessionsPanel {
  #status = new Status();
  #list = h('div', { class: 'data-preview' });

  constructor() {
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Sign-ins' }, h('h3', {}, 'Sign-ins'), this.#list, this.#status.element);
  }

  async load() {
    try {
      const { sessions } = await listSessions();
      const others = sessions.some((one) => !one.current);
      this.#list.replaceChildren(
        sessionTable(sessions, (one, control) => this.#end(control, () => endSession(one.id), 'The sign-in has ended.')),
        others ? button({ label: 'End all others', class: 'secondary' }, (event) => this.#end(event.currentTarget, () => endSessions(), 'All other sign-ins have ended.')) : '',
      );
    } catch (error) {
      this.#status.fail(error);
    }
  }

  leave() {
    this.#status.say('');
  }

  #end(control, work, said) {
    return this.#status.attempt(control, async () => {
      await work();
      await this.load();
      this.#status.say(said);
    });
  }
}
