// The requests of Open WebUI 0.12.4 (routers/openai.py, routers/tasks.py) and of LibreChat (a custom endpoint of librechat.yaml), as those programs send
// them, against a running Heliograph. Both are too large to install in a test.
import assert from "node:assert/strict";

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

// LibreChat: `fetch: true` reads the models; the conversation is sent by LangChain's client with the parameters that `dropParams` leaves.
const chosen = { model: "site", temperature: 1, stream: true, stream_options: { include_usage: true }, messages: [{ role: "system", content: "You are helpful." }, { role: "user", content: [{ type: "text", text: "Give me the morning briefing" }] }] };
const briefing = await streamed(await post(chosen, { "user-agent": "LibreChat" }));
assert.match(briefing.text, /inverters/);
// The same without `dropParams`: what cannot be followed is ignored.
const all = await post({ ...chosen, user: "u1", top_p: 1, presence_penalty: 0, frequency_penalty: 0, stop: ["||>"] });
assert.match((await streamed(all)).text, /inverters/);
