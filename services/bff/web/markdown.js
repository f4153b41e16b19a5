/**
 * The subset of Markdown in answers: paragraphs, headings, bold, emphasis, code, lists, tables. The
 * text comes from a model, so it only becomes text nodes inside known elements; links and HTML stay
 * plain text.
 */

import { focusWhenScrolled } from './dom.js';

/** Parses a text into blocks. */
export function parseMarkdown(text) {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at].trim() === '') {
      at += 1;
      continue;
    }
    const read = readFence(lines, at) ?? readHeading(lines, at) ?? readTable(lines, at) ?? readList(lines, at) ?? readParagraph(lines, at);
    blocks.push(read.block);
    at = read.next;
  }
  return blocks;
}

function readFence(lines, at) {
  if (!lines[at].trimStart().startsWith('```')) return undefined;
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== '```') end += 1;
  return { block: { type: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
}

function readHeading(lines, at) {
  const match = /^(#{1,6}) +(.+)$/.exec(lines[at]);
  return match ? { block: { type: 'heading', content: parseInline(match[2].trim()) }, next: at + 1 } : undefined;
}

function readTable(lines, at) {
  const rule = lines[at + 1]?.trim() ?? '';
  if (!lines[at].includes('|') || !rule.includes('-') || !/^[|:\- ]+$/.test(rule) || !rule.includes('|')) return undefined;
  const align = cells(rule).map((cell) => (cell.endsWith(':') ? 'end' : 'start'));
  const head = cells(lines[at]).map(parseInline);
  const rows = [];
  let next = at + 2;
  while (next < lines.length && lines[next].includes('|')) {
    rows.push(cells(lines[next]).map(parseInline));
    next += 1;
  }
  return { block: { type: 'table', align, head, rows }, next };
}

function cells(line) {
  return line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|').map((cell) => cell.trim());
}

const ITEM = /^(\s*)(?:[-*+•]|(\d{1,4})[.)]) +(.*)$/;

function readList(lines, at) {
  const first = ITEM.exec(lines[at]);
  if (!first) return undefined;
  const ordered = first[2] !== undefined;
  const items = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const match = ITEM.exec(lines[next]);
    if (match && (match[2] !== undefined) === ordered) items.push({ depth: match[1].length > 1 ? 1 : 0, text: match[3] });
    else if (!match && /^\s+\S/.test(lines[next])) items.at(-1).text += ` ${lines[next].trim()}`;
    else break;
  }
  const content = items.map(({ depth, text }) => ({ depth, content: parseInline(text) }));
  return { block: { type: 'list', ordered, start: ordered ? Number(first[2]) : 1, items: content }, next };
}

function readParagraph(lines, at) {
  let next = at + 1;
  const starts = (line) => line.trim() === '' || line.trimStart().startsWith('```') || /^#{1,6} /.test(line) || ITEM.test(line);
  while (next < lines.length && !starts(lines[next]) && !readTable(lines, next)) next += 1;
  return { block: { type: 'paragraph', content: parseInline(lines.slice(at, next).join('\n')) }, next };
}

// Underscores are not marks, because device names contain them.
const MARKS = [
  ['`', 'code'],
  ['**', 'strong'],
  ['*', 'em'],
];

/**
 * Parses the marks within a line: `[{ text, mark? }]`, where `strong` and `em` can have parts of
 * their own.
 */
export function parseInline(text) {
  const parts = [];
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const span = readSpan(text, at);
    if (span) {
      if (plain) parts.push({ text: plain });
      plain = '';
      parts.push(span.part);
      at = span.next;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  if (plain) parts.push({ text: plain });
  return parts;
}

function readSpan(text, at) {
  const found = MARKS.find(([sign]) => text.startsWith(sign, at));
  if (!found) return undefined;
  const [sign, mark] = found;
  const from = at + sign.length;
  const to = text.indexOf(sign, from);
  const inner = to > from ? text.slice(from, to) : '';
  if (inner.trim() === '' || (mark !== 'code' && (/^\s/.test(inner) || /\s$/.test(inner)))) return undefined;
  const part = mark === 'code' ? { mark, text: inner } : { mark, parts: parseInline(inner) };
  return { part, next: to + sign.length };
}

/** Builds the element of one block. */
export function renderBlock(block, doc = document) {
  const make = (tag, ...children) => {
    const element = doc.createElement(tag);
    element.append(...children);
    return element;
  };
  const inline = (parts) =>
    parts.map((part) => {
      if (!part.mark) return doc.createTextNode(part.text);
      return make(part.mark, ...(part.parts ? inline(part.parts) : [doc.createTextNode(part.text)]));
    });
  switch (block.type) {
    case 'code':
      return make('pre', make('code', doc.createTextNode(block.text)));
    case 'heading':
      return make('h2', ...inline(block.content));
    case 'table':
      return renderTable(block, make, inline);
    case 'list':
      return renderList(block, make, inline);
    default:
      return make('p', ...inline(block.content));
  }
}

function renderTable({ align, head, rows }, make, inline) {
  const row = (tag, line) =>
    make('tr', ...head.map((_, column) => {
      const cell = make(tag, ...inline(line[column] ?? []));
      if (align[column] === 'end') cell.className = 'number';
      return cell;
    }));
  const table = make('table', make('thead', row('th', head)), make('tbody', ...rows.map((line) => row('td', line))));
  const box = make('div', table);
  box.className = 'table-scroll';
  focusWhenScrolled(box, 'Table');
  return box;
}

function renderList({ ordered, start, items }, make, inline) {
  const list = make(ordered ? 'ol' : 'ul');
  if (ordered && start !== 1) list.setAttribute('start', String(start));
  let last;
  for (const item of items) {
    const entry = make('li', ...inline(item.content));
    if (item.depth > 0 && last) {
      last.nested ??= last.entry.appendChild(make('ul'));
      last.nested.append(entry);
    } else {
      last = { entry };
      list.append(entry);
    }
  }
  return list;
}
