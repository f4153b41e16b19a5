/** Documents: upload, list, read, delete. */

import { deleteDocument, documentText, listCollections, listDocuments, uploadDocument } from './api.js';
import { Status, field, mayWrite, size, table } from './data-parts.js';
import { button, h, scroller } from './dom.js';

/** The kinds of documents, by the endings of their names. */
const KINDS = '.md,.markdown,.html,.htm,.pdf,.docx,.pptx,.xlsx,.eml,.txt';

export class DocumentsPanel {
  #user;
  #changed;
  #status = new Status();
  #list = h('div');
  #text = h('div', { class: 'data-preview' });
  #collections = h('datalist', { id: 'collections' });
  #files = h('input', { type: 'file', multiple: true, accept: KINDS, id: 'document-files' });
  #collection = h('input', { type: 'text', list: 'collections', value: 'manuals', maxlength: 100, required: true });

  constructor(user, changed) {
    this.#user = user;
    this.#changed = changed;
    const form = h(
      'form',
      { class: 'data-form', on: { submit: (event) => this.#upload(event) } },
      field('Documents (Markdown, HTML, PDF, Word, PowerPoint, Excel, e-mail, text)', this.#files),
      field('Collection', this.#collection),
      this.#collections,
      button({ label: 'Upload', type: 'submit', class: 'primary' }),
    );
    this.element = h('section', { class: 'data-panel', 'aria-label': 'Documents' }, h('h3', {}, 'Documents'), mayWrite(user, 'documents:write') && form, this.#status.element, this.#list, this.#text);
  }

  async load() {
    try {
      const [{ documents }, { collections }] = await Promise.all([listDocuments(), listCollections()]);
      this.#collections.replaceChildren(...collections.map(({ name }) => h('option', { value: name })));
      this.#show(documents);
    } catch (error) {
      this.#status.fail(error);
    }
  }

  /** The dialog is closed. */
  leave() {
    this.#text.replaceChildren();
    this.#status.say('');
  }

  #show(documents) {
    if (documents.length === 0) {
      this.#list.replaceChildren(h('p', { class: 'note' }, 'There are no documents yet.'));
      return;
    }
    const may = mayWrite(this.#user, 'documents:write');
    const rows = documents.map((one) => [
      h('button', { type: 'button', class: 'link', on: { click: () => this.#read(one) } }, one.filename),
      one.collection,
      String(one.chunks),
      size(one.bytes),
      may ? button({ label: `Delete ${one.filename}`, name: 'trash', quiet: true, class: 'icon-button' }, () => this.#delete(one)) : '',
    ]);
    this.#list.replaceChildren(scroller('Documents', table('Documents', ['Name', 'Collection', 'Passages', 'Size', ''], rows)));
  }

  async #upload(event) {
    event.preventDefault();
    const files = [...this.#files.files];
    if (files.length === 0) {
      this.#status.fail(new Error('Choose one or more files first.'));
      return;
    }
    const faults = [];
    for (const [place, file] of files.entries()) {
      this.#status.say(`Reading ${file.name} (${place + 1} of ${files.length}) …`);
      try {
        await uploadDocument(file, this.#collection.value.trim());
      } catch (error) {
        faults.push(`${file.name}: ${error.message}`);
      }
    }
    this.#files.value = '';
    const taken = files.length - faults.length;
    if (faults.length > 0) this.#status.fail(new Error(`${taken} of ${files.length} documents were added. ${faults.join(' ')}`));
    else this.#status.say(`${taken} ${taken === 1 ? 'document was' : 'documents were'} added.`);
    await this.load();
    this.#changed();
  }

  /** Shows a document as it was read, which is what questions are answered from. */
  async #read(document) {
    try {
      const { text } = await documentText(document.document_id);
      const reading = h('pre', { class: 'data-text', tabindex: '0', 'aria-label': document.filename }, text);
      this.#text.replaceChildren(h('h4', {}, document.filename), reading, button({ label: 'Close the text', class: 'small' }, () => this.#text.replaceChildren()));
      reading.focus();
    } catch (error) {
      this.#status.fail(error);
    }
  }

  async #delete(document) {
    if (!confirm(`Delete ${document.filename} from ${document.collection}?`)) return;
    try {
      await deleteDocument(document.document_id);
      await this.load();
      this.#status.say(`${document.filename} is deleted.`);
    } catch (error) {
      this.#status.fail(error);
    }
    this.#changed();
  }
}
