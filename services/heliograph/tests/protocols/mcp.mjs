// The package `@modelcontextprotocol/sdk` against a running Heliograph: tools, an assistant with progress and elicitation, documents, prompts.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport, getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const base = process.env.HELIOGRAPH_URL;
const token = process.env.HELIOGRAPH_TOKEN;
const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } });

async function connected(transport, capabilities = {}) {
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  await client.connect(transport);
  return client;
}

const client = await connected(overHttp());
assert.equal(client.getServerVersion().name, "heliograph");
const { tools } = await client.listTools();
const named = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
assert.ok(named.ask_site && named.ask_data && named.list_loggers && named.get_power_curve, Object.keys(named).join());
assert.equal(named.list_loggers.annotations.readOnlyHint, true);
assert.equal(named.ask_site.annotations.readOnlyHint, false);
assert.ok(!named.render_ui_component, "a tool of the page is listed");

const loggers = await client.callTool({ name: "list_loggers", arguments: {} });
assert.equal(loggers.structuredContent.status, "ok");
assert.deepEqual(JSON.parse(loggers.content[0].text), loggers.structuredContent);
const wrong = await client.callTool({ name: "get_power_curve", arguments: { logger_id: 7 } });
assert.equal(wrong.isError, true, JSON.stringify(wrong));
await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }));

// An assistant that asks back, for a client that cannot be asked: the options are in the answer.
const steps = [];
const question = { message: "Check the health" };
const asked = await client.callTool({ name: "ask_site", arguments: question }, undefined, { onprogress: (step) => steps.push(step) });
assert.equal(asked.structuredContent.asks_back, true);
assert.match(asked.content[0].text, /LTI-INV-001/);
const answered = await client.callTool(
  { name: "ask_site", arguments: { message: "LTI-INV-001", thread_id: asked.structuredContent.thread_id } },
  undefined,
  { onprogress: (step) => steps.push(step) },
);
assert.equal(answered.structuredContent.thread_id, asked.structuredContent.thread_id);
assert.match(answered.content[0].text, /Health score/);
assert.ok(steps.length > 0, "no progress");

const { resources } = await client.listResources();
if (resources.length > 0) {
  const { contents } = await client.readResource({ uri: resources[0].uri });
  assert.ok(contents[0].text.length > 10);
}
await assert.rejects(client.readResource({ uri: "heliograph://documents/none" }));
const { resourceTemplates } = await client.listResourceTemplates();
assert.deepEqual(resourceTemplates.map((one) => one.uriTemplate), ["heliograph://documents/{id}"]);
const ofDocuments = { type: "ref/resource", uri: "heliograph://documents/{id}" };
const completed = await client.complete({ ref: ofDocuments, argument: { name: "id", value: "" } });
assert.equal(completed.completion.total, resources.length);
assert.ok(completed.completion.values.every((id) => resources.some((one) => one.uri.endsWith(`/${id}`))));
const nothing = await client.complete({ ref: ofDocuments, argument: { name: "id", value: "no such document" } });
assert.deepEqual(nothing.completion.values, []);
await assert.rejects(client.complete({ ref: { type: "ref/prompt", name: "nobody" }, argument: { name: "x", value: "" } }));
const { prompts } = await client.listPrompts();
assert.ok(prompts.length > 3);
const prompt = await client.getPrompt({ name: prompts[0].name });
assert.equal(prompt.messages[0].role, "user");
await client.close();

// The same for a client that can be asked.
const asking = await connected(overHttp(), { elicitation: {} });
let forms = 0;
asking.setRequestHandler(ElicitRequestSchema, (request) => {
  forms += 1;
  const { selection } = request.params.requestedSchema.properties;
  const offered = selection.enum ?? selection.oneOf.map((one) => one.const);
  assert.ok(offered.includes("LTI-INV-001"), JSON.stringify(selection));
  return { action: "accept", content: { selection: "LTI-INV-001" } };
});
const elicited = await asking.callTool({ name: "ask_site", arguments: question });
assert.ok(forms > 0, "nothing was asked");
assert.equal(elicited.structuredContent.asks_back, false);
assert.match(elicited.content[0].text, /LTI-INV-001/);
asking.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }));
const declined = await asking.callTool({ name: "ask_site", arguments: question });
assert.equal(declined.structuredContent.asks_back, true);
await asking.close();

// Without a credential: where to get one.
const refused = await fetch(`${base}/mcp`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
assert.equal(refused.status, 401);
const [, metadata] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate"));
const resource = await (await fetch(metadata)).json();
assert.equal(resource.resource, `${base}/mcp`);
assert.deepEqual(resource.bearer_methods_supported, ["header"]);

// A session is its account's.
const stolen = await connected(overHttp());
const session = stolen.transport.sessionId;
const other = await fetch(`${base}/mcp`, {
  method: "POST",
  headers: {
    authorization: `Bearer ${process.env.HELIOGRAPH_OTHER_TOKEN}`, "mcp-session-id": session,
    "content-type": "application/json", accept: "application/json, text/event-stream",
  },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
});
assert.equal(other.status, 404);
await stolen.close();

// The configurations of docs/from-claude-and-cursor.md with a key, read and used as the desktop programs do: Cursor and VS Code by URL, Claude
// Desktop by a program, which it starts from the root folder with few variables.
const made = await fetch(`${base}/api/tokens`, {
  method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify({ name: "desk" }),
});
const key = (await made.json()).token;
assert.match(key, /^hk_/);
const page = await readFile(join(process.env.HELIOGRAPH_DOCS, "from-claude-and-cursor.md"), "utf8");
const filled = (text) => text.replaceAll("https://solar.example.com", base).replace(/\$\{env:HELIOGRAPH_KEY\}|\$\{input:key\}|hk_…/g, key);
const configurations = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(filled(json)));
const servers = configurations.map((one) => (one.mcpServers ?? one.servers).heliograph);
assert.deepEqual(servers.map((server) => (server.url ? "url" : "program")), ["url", "url", "program"]);
for (const { url, headers, command, args, env } of servers) {
  const PATH = `${dirname(process.env.HELIOGRAPH_PROGRAM)}:${process.env.PATH}`;
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    : new StdioClientTransport({ command, args, cwd: "/", env: { ...getDefaultEnvironment(), PATH, ...env } });
  const desk = await connected(transport, { elicitation: {} });
  desk.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { selection: "LTI-INV-001" } }));
  assert.ok((await desk.listTools()).tools.some((tool) => tool.name === "ask_site"));
  const said = await desk.callTool({ name: "ask_site", arguments: question });
  assert.equal(said.structuredContent.asks_back, false, JSON.stringify(said));
  assert.match(said.content[0].text, /LTI-INV-001/);
  await desk.close();
}
console.log("@modelcontextprotocol/sdk: fine");
