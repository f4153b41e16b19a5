// The package `openai` against a running Heliograph: models, whole and streamed answers, a conversation, refusals, responses.
import assert from "node:assert/strict";
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError } from "openai";

const base = process.env.HELIOGRAPH_URL;
const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: process.env.HELIOGRAPH_TOKEN });

const models = [];
for await (const model of openai.models.list()) models.push(model.id);
assert.deepEqual(models, ["site", "data", "analyst", "advisor"]);
assert.equal((await openai.models.retrieve("site")).owned_by, "heliograph");

// A conversation, as chat clients send it: whole, each time. The first question is answered with a picker, the second chooses.
const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: "Check the health" }];
const first = await openai.chat.completions.create({ model: "site", messages }).withResponse();
const asked = first.data.choices[0];
assert.equal(asked.finish_reason, "stop");
assert.match(asked.message.content, /LTI-INV-001/);
assert.match(asked.message.content, /Answer with one/);
const thread = first.response.headers.get("x-thread-id");
messages.push(asked.message, { role: "user", content: "LTI-INV-001" });
const second = await openai.chat.completions.create({ model: "site", messages }).withResponse();
assert.equal(second.response.headers.get("x-thread-id"), thread, "the conversation left its thread");
const health = second.data.choices[0].message.content;
assert.match(health, /LTI-INV-001/);
assert.match(health, /Health score/, `no table in: ${health}`);

// Streamed, with its usage at the end.
const stream = await openai.chat.completions.create({
  model: "site", stream: true, stream_options: { include_usage: true },
  messages: [{ role: "user", content: "Give me the morning briefing" }],
});
let text = "";
let last;
for await (const chunk of stream) {
  text += chunk.choices[0]?.delta?.content ?? "";
  last = chunk;
}
assert.ok(text.length > 40, text);
assert.deepEqual(last.choices, []);
assert.equal(typeof last.usage.total_tokens, "number");
const helped = openai.chat.completions.stream({ model: "site", messages: [{ role: "user", content: "Hello" }] });
assert.ok((await helped.finalContent()).length > 0);

// Refusals are the client's own errors.
const hello = [{ role: "user", content: "Hello" }];
await assert.rejects(openai.chat.completions.create({ model: "gpt-4o", messages: hello }), (error) => error instanceof NotFoundError && error.code === "model_not_found");
const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
await assert.rejects(openai.chat.completions.create({ model: "site", messages: hello, tools }), (error) => error instanceof BadRequestError && error.param === "tools");
const stranger = new OpenAI({ baseURL: `${base}/v1`, apiKey: "wrong" });
await assert.rejects(stranger.models.list(), AuthenticationError);

// Responses: whole, continued, streamed, read again.
const response = await openai.responses.create({ model: "site", input: "Check the health" });
assert.match(response.output_text, /LTI-INV-001/);
const next = await openai.responses.create({ model: "site", input: "LTI-INV-001", previous_response_id: response.id });
assert.match(next.output_text, /Health score/);
assert.equal(next.previous_response_id, response.id);
const streamed = openai.responses.stream({ model: "site", input: "Hello" });
let words = "";
for await (const event of streamed) if (event.type === "response.output_text.delta") words += event.delta;
const final = await streamed.finalResponse();
assert.equal(final.output_text, words);
assert.equal((await openai.responses.retrieve(final.id)).output_text, words);
console.log("openai of npm: fine");
