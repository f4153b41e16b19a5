// Calls a running bff with the client that hey-api makes of its document. Types hold what the wire has: `tsc --strict` reads this file, too.
import { createAgentChat, createChat, createToken, followRun, getPowerCurve, listLoggers, listThreads, postMessage } from "./out/bff/hey-api";
import { createClient } from "./out/bff/hey-api/client";
import type { NamedEventFrame } from "./out/bff/hey-api";

declare const process: { env: Record<string, string | undefined> };

function must(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export async function main(): Promise<void> {
  const { HELIOGRAPH_URL: baseUrl, HELIOGRAPH_USER: username, HELIOGRAPH_PASSWORD: password } = process.env;
  must(baseUrl && username && password, "no address or account");
  const anonymous = createClient({ baseUrl });
  const tokens = await createToken({ client: anonymous, body: { username, password } });
  must(tokens.data, "no token");
  const token = tokens.data.access_token;
  const client = createClient({ baseUrl, auth: ({ scheme }) => (scheme === "bearer" ? token : undefined) });

  // The tools have operations of their own, with their types.
  const loggers = await listLoggers({ client });
  const logger = loggers.data?.result?.loggers[0];
  must(logger?.loggerId && logger.latestData, "no logger");
  const curve = await getPowerCurve({ client, body: { logger_id: logger.loggerId, date: logger.latestData.slice(0, 10) } });
  must(curve.data?.status === "ok" && curve.data.result && curve.data.result.loggerId === logger.loggerId, "no power curve");
  const refused = await getPowerCurve({ client, body: { logger_id: "", date: "never" } });
  must(refused.error?.errors?.[0]?.pointer === "/date", "no pointer to the fault");

  // The members of a chunk are those of the wire.
  const told: string[] = [];
  let thread = "";
  let run = "";
  const chat = await createChat({ client, body: { messages: [{ role: "user", content: "Hello" }] } });
  for await (const chunk of chat.stream) {
    if (chunk === "[DONE]") {
      told.push("end");
      continue;
    }
    switch (chunk.type) {
      case "start":
        thread = chunk.messageMetadata.threadId;
        run = chunk.messageMetadata.runId;
        must(chunk.messageId, "the message has no id");
        break;
      case "text-delta":
        must(chunk.delta, "an empty text");
        break;
      case "finish":
        told.push(chunk.finishReason);
        break;
    }
  }
  must(thread && told.join() === "stop,end", `the chat ended with ${told.join()}`);

  // The name of an event is beside its data.
  const names: string[] = [];
  const named = await postMessage({
    client,
    body: { content: "Hello", thread_id: thread, assistant: "site" },
    onSseEvent: (event) => {
      const frame = event as NamedEventFrame;
      names.push(frame.event);
      if (frame.event === "done") must(frame.data.ok && frame.data.thread_id === thread, "not done");
      if (frame.event === "message") must(frame.data.content, "an empty message");
    },
  });
  for await (const _data of named.stream);
  must(names.includes("message") && names.at(-1) === "done", `the events were ${names.join()}`);

  const kinds: string[] = [];
  const agent = await createAgentChat({ client, body: { input: { message: "Hello" }, conversation: { id: "generated" }, assistant: "site" } });
  for await (const event of agent.stream) {
    kinds.push(event.event);
    if (event.event === "complete") must(event.stats.conversation_id === "generated", "another conversation");
  }
  must(kinds.at(-1) === "complete", `the agent ended with ${kinds.at(-1)}`);

  const again = await followRun({ client, path: { run_id: run }, query: { dialect: "ui_messages" } });
  let frames = 0;
  for await (const _frame of again.stream) frames += 1;
  must(frames > 2, "the run was not told again");

  const threads = await listThreads({ client, query: { limit: 5 } });
  must(threads.data?.threads.some((one) => one.thread_id === thread), "the thread is not listed");
}
