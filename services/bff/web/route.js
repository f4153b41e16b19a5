/**
 * Addresses within the page: `#/t/<id>` is a conversation, `#/d/<document>/<index>` a passage of a
 * document, everything else a new conversation.
 */

const THREAD = /^#\/t\/([^/]+)$/;
const PASSAGE = /^#\/d\/([0-9A-Za-z-]+)\/(\d{1,9})$/;

/** The conversation in an address; undefined for a new one. */
export function threadOf(hash) {
  const match = THREAD.exec(hash);
  if (!match) return undefined;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return undefined;
  }
}

/** The address of a conversation; without an id, of a new one. */
export function addressOf(id) {
  return id === undefined ? '#/' : `#/t/${encodeURIComponent(id)}`;
}

/** The passage in an address: `{ document, index }`; undefined where it has none. */
export function passageOf(hash) {
  const match = PASSAGE.exec(hash);
  return match ? { document: match[1], index: Number(match[2]) } : undefined;
}

/** The address of a passage. */
export function passageAddress({ document, index }) {
  return `#/d/${encodeURIComponent(document)}/${index}`;
}
