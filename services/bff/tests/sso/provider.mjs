/** An identity provider with two persons: ada is in the group `solar`, eve is in none. */

import Provider from 'oidc-provider';

const { ISSUER, HELIOGRAPH_URL, CLIENT_SECRET } = process.env;

const groups = { ada: ['solar', 'tennis'], script: ['solar'] };

const provider = new Provider(ISSUER, {
  clients: [
    {
      client_id: 'heliograph',
      client_secret: CLIENT_SECRET,
      redirect_uris: [`${HELIOGRAPH_URL}/auth/oidc/example/callback`],
      post_logout_redirect_uris: [`${HELIOGRAPH_URL}/`],
      backchannel_logout_uri: `${HELIOGRAPH_URL}/auth/oidc/example/logout`,
      backchannel_logout_session_required: true,
    },
    {
      client_id: 'script',
      client_secret: CLIENT_SECRET,
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
    },
  ],
  claims: { openid: ['sub', 'sid'], profile: ['preferred_username'], groups: ['groups'] },
  scopes: ['openid', 'profile', 'groups'],
  pkce: { required: () => true },
  cookies: { keys: ['a key of this test'] },
  features: {
    devInteractions: { enabled: true },
    backchannelLogout: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, audience) => ({ scope: '', audience, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
    },
  },
  extraTokenClaims: (_context, token) => ({ groups: groups[token.clientId] ?? [] }),
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, preferred_username: id, groups: groups[id] ?? [] }),
  }),
});

const server = provider.listen(Number(new URL(ISSUER).port), '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));

export const stop = () => server.close();
