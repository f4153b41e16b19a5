/** A passage of a document, which the source of a quote links to. */

import { documentText } from './api.js';
import { button, h } from './dom.js';
import { passageAddress } from './route.js';

/** Opens the text of a document at a passage, in a dialog. `closed` is called when it closes. */
export async function openPassage({ document: id, index }, closed = () => {}) {
  const body = h('div', { class: 'passage-body' }, h('p', { class: 'note', role: 'status' }, 'Reading the document …'));
  const title = h('h2', { id: 'passage-title' }, 'Document');
  const close = button({ label: 'Close', name: 'close', quiet: true, class: 'icon-button' }, () => dialog.close());
  const dialog = h('dialog', { class: 'data passage', 'aria-labelledby': 'passage-title' }, h('header', { class: 'data-head' }, title, close), body);
  dialog.addEventListener('close', () => {
    dialog.remove();
    closed();
  });
  document.body.append(dialog);
  dialog.showModal();
  try {
    const read = await documentText(id);
    title.textContent = read.filename;
    const shown = shownAt(read, index);
    const passage = h('mark', { id: 'passage' }, shown.passage);
    const text = h('pre', { class: 'data-text', tabindex: '0', 'aria-label': read.filename }, shown.before, passage, shown.after);
    body.replaceChildren(h('p', { class: 'note' }, shown.place), text);
    // Only the text is scrolled: its beginning stays in the dialog.
    text.scrollTop = Math.max(0, passage.offsetTop - text.offsetTop - text.clientHeight / 4);
    text.focus({ preventScroll: true });
  } catch (error) {
    const why = error.status === 404 ? 'The document was deleted, or you may not read it.' : error.message;
    body.replaceChildren(h('p', { class: 'note', role: 'alert' }, why));
  }
}

/** The text before a passage, the passage and the text after it, and its place in words. */
export function shownAt({ text, passages = [] }, index) {
  const found = passages.find((one) => one.index === index);
  if (!found) return { before: text, passage: '', after: '', place: 'The document has changed, and no longer has this passage.' };
  // The places are counted in characters, and strings in units of UTF-16.
  const characters = [...text];
  const cut = (from, to) => characters.slice(from, to).join('');
  const words = [found.page === undefined ? '' : `Page ${found.page}`, found.headings.join(' › ')];
  return { before: cut(0, found.start), passage: cut(found.start, found.end), after: cut(found.end), place: words.filter(Boolean).join(' · ') };
}

/** Links the numbers of sources in the texts of an element, and the lines that list sources. */
export function linkSources(element, sources) {
  if (sources.length === 0) return;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('code, a')) texts.push(walker.currentNode);
  for (const text of texts) {
    const pieces = linked(text.data, sources);
    if (pieces.some((one) => one.source)) text.replaceWith(...pieces.map(({ text: words, source }) => (source ? link(words, source) : words)));
  }
}

/** A text in pieces `{ text, source? }`: those with a source become links. */
export function linked(text, sources) {
  const known = new Map(sources.map((source) => [source.number, source]));
  const pieces = [];
  text.split(/(?<=\n)/).forEach((line) => {
    const listed = /^\[(\d+)\] \S/.exec(line);
    if (listed && known.has(Number(listed[1]))) {
      const words = line.replace(/\n$/, '');
      pieces.push({ text: words, source: known.get(Number(listed[1])) }, { text: line.slice(words.length) });
      return;
    }
    let at = 0;
    for (const match of line.matchAll(/(?<=\[(?:\d+[,; ]+)*)\d+(?=(?:[,; ]+\d+)*\])/g)) {
      const source = known.get(Number(match[0]));
      if (!source) continue;
      pieces.push({ text: line.slice(at, match.index) }, { text: match[0], source });
      at = match.index + match[0].length;
    }
    pieces.push({ text: line.slice(at) });
  });
  return pieces.filter((one) => one.text !== '');
}

function link(text, source) {
  const label = `Source ${source.number}: ${source.filename}${source.page === undefined ? '' : `, page ${source.page}`}`;
  const place = { document: source.document_id, index: source.chunk_index };
  const open = (event) => {
    // With a modifier the browser opens the address in another tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openPassage(place);
  };
  const isNumber = /^\d+$/.test(text);
  return h('a', { class: 'cite', href: passageAddress(place), title: label, 'aria-label': isNumber ? label : undefined, on: { click: open } }, text);
}
