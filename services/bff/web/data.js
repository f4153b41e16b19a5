/** "Your data": files of data loggers and documents, in a dialog. */

import { mayWrite } from './data-parts.js';
import { DocumentsPanel } from './documents-panel.js';
import { button, h } from './dom.js';
import { ImportsPanel } from './imports-panel.js';

/** The dialog. It loads what it shows each time it opens. */
export class YourData {
  #dialog;
  #panels;
  #user;

  /** `changed()` is called when data came or went, since other questions can be asked then. */
  constructor(dialog, user, changed) {
    this.#dialog = dialog;
    this.#user = user;
    this.#panels = { imports: new ImportsPanel(user, changed), documents: new DocumentsPanel(user, changed) };
    dialog.addEventListener('close', () => this.#panels.imports.leave());
  }

  /** Opens the dialog, at `imports` or `documents`. */
  open(section = 'imports') {
    this.#dialog.replaceChildren(
      h('header', { class: 'data-head' }, h('h2', { id: 'data-title' }, 'Your data'), button({ label: 'Close', name: 'close', quiet: true, class: 'icon-button' }, () => this.#dialog.close())),
      mayWrite(this.#user, 'sites:write') || mayWrite(this.#user, 'documents:write') ? '' : h('p', { class: 'note' }, 'You can see the data. Editors add and delete them.'),
      this.#panels.imports.element,
      this.#panels.documents.element,
    );
    if (!this.#dialog.open) this.#dialog.showModal();
    for (const panel of Object.values(this.#panels)) panel.load();
    this.#panels[section]?.element.scrollIntoView();
  }
}
