/** Services as the server takes them, and in words. */

/** The body of a new upstream. Operations that are not JSON are sent as none: the test says so. */
export function newUpstream({ name, kind, address, header, value, person, operations }) {
  const headers = value === '' ? {} : { [header.trim() || 'Authorization']: value };
  const endpoint = { base_url: address.trim(), access: person ? 'person' : 'service', headers, token: person ? { opaque: 'valid' } : undefined };
  return { name, kind, endpoint, operations: kind === 'http' ? listOf(operations) : [] };
}

/** A list of operations. Throws with a sentence for the person. */
function listOf(text) {
  if (text.trim() === '') return [];
  let list;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new Error(`The operations are not JSON: ${error.message}.`);
  }
  if (!Array.isArray(list)) throw new Error('The operations must be a list: [{"name": …}].');
  return list;
}

/** A tool that a server offers, as a tool here: in the server's words of today. */
export function toolOf({ name, description, schema }) {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '_').slice(0, 64);
  return { name: plain, tool: plain === name ? undefined : name, description: description.trim() || name, schema: { type: 'object', ...schema } };
}
