/**
 * "Your data": sites, logger files, databases, search sources, documents and services, in a dialog;
 * for administrators of the installation, also the issuers at which people sign in.
 */

import { CollectionsPanel } from './collections-panel.js';
import { mayWrite } from './data-parts.js';
import { DocumentsPanel } from './documents-panel.js';
import { button, h } from './dom.js';
import { ImportsPanel } from './imports-panel.js';
import { IssuersPanel } from './issuers-panel.js';
import { SitesPanel } from './sites-panel.js';
import { SourcesPanel } from './sources-panel.js';
import { TargetsPanel } from './targets-panel.js';
import { UpstreamsPanel } from './upstreams-panel.js';

/** The scopes with which data are added and deleted here. */
const WRITING = ['sites:write', 'targets:write', 'documents:write'];

/** The dialog. It loads what it shows each time it opens. */
export class YourData {
  #dialog;
  #panels;
  #user;

  /**
   * `changed()` is called when data came or went, since other questions can be asked then;
   * `ask(question)` asks the data assistant.
   */
  constructor(dialog, user, changed, ask) {
    this.#dialog = dialog;
    this.#user = user;
    const asked = (question) => {
      dialog.close();
      ask(question);
    };
    const imports = new ImportsPanel(user, changed);
    const collections = new CollectionsPanel(user, changed);
    const sitesChanged = () => {
      imports.load();
      changed();
    };
    const documentsChanged = () => {
      collections.load();
      changed();
    };
    this.#panels = {
      sites: new SitesPanel(user, sitesChanged),
      imports,
      targets: new TargetsPanel(user, changed, asked),
      sources: new SourcesPanel(user, changed),
      documents: new DocumentsPanel(user, documentsChanged),
      collections,
      upstreams: new UpstreamsPanel(user, changed),
      issuers: new IssuersPanel(user),
    };
    dialog.addEventListener('close', () => Object.values(this.#panels).forEach((panel) => panel.leave()));
  }

  /**
   * Opens the dialog, at its beginning, or at `imports`, `targets`, `sources` or `documents`. A
   * tenant without a site needs one before it imports.
   * @param {string} [section]
   */
  open(section) {
    this.#dialog.replaceChildren(
      h('header', { class: 'data-head' }, h('h2', { id: 'data-title' }, 'Your data'), button({ label: 'Close', name: 'close', quiet: true, class: 'icon-button' }, () => this.#dialog.close())),
      WRITING.some((scope) => mayWrite(this.#user, scope)) ? '' : h('p', { class: 'note' }, 'You can see the data. Editors add and delete them.'),
      ...Object.values(this.#panels).map((panel) => panel.element ?? ''),
    );
    if (!this.#dialog.open) this.#dialog.showModal();
    for (const panel of Object.values(this.#panels)) panel.load();
    const panel = section === 'imports' ? this.#panels.sites : this.#panels[section];
    if (panel) panel.element.scrollIntoView();
    else this.#dialog.scrollTop = 0;
  }
}
