import { type FormEvent, useCallback, useEffect, useState } from 'react';

import * as api from './api';
import { Conversation } from './Conversation';
import type { Assistant, Thread } from './types';

/** Signed in or not; `undefined` until the server has said it. */
export function App() {
  const [username, setUsername] = useState<string | null>();
  useEffect(() => {
    api.account().then((account) => setUsername(account?.username ?? null));
  }, []);
  if (username === undefined) return null;
  if (username === null) return <SignIn onSignedIn={setUsername} />;
  return <Desk onSignedOut={() => setUsername(null)} />;
}

function SignIn({ onSignedIn }: { onSignedIn: (username: string) => void }) {
  const [fault, setFault] = useState('');
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const username = String(fields.get('username'));
    try {
      await api.signIn(username, String(fields.get('password')));
      onSignedIn(username);
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <form className="sign-in" onSubmit={submit}>
      <h1>Heliograph</h1>
      <label>
        Name <input name="username" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <p role="alert">{fault}</p>
      <button type="submit">Sign in</button>
    </form>
  );
}

/** The open conversation. Its id is in the address, so that a reload opens it again. */
interface Open {
  id: string;
  assistant: string;
  isNew: boolean;
}

const ADDRESS = /^#\/(?<assistant>[^/]+)\/(?<id>.+)$/;

function opened(): Open | undefined {
  const found = ADDRESS.exec(location.hash)?.groups;
  return found && { id: found.id!, assistant: found.assistant!, isNew: false };
}

function Desk({ onSignedOut }: { onSignedOut: () => void }) {
  const [assistants, setAssistants] = useState<Assistant[]>([]);
  const [threads, setThreads] = useState<Thread[]>([]);
  const [open, setOpen] = useState(opened);
  const refresh = useCallback(() => void api.threads().then(setThreads), []);
  useEffect(() => {
    api.assistants().then((all) => setAssistants(all.filter(({ available }) => available)));
    refresh();
  }, [refresh]);
  const show = (next: Open | undefined) => {
    history.replaceState(null, '', next ? `#/${next.assistant}/${next.id}` : '#');
    setOpen(next);
  };
  const remove = async (id: string) => {
    await api.deleteThread(id);
    if (open?.id === id) show(undefined);
    refresh();
  };
  const assistant = assistants.find(({ id }) => id === open?.assistant);
  return (
    <div className="desk">
      <nav aria-label="Conversations">
        {assistants.map(({ id, title, description }) => (
          <button key={id} className="new" title={description} onClick={() => show({ id: crypto.randomUUID(), assistant: id, isNew: true })}>
            New: {title}
          </button>
        ))}
        <ul className="history">
          {threads.map((one) => (
            <li key={one.thread_id} aria-current={one.thread_id === open?.id}>
              <button className="entry" onClick={() => show({ id: one.thread_id, assistant: one.assistant, isNew: false })}>
                {one.title ?? 'Untitled'}
              </button>
              <button aria-label={`Delete ${one.title ?? 'Untitled'}`} onClick={() => void remove(one.thread_id)}>
                ×
              </button>
            </li>
          ))}
        </ul>
        <button onClick={() => void api.signOut().then(onSignedOut)}>Sign out</button>
      </nav>
      <main>
        {open && assistant ? (
          <Conversation key={open.id} id={open.id} assistant={assistant} isNew={open.isNew} onAnswered={refresh} />
        ) : (
          <p className="empty">Choose an assistant.</p>
        )}
      </main>
    </div>
  );
}
