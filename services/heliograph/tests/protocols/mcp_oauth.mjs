// The package `@modelcontextprotocol/sdk` signs a person in by OAuth: it starts with the URL of a running Heliograph and no credential, learns the
// issuer from it, registers itself there, and uses the token. The issuer is `oidc-provider` of npm: ada is in the group `solar`, eve is in none.
import assert from "node:assert/strict";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import Provider from "oidc-provider";

const base = process.env.HELIOGRAPH_URL;
const issuer = process.env.ISSUER;
const resource = `${base}/mcp`;
const redirectUrl = "http://127.0.0.1:1/callback";
const groups = { ada: ["solar", "tennis"] };

const provider = new Provider(issuer, {
  clients: [],
  claims: { openid: ["sub"], profile: ["preferred_username"], groups: ["groups"] },
  scopes: ["openid", "profile", "groups"],
  pkce: { required: () => true },
  cookies: { keys: ["a key of this test"] },
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, audience) => ({ scope: "", audience, accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } }),
    },
  },
  extraTokenClaims: (_context, token) => ({ preferred_username: token.accountId, groups: groups[token.accountId] ?? [] }),
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: id, groups: groups[id] ?? [] }) }),
});
const server = provider.listen(Number(new URL(issuer).port), "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));

// What a browser does at the provider, where a person signs in and agrees: the URL to which it is sent back.
async function browse(person, url) {
  const cookies = new Map();
  let next = url;
  let form;
  for (let hops = 0; hops < 20; hops += 1) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const answer = await fetch(next, { redirect: "manual", headers, ...(form && { method: "POST", body: form }) });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    form = undefined;
    const location = answer.headers.get("location");
    if (location !== null) {
      next = new URL(location, next);
      if (next.href.startsWith(redirectUrl)) return next;
      continue;
    }
    const page = await answer.text();
    assert.equal(answer.status, 200, page);
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page);
    const [, prompt] = /name="prompt" value="([^"]+)"/.exec(page);
    next = new URL(action, next);
    form = new URLSearchParams(prompt === "login" ? { prompt, login: person, password: "any" } : { prompt });
  }
  throw new Error(`the sign-in of ${person} does not end`);
}

// A client's memory, and its browser.
class Desk {
  redirectUrl = redirectUrl;
  clientMetadata = {
    client_name: "a desk", redirect_uris: [redirectUrl], grant_types: ["authorization_code"], response_types: ["code"],
    token_endpoint_auth_method: "none",
  };

  constructor(person) {
    this.person = person;
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client) {
    this.client = client;
  }
  tokens() {
    return this.saved;
  }
  saveTokens(tokens) {
    this.saved = tokens;
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
  async redirectToAuthorization(url) {
    this.asked = url;
    this.returned = await browse(this.person, url);
  }
}

// Signs a person in by the SDK and returns what it kept.
async function signedIn(person, url = resource) {
  const desk = new Desk(person);
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: desk });
  await assert.rejects(new Client({ name: "desk", version: "1" }).connect(transport), UnauthorizedError);
  await transport.finishAuth(desk.returned.searchParams.get("code"));
  return desk;
}

const desk = await signedIn("ada");
assert.equal(desk.asked.origin, new URL(issuer).origin);
assert.equal(desk.asked.searchParams.get("resource"), resource);
assert.equal(desk.asked.searchParams.get("code_challenge_method"), "S256");
assert.equal(desk.asked.searchParams.get("scope"), "openid profile groups", "what the issuer is asked for is what it knows");
const token = desk.saved.access_token;
const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
assert.deepEqual([claims.aud, claims.iss, claims.sub], [resource, issuer, "ada"]);

const client = new Client({ name: "desk", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(resource), { authProvider: desk }));
const { tools } = await client.listTools();
assert.ok(tools.some((tool) => tool.name === "ask_site"), "no assistant is listed");
const loggers = await client.callTool({ name: "list_loggers", arguments: {} });
assert.equal(loggers.structuredContent.status, "ok");
await client.close();

// The token is for the protocol and for nothing else here.
const elsewhere = await fetch(`${base}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
assert.equal(elsewhere.status, 401);

// A person whom no rule fits signs in at the issuer, and not here.
const stranger = await signedIn("eve");
const refused = new StreamableHTTPClientTransport(new URL(resource), {
  requestInit: { headers: { authorization: `Bearer ${stranger.saved.access_token}` } },
});
await assert.rejects(new Client({ name: "eve", version: "1" }).connect(refused), /401/);

// A token of the same issuer for another resource is refused, and the answer says where to get one.
const verifier = "a-verifier-of-this-test-that-has-the-length-of-one";
const challenge = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))).toString("base64url");
const other = "https://elsewhere.example.com/mcp";
const request = { client_id: desk.client.client_id, redirect_uri: redirectUrl, resource: other };
const authorize = new URL(`${issuer}/auth`);
authorize.search = new URLSearchParams({
  ...request, response_type: "code", scope: "openid", code_challenge: challenge, code_challenge_method: "S256",
});
const code = (await browse("ada", authorize)).searchParams.get("code");
const exchanged = await fetch(`${issuer}/token`, {
  method: "POST", body: new URLSearchParams({ ...request, grant_type: "authorization_code", code, code_verifier: verifier }),
});
const foreign = (await exchanged.json()).access_token;
assert.equal(JSON.parse(Buffer.from(foreign.split(".")[1], "base64url")).aud, other);
const wrong = await fetch(resource, { method: "POST", headers: { authorization: `Bearer ${foreign}`, "content-type": "application/json" }, body: "{}" });
assert.equal(wrong.status, 401);
assert.match(wrong.headers.get("www-authenticate"), /error="invalid_token".*resource_metadata="/);

server.close();
server.closeAllConnections();
console.log("OAuth of @modelcontextprotocol/sdk: fine");
