/**
 * "Account and people": the own account, limits, sign-ins and API keys, in a dialog; for
 * administrators, also the accounts of the tenant and the audit log.
 */

import { AccountPanel } from './account-panel.js';
import { AuditPanel } from './audit-panel.js';
import { mayWrite } from './data-parts.js';
import { button, h } from './dom.js';
import { KeysPanel } from './keys-panel.js';
import { PeoplePanel } from './people-panel.js';
import { RetentionPanel } from './retention-panel.js';
import { SessionsPanel } from './sessions-panel.js';

/** The dialog. It loads what it shows each time it opens. */
export class People {
  #dialog;
  #panels;
  #title;

  constructor(dialog, user) {
    this.#title = mayWrite(user, 'accounts:read') ? 'Account and people' : 'Account';
    this.#dialog = dialog;
    this.#panels = [new AccountPanel(user), new SessionsPanel(), new KeysPanel(user), new PeoplePanel(user), new RetentionPanel(user), new AuditPanel(user)];
    // Passwords and keys are not kept behind a closed dialog.
    dialog.addEventListener('close', () => this.#panels.forEach((panel) => panel.leave()));
  }

  open() {
    this.#dialog.replaceChildren(
      h('header', { class: 'data-head' }, h('h2', { id: 'people-title' }, this.#title), button({ label: 'Close', name: 'close', quiet: true, class: 'icon-button' }, () => this.#dialog.close())),
      ...this.#panels.map((panel) => panel.element ?? ''),
    );
    if (!this.#dialog.open) this.#dialog.showModal();
    for (const panel of this.#panels) panel.load();
  }
}
