/** Answers as streams of events that outlive their connections. */
import type { UiMessageChunk } from "./generated/index.js";

/** What the service refused, with its problem (RFC 9457). */
export class Refused extends Error {
  constructor(readonly problem: unknown) {
    const { detail, title } = (problem ?? {}) as { detail?: string; title?: string };
    super(detail ?? title ?? "The service did not answer as expected.");
  }
}

/** The connection broke, and could not be made again. The run continues: `resume` joins it later. */
export class Lost extends Error {}

/** An event of an answer. */
export type AnswerEvent = UiMessageChunk;

/** An answer as it comes. `threadId` is known after the first event. */
export interface Answer extends AsyncIterable<AnswerEvent> {
  threadId: string | undefined;
  runId: string | undefined;
}

/** Opens the stream of a path, or the first one if there is no path. */
export type Open = (path: string | undefined, headers: Record<string, string>) => Promise<Response>;

/** The pauses before connections that follow one another without an event, in milliseconds. */
const PAUSES = [200, 500, 1_000, 2_000, 4_000, 8_000];

/** A stream without data for this time is broken, in milliseconds; the service gives a sign of life more often. */
const QUIET = 60_000;

/** A key that makes the same message one run, however often it is sent. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The events of an answer. When a connection breaks, its run is joined behind the last event that came. */
export function read(open: Open, threadId: string | undefined): Answer {
  const answer: Answer = {
    threadId,
    runId: undefined,
    async *[Symbol.asyncIterator]() {
      const seen = { run: undefined as string | undefined, last: undefined as string | undefined };
      let failures = 0;
      for (;;) {
        let broken: unknown;
        try {
          for await (const frame of frames(open, seen, answer)) {
            failures = 0;
            if (frame === "[DONE]") return;
            const event = JSON.parse(frame) as AnswerEvent;
            if (event.type === "start") {
              answer.threadId = event.messageMetadata.threadId;
              answer.runId = event.messageMetadata.runId;
            }
            yield event;
          }
        } catch (error) {
          if (error instanceof Refused) throw error;
          broken = error;
        }
        const pause = PAUSES[failures];
        if (pause === undefined) throw new Lost("The connection to the answer broke and could not be made again.", { cause: broken });
        failures += 1;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    },
  };
  return answer;
}

/** The data of the frames of one connection. */
async function* frames(open: Open, seen: { run?: string; last?: string }, answer: Answer): AsyncGenerator<string> {
  const path = seen.run === undefined ? undefined : `/api/runs/${seen.run}/events?dialect=ui_messages`;
  const response = await open(path, seen.last === undefined ? {} : { "last-event-id": seen.last });
  if (response.status === 204) {
    yield "[DONE]";
    return;
  }
  if (!response.ok || !response.body) {
    // A service that is away for a moment still has the run.
    if (seen.run !== undefined && response.status >= 502 && response.status <= 504) throw new Error(`status ${response.status}`);
    throw new Refused(await response.json().catch(() => undefined));
  }
  seen.run = response.headers.get("x-run-id") ?? seen.run;
  answer.runId = seen.run;
  answer.threadId = response.headers.get("x-thread-id") ?? answer.threadId;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let text = "";
    for (;;) {
      const { done, value } = await within(QUIET, reader.read());
      if (done) return;
      const parts = (text + value).split("\n\n");
      // A frame that is not whole counts as not seen.
      text = parts.pop() ?? "";
      for (const part of parts) {
        const field = (name: string) => part.split("\n").filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
        const data = field("data");
        seen.last = field("id")[0] ?? seen.last;
        if (data.length > 0) yield data.join("\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const quiet = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error("The stream is quiet.")), milliseconds)));
  try {
    return await Promise.race([work, quiet]);
  } finally {
    clearTimeout(timer);
  }
}
