/** Addresses within the page: `#/t/<id>` is a conversation, everything else a new one. */

const THREAD = /^#\/t\/([^/]+)$/;

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
