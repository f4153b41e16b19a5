/** Issuers at which people sign in, as the server takes them, and in words. */

/** The roles that a rule gives. */
export const ROLES = [
  ['viewer', 'viewer'],
  ['editor', 'editor'],
  ['administrator', 'administrator'],
  ['installation_administrator', 'administrator of the installation'],
];

/** The body of a new issuer. Fields that are empty take their defaults. */
export function newIssuer({ name, label, issuer, clientId, secret, groupsClaim, scopes, audience, rules }) {
  const words = wordsOf(scopes);
  return {
    name: name.trim(),
    label: given(label),
    issuer: issuer.trim(),
    client_id: clientId.trim(),
    client_secret: secret === '' ? undefined : secret,
    groups_claim: given(groupsClaim),
    scopes: words.length > 0 ? words : undefined,
    audience: given(audience),
    rules: rules.map(sentRule),
  };
}

/** The body of a change. Fields that are emptied take their defaults; the secret stays. */
export function changedIssuer({ label, clientId, secret, groupsClaim, scopes, audience, rules }) {
  const words = wordsOf(scopes);
  return {
    label: label.trim(),
    client_id: clientId.trim(),
    client_secret: secret === '' ? undefined : secret,
    groups_claim: given(groupsClaim) ?? 'groups',
    scopes: words.length > 0 ? words : ['profile', 'email'],
    audience: audience.trim(),
    rules: rules.map(sentRule),
  };
}

/** The addresses to register at an issuer of this name. */
export function addressesOf(publicUrl, name) {
  const base = `${publicUrl.replace(/\/+$/, '')}/auth/oidc/${name.trim() || 'NAME'}`;
  return { redirect: `${base}/callback`, post_logout_redirect: `${publicUrl.replace(/\/+$/, '')}/`, backchannel_logout: `${base}/logout` };
}

/** A rule in words. */
export function ruleWords({ group, tenant, role }) {
  const named = ROLES.find(([value]) => value === role)?.[1] ?? role;
  return `${group ?? 'everyone'}: ${named} in ${tenant}`;
}

/** The state of an issuer in words; empty for one that is in use. */
export function stateOfIssuer({ fixed, replaced_by_fixed: replaced, problem }) {
  if (replaced) return 'not used: an issuer of the configuration has this name or address';
  if (problem) return problem;
  return fixed ? 'set in the configuration' : '';
}

function sentRule({ group, tenant, role }) {
  return { group: given(group), tenant: tenant.trim(), role };
}

function wordsOf(text) {
  return text.split(/[\s,]+/).filter(Boolean);
}

function given(text) {
  return text.trim() === '' ? undefined : text.trim();
}
