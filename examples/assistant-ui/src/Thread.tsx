import { ComposerPrimitive, MessagePrimitive, type TextMessagePartComponent, ThreadPrimitive, type ToolCallMessagePartComponent } from '@assistant-ui/react';
import Markdown from 'react-markdown';
import gfm from 'remark-gfm';

import { CardView } from './cards';
import { Picker } from './Picker';
import { PlanView } from './Plan';
import type { Assistant, Card, Plan, Question } from './types';

interface Properties {
  assistant: Assistant;
  status: string;
  fault: string | undefined;
}

export function Thread({ assistant, status, fault }: Properties) {
  return (
    <ThreadPrimitive.Root className="thread">
      <ThreadPrimitive.Viewport className="viewport">
        <ThreadPrimitive.Empty>
          <h1>{assistant.title}</h1>
          <p>{assistant.description}</p>
          <div className="starters">
            {assistant.starters.map(({ label, message }) => (
              <ThreadPrimitive.Suggestion key={label} prompt={message} send>
                {label}
              </ThreadPrimitive.Suggestion>
            ))}
          </div>
        </ThreadPrimitive.Empty>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        <p className="status" aria-live="polite">
          {status}
        </p>
        {fault && <p role="alert">{fault}</p>}
      </ThreadPrimitive.Viewport>
      <ComposerPrimitive.Root className="composer">
        <ComposerPrimitive.Input aria-label="Message" placeholder="Ask…" rows={1} />
        <ThreadPrimitive.If running={false}>
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ThreadPrimitive.If>
        <ThreadPrimitive.If running>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ThreadPrimitive.If>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  );
}

function UserMessage() {
  return (
    <MessagePrimitive.Root className="message user">
      <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root className="message assistant">
      <MessagePrimitive.Parts
        components={{
          Text,
          Source: ({ title, id }) => <cite>{title ?? id}</cite>,
          tools: { by_name: { render_ui_component: Component, request_user_selection: Selection }, Fallback: Call },
          data: { by_name: { plan: ({ data }) => <PlanView plan={data as Plan} />, warning: ({ data }) => <Warning data={data as { text: string }} /> } },
        }}
      />
    </MessagePrimitive.Root>
  );
}

const Text: TextMessagePartComponent = ({ text }) => <Markdown remarkPlugins={[gfm]}>{text}</Markdown>;

/** What the server drew: the arguments are the card. */
const Component: ToolCallMessagePartComponent = ({ args }) => <CardView card={args as unknown as Card} />;

/** What the server asks: the answer is the call's result, `{ selection }`. */
const Selection: ToolCallMessagePartComponent = ({ args, result, addResult }) => (
  <Picker question={args as unknown as Question} answer={result} onAnswer={(selection) => addResult({ selection })} />
);

/** Any other call: a tool that the server asked. */
const Call: ToolCallMessagePartComponent = ({ toolName, args, result }) => {
  const status = (result as { status?: string } | undefined)?.status ?? 'running';
  return (
    <details className="call">
      <summary>
        {toolName} <span>{status}</span>
      </summary>
      <pre>{JSON.stringify(args, null, 2)}</pre>
    </details>
  );
};

const Warning = ({ data }: { data: { text: string } }) => <p className="warning">{data.text}</p>;
