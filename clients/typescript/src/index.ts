/** A client of Heliograph. {@link Heliograph} signs in, renews its token and reads answers; every operation of the API is a function of this module. */
import { createToken, refreshToken, stopChat } from "./generated/index.js";
import type { ChatRequest } from "./generated/index.js";
import { createClient } from "./generated/client/index.js";
import type { Client } from "./generated/client/index.js";
import { Lost, Refused, newKey, read } from "./answer.js";
import type { Answer } from "./answer.js";

export * from "./generated/index.js";
export { Lost, Refused };
export type { Answer, AnswerEvent } from "./answer.js";

/** Renewed this long before it ends, in milliseconds. */
const EARLY = 30_000;

interface Tokens {
  access: string;
  refresh?: string;
  endsAt: number;
}

export class Heliograph {
  /** The client that the operations of this module take: `listLoggers({ client: heliograph.client })`. */
  readonly client: Client;
  private renewing: Promise<void> | undefined;

  private constructor(
    readonly url: string,
    private tokens: Tokens,
  ) {
    this.client = createClient({
      baseUrl: url,
      auth: async ({ scheme }) => (scheme === "bearer" ? await this.token() : undefined),
    });
  }

  /** Signs in with a name and a password. */
  static async signIn(url: string, username: string, password: string): Promise<Heliograph> {
    const answer = await createToken({ client: createClient({ baseUrl: url }), body: { username, password } });
    if (!answer.data) throw new Refused(answer.error);
    return new Heliograph(url, taken(answer.data));
  }

  /** Uses an API key. */
  static withKey(url: string, key: string): Heliograph {
    return new Heliograph(url, { access: key, endsAt: Number.POSITIVE_INFINITY });
  }

  /** The access token, renewed when it is about to end. */
  async token(): Promise<string> {
    if (Date.now() > this.tokens.endsAt - EARLY) {
      // A refresh token works once: requests at the same time wait for the same renewal.
      this.renewing ??= this.renew().finally(() => (this.renewing = undefined));
      await this.renewing;
    }
    return this.tokens.access;
  }

  /**
   * Sends a message, and reads the answer as it comes. A connection that breaks is made again behind the last event that came;
   * the message is not sent a second time.
   */
  ask(message: string, options: Omit<ChatRequest, "messages"> = {}): Answer {
    const body = JSON.stringify({ ...options, messages: [{ role: "user" as const, content: message }] });
    const headers = { "content-type": "application/json", "idempotency-key": newKey() };
    return read((path, more) => this.send(path ?? "/api/chat", path ? { headers: more } : { method: "POST", headers, body }), options.threadId ?? undefined);
  }

  /** Answers a picker: the value that a person chose. */
  choose(threadId: string, value: string): Answer {
    return this.ask(`Selected: ${value}`, { threadId });
  }

  /** Reads the answer that is being made in a thread, from its first event. */
  resume(threadId: string): Answer {
    const first = `/api/chat/${encodeURIComponent(threadId)}/stream`;
    return read((path, headers) => this.send(path ?? first, { headers }), threadId);
  }

  /** Stops the answer that is being made in a thread. */
  async stop(threadId: string): Promise<void> {
    const answer = await stopChat({ client: this.client, path: { thread_id: threadId } });
    if (answer.error) throw new Refused(answer.error);
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${await this.token()}` };
    return await fetch(`${this.url.replace(/\/$/, "")}${path}`, { ...init, headers });
  }

  private async renew(): Promise<void> {
    if (!this.tokens.refresh) return;
    const answer = await refreshToken({ client: createClient({ baseUrl: this.url }), body: { refresh_token: this.tokens.refresh } });
    if (!answer.data) throw new Refused(answer.error);
    this.tokens = taken(answer.data);
  }
}

function taken(tokens: { access_token: string; refresh_token: string; expires_in: number }): Tokens {
  return { access: tokens.access_token, refresh: tokens.refresh_token, endsAt: Date.now() + tokens.expires_in * 1000 };
}
