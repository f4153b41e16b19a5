// The package `@langchain/langgraph-sdk` against a running Heliograph: assistants, threads, runs, state and history.
import assert from "node:assert/strict";
import { Client } from "@langchain/langgraph-sdk";

const apiUrl = `${process.env.HELIOGRAPH_URL}/lg`;
const client = new Client({ apiUrl, apiKey: process.env.HELIOGRAPH_TOKEN, callerOptions: { maxRetries: 0 } });
const ask = (content) => ({ messages: [{ role: "user", content }] });

const assistants = await client.assistants.search();
assert.deepEqual(assistants.map((one) => one.assistant_id), ["site", "data", "analyst", "advisor"]);
assert.equal((await client.assistants.get("site")).graph_id, "site");
assert.ok((await client.assistants.getGraph("site")).nodes.length > 0);
assert.equal((await client.assistants.getSchemas("site")).graph_id, "site");
assert.deepEqual(await client.assistants.getSubgraphs("site"), {});

const thread = await client.threads.create({ metadata: { team: "north" }, graphId: "site" });
assert.equal(thread.status, "idle");

// An empty thread takes the assistant of its first run, and keeps it.
const open = await client.threads.create();
await client.runs.wait(open.thread_id, "site", { input: ask("How is INV-404?") });
assert.equal((await client.threads.get(open.thread_id)).metadata.graph_id, "site");
await assert.rejects(client.runs.wait(open.thread_id, "advisor", { input: ask("Hello") }), /answered by `site`/);
await client.threads.delete(open.thread_id);

// A question that is answered with an interrupt, streamed in several modes.
const events = [];
let created;
const stream = client.runs.stream(thread.thread_id, "site", {
  input: ask("Check the health"), streamMode: ["values", "updates", "messages-tuple", "custom"], onRunCreated: (run) => (created = run),
});
for await (const part of stream) events.push(part);
assert.equal(events[0].event, "metadata");
assert.equal(created.run_id, events[0].data.run_id);
assert.equal(created.thread_id, thread.thread_id);
const last = events.findLast((part) => part.event === "values").data;
const [interrupt] = last.__interrupt__;
assert.ok(interrupt.value.options.some((option) => option.value === "LTI-INV-001"), JSON.stringify(interrupt));
const words = events.filter((part) => part.event === "messages" && part.data[0].type === "AIMessageChunk").map((part) => part.data[0].content).join("");
assert.equal(words, last.messages.at(-1).content || words);

const asked = await client.threads.getState(thread.thread_id);
assert.deepEqual(asked.next, ["site"]);
assert.equal(asked.tasks[0].interrupts[0].value.prompt, interrupt.value.prompt);
assert.equal((await client.threads.get(thread.thread_id)).status, "interrupted");

// A copy waits with the same question, and is answered alone.
const copy = await client.threads.copy(thread.thread_id);
assert.notEqual(copy.thread_id, thread.thread_id);
assert.equal(copy.status, "interrupted");
assert.equal(copy.metadata.team, "north");
assert.deepEqual(copy.values.messages, asked.values.messages);
const branched = await client.runs.wait(copy.thread_id, "site", { command: { resume: "LTI-INV-001" } });
assert.match(JSON.stringify(branched.messages), /LTI-INV-001/);
assert.equal((await client.threads.get(thread.thread_id)).status, "interrupted");
await client.threads.delete(copy.thread_id);
await assert.rejects(client.threads.copy(copy.thread_id), /404/);

// Resumed, and waited for.
const state = await client.runs.wait(thread.thread_id, "site", { command: { resume: "LTI-INV-001" } });
assert.match(JSON.stringify(state.messages), /LTI-INV-001/);
assert.ok(state.messages.some((message) => message.type === "tool"), "no tool message");
assert.equal(state.messages.at(-1).type, "ai");

const after = await client.threads.getState(thread.thread_id);
assert.deepEqual(after.values.messages.at(-1).content, state.messages.at(-1).content);
assert.deepEqual(after.next, []);
const history = await client.threads.getHistory(thread.thread_id);
assert.equal(history.length, 2);
assert.equal(history[0].checkpoint.checkpoint_id, after.checkpoint.checkpoint_id);
const older = await client.threads.getState(thread.thread_id, history[1].checkpoint.checkpoint_id);
assert.deepEqual(older, asked, "a checkpoint changed when its question was answered");
assert.ok(older.values.messages.length < after.values.messages.length);

