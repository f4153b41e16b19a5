import { useChat } from '@ai-sdk/react';
import { AssistantRuntimeProvider } from '@assistant-ui/react';
import { useAISDKRuntime } from '@assistant-ui/react-ai-sdk';
import { DefaultChatTransport, type UIMessage, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { useEffect, useMemo, useState } from 'react';

import * as api from './api';
import { Thread } from './Thread';
import type { Assistant } from './types';

interface Properties {
  id: string;
  assistant: Assistant;
  isNew: boolean;
  onAnswered: () => void;
}

/** A conversation, with what was said in it before. */
export function Conversation(properties: Properties) {
  const { id, isNew } = properties;
  const [stored, setStored] = useState<UIMessage[] | undefined>(isNew ? [] : undefined);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    if (isNew) return;
    api.messages(id).then(setStored, (error: unknown) => {
      // A conversation exists from its first message on; before that there is nothing to show.
      if (error instanceof api.Refused && error.status === 404) setStored([]);
      else setFault((error as Error).message);
    });
  }, [id, isNew]);
  if (fault) return <p role="alert">{fault}</p>;
  return stored ? <Chat {...properties} stored={stored} /> : <p className="empty">Loading…</p>;
}

function Chat({ id, assistant, isNew, stored, onAnswered }: Properties & { stored: UIMessage[] }) {
  const [status, setStatus] = useState('');
  const transport = useMemo(
    () =>
      new DefaultChatTransport({
        api: '/api/chat',
        // The server keeps the conversation, so the last message is enough.
        prepareSendMessagesRequest: ({ messages, trigger, messageId }) => ({
          body: { id, assistant: assistant.id, messages: messages.slice(-1), trigger, messageId, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
        }),
      }),
    [id, assistant.id],
  );
  const chat = useChat({
    id,
    messages: stored,
    transport,
    // Reads an answer that is being made from its first event; the server says 204 when there is none.
    resume: !isNew,
    // An answered picker goes to the server at once. Calls that the server made itself do not count.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onData: (part) => {
      if (part.type === 'data-status') setStatus((part.data as { text: string }).text);
    },
    onFinish: () => {
      setStatus('');
      onAnswered();
    },
  });
  const stop = async () => {
    // The stream ends on its own when the server has stopped, with the text so far kept as partial.
    await api.stop(id).catch(() => chat.stop());
  };
  const runtime = useAISDKRuntime({ ...chat, stop });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread assistant={assistant} status={status} fault={chat.error?.message} />
    </AssistantRuntimeProvider>
  );
}
