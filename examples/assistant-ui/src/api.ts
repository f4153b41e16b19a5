/** Calls beside the chat itself. The browser sends the session's cookie. */
import type { UIMessage } from 'ai';

import type { Assistant, Thread } from './types';

/** A refusal, in the words of its problem (RFC 9457). */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, headers: { accept: 'application/json' } };
  if (body !== undefined) {
    init.headers = { ...init.headers, 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(path, init);
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as { detail?: string; title?: string };
    throw new Refused(response.status, problem.detail ?? problem.title ?? `status ${response.status}`);
  }
  return (response.status === 204 ? undefined : await response.json()) as T;
}

const thread = (id: string) => `/api/threads/${encodeURIComponent(id)}`;

export const signIn = (username: string, password: string) => call('POST', '/auth/login', { username, password });

export const signOut = () => call('POST', '/auth/logout');

/** The account of the session; `null` without one. */
export const account = async () => (await call<{ account: { username: string } | null }>('GET', '/auth/sign-in')).account;

export const assistants = async () => (await call<{ assistants: Assistant[] }>('GET', '/api/assistants')).assistants;

export const threads = async () => (await call<{ threads: Thread[] }>('GET', '/api/threads?limit=50')).threads;

export const deleteThread = (id: string) => call('DELETE', thread(id));

/** The messages of a stored conversation, in the form that `useChat` takes. */
export const messages = async (id: string) => (await call<{ messages: UIMessage[] }>('GET', `${thread(id)}/ui-messages?limit=100`)).messages;

/** Stops the answer that is being made. Closing the stream alone does not: the answer continues, for a client that resumes it. */
export const stop = (id: string) => call('POST', `/api/chat/${encodeURIComponent(id)}/stop`);