// Runs: listed, joined again, in the background.
const runs = await client.runs.list(thread.thread_id);
assert.equal(runs.length, 2);
assert.ok(runs.every((run) => run.status === "success"), JSON.stringify(runs));
const again = [];
for await (const part of client.runs.joinStream(thread.thread_id, created.run_id, { streamMode: ["values"] })) again.push(part);
assert.deepEqual(again.at(-1).data.messages.at(-1), last.messages.at(-1));
const rest = [];
for await (const part of client.runs.joinStream(thread.thread_id, created.run_id, { streamMode: ["values"], lastEventId: again[0].id })) rest.push(part);
assert.deepEqual(rest.map((part) => part.event), again.slice(1).map((part) => part.event));
const updates = [];
for await (const part of client.runs.joinStream(thread.thread_id, created.run_id, { streamMode: ["updates", "messages-tuple"], lastEventId: events.find((part) => part.event === "messages").id })) updates.push(part.event);
assert.ok(updates.includes("updates") && updates.every((name) => name !== "metadata"), updates.join());
const background = await client.runs.create(thread.thread_id, "site", { input: ask("Hello") });
const joined = await client.runs.join(thread.thread_id, background.run_id);
assert.ok(joined.messages.length > state.messages.length);
assert.equal((await client.runs.get(thread.thread_id, background.run_id)).status, "success");
await client.runs.cancel(thread.thread_id, background.run_id, true);

// Threads: found, changed, deleted; runs without one.
const [found] = await client.threads.search({ metadata: { team: "north" } });
assert.equal(found.thread_id, thread.thread_id);
assert.deepEqual(found.values.messages, (await client.threads.getState(thread.thread_id)).values.messages);
assert.equal(await client.threads.count({ metadata: { team: "north" } }), 1);
assert.equal((await client.threads.update(thread.thread_id, { metadata: { team: "south" } })).metadata.team, "south");
const threads = await client.threads.count();
const alone = await client.runs.wait(null, "site", { input: ask("Hello") });
assert.equal(alone.messages.at(-1).type, "ai");
assert.equal(await client.threads.count(), threads, "the thread of a run without one is still there");
await client.threads.delete(thread.thread_id);
await assert.rejects(client.threads.get(thread.thread_id), /404/);

// Refusals say why.
await assert.rejects(client.runs.wait(null, "nobody", { input: ask("Hello") }), /there is no such assistant/);
await assert.rejects(client.runs.wait(null, "site", { input: ask("Hello"), interruptBefore: ["x"] }), /interrupt/);
const there = (await client.threads.create({ graphId: "site" })).thread_id;
for (const [call, why] of [
  [() => client.assistants.create({ graphId: "site" }), /part of the program/],
  [() => client.assistants.update("site", { name: "Mine" }), /part of the program/],
  [() => client.assistants.delete("site"), /part of the program/],
  [() => client.assistants.getVersions("site"), /part of the program/],
  [() => client.assistants.setLatest("site", 1), /part of the program/],
  [() => client.threads.updateState(there, { values: { messages: [] } }), /changed by messages alone/],
  [() => client.runs.delete(there, created.run_id), /part of its thread/],
  [() => client.runs.createBatch([{ assistantId: "site", input: ask("Hello") }]), /one by one/],
  [() => client.crons.create("site", { schedule: "0 7 * * *" }), /no scheduled runs/],
  [() => client.crons.search(), /no scheduled runs/],
  [() => client.store.putItem(["a"], "b", {}), /keep no items/],
  [() => client.store.getItem(["a"], "b"), /keep no items/],
]) await assert.rejects(call(), why);
await client.threads.delete(there);
await assert.rejects(new Client({ apiUrl, apiKey: "wrong", callerOptions: { maxRetries: 0 } }).assistants.search(), /401/);
console.log("@langchain/langgraph-sdk: fine");
