// The requests of Open WebUI 0.12.4 (routers/openai.py, routers/tasks.py) and of LibreChat (the custom endpoint of docs/from-open-webui.md, read by
// LibreChat's own package), as those programs send them, against a running Heliograph. LibreChat needs MongoDB, and is not installed in a test;
// open_webui_client.py starts Open WebUI.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import yaml from "js-yaml";
import { configSchema, extractEnvVariable } from "librechat-data-provider";

const base = `${process.env.HELIOGRAPH_URL}/v1`;
const authorization = `Bearer ${process.env.HELIOGRAPH_TOKEN}`;

async function post(body, headers = {}) {
  const response = await fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization, ...headers },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await (response.ok ? "" : response.text()));
  return response;
}

/** Reads a stream as both do: lines of `data: `, to `[DONE]`. */
async function streamed(response) {
  assert.match(response.headers.get("content-type"), /text\/event-stream/);
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  assert.equal(lines.pop(), "data: [DONE]");
  const chunks = lines.map((line) => JSON.parse(line.slice("data: ".length)));
  return { text: chunks.map(({ choices }) => choices[0]?.delta?.content ?? "").join(""), usage: chunks.at(-1).usage };
}

// Open WebUI: the connection is verified, and the list of models read, by the same request.
const models = await fetch(`${base}/models`, { headers: { authorization, "content-type": "application/json" } });
assert.deepEqual((await models.json()).data.map(({ id }) => id), ["site", "data", "analyst", "advisor"]);
const user = { "x-openwebui-user-name": "Ada", "x-openwebui-user-id": "u1", "x-openwebui-user-email": "ada@example.com", "x-openwebui-user-role": "user" };
const first = { role: "user", content: "How is LTI-INV-001?" };
const opened = await streamed(await post({ stream: true, model: "site", messages: [first], stream_options: { include_usage: true } }, user));
assert.match(opened.text, /LTI-INV-001/);
assert.ok(opened.usage);
// A card waits for the sentence about it.
const energy = { role: "user", content: "Energy per day of LTI-INV-001 from 1 to 7 November 2025" };
const messages = [first, { role: "assistant", content: opened.text }, energy];
const { text } = await streamed(await post({ stream: true, model: "site", messages }, user));
assert.ok(text.indexOf("delivered") > 0 && text.indexOf("delivered") < text.indexOf("| --- |"), text);
// A title, if the administrator leaves that on.
const title = await post({ model: "site", messages: [{ role: "user", content: "### Task:\nGenerate a title for the chat." }], stream: false, max_tokens: 1000 }, user);
assert.equal((await title.json()).object, "chat.completion");

// LibreChat takes the configuration of the page, and the key from its variable.
const page = await readFile(join(process.env.HELIOGRAPH_DOCS, "from-open-webui.md"), "utf8");
const [, librechat] = /```yaml\n(.*?)```/s.exec(page);
const read = configSchema.strict().safeParse(yaml.load(librechat));
assert.ok(read.success, JSON.stringify(read.error?.issues));
const [endpoint] = read.data.endpoints.custom;
process.env.HELIOGRAPH_KEY = "hk_test";
assert.equal(extractEnvVariable(endpoint.apiKey), "hk_test");
assert.equal(endpoint.baseURL.replace("https://solar.example.com", process.env.HELIOGRAPH_URL), base);
assert.deepEqual(endpoint.models.default, ["site", "data", "analyst", "advisor"]);
// Its conversation is sent by LangChain's client with the parameters that `dropParams` leaves.
const asked = [{ role: "system", content: "You are helpful." }, { role: "user", content: [{ type: "text", text: "Give me the morning briefing" }] }];
const every = { model: "site", temperature: 1, stream: true, stream_options: { include_usage: true }, messages: asked, user: "u1", top_p: 1, presence_penalty: 0, frequency_penalty: 0, stop: ["||>"] };
const left = Object.fromEntries(Object.entries(every).filter(([name]) => !endpoint.dropParams.includes(name)));
const briefing = await streamed(await post(left, { "user-agent": "LibreChat" }));
assert.match(briefing.text, /inverters/);
// The same without `dropParams`: what cannot be followed is ignored.
const all = await post(every);
assert.match((await streamed(all)).text, /inverters/);
