import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { messagesQuery, refreshTask } from '../../data/task.ts';
import type { Events } from '../../data/task-events.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LongText, ShowMore } from '../../ui/long-text.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AllowHost } from './allow-host.tsx';
import {
  conversation,
  type Item,
  type Message,
  type Setup,
  type Step,
} from './conversation-items.ts';

/** Items of a conversation, and things to do, that are drawn at once. */
const AT_ONCE = 300;
const MOST_TODO = 100;

/** What people and the agent have said and done, oldest first, and what is queued. */
export function Conversation({ taskId, events }: { taskId: string; events: Events }): ReactNode {
  const messages = useQuery(messagesQuery(taskId));
  const { items, todo } = useMemo(
    () => conversation(messages.data ?? [], events.list),
    [messages.data, events.list],
  );
  const [shown, setShown] = useState(AT_ONCE);
  const end = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const count = items.length;

  // Whoever reads further up is not moved.
  useEffect(() => {
    const element = end.current;
    if (element === null) return;
    const observer = new IntersectionObserver((entries) => {
      follows.current = entries.at(-1)?.isIntersecting ?? false;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (count > 0 && follows.current) end.current?.scrollIntoView({ block: 'end' });
  }, [count]);

  const error = messages.error ?? events.error;
  return (
    <section aria-label="Conversation" className="flex flex-col gap-3 p-4">
      {error != null && <Failure error={error} retry={() => void messages.refetch()} />}
      {count > shown && (
        <ShowMore
          of={`The last ${shown} of ${count.toLocaleString('en')} entries`}
          onClick={() => setShown(shown + AT_ONCE)}
        />
      )}
      <ol className="flex flex-col gap-3">
        {items.slice(-shown).map((item) => (
          <li key={item.key}>
            <Boundary what="This entry" source={sourceOf(item)}>
              <Shown item={item} taskId={taskId} />
            </Boundary>
          </li>
        ))}
      </ol>
      {todo.length > 0 && (
        <ul aria-label="What the agent has to do" className="flex flex-col gap-1 text-muted">
          {todo.slice(0, MOST_TODO).map(({ content, status }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an agent may name the same twice
            <li key={index} className="flex items-center gap-2">
              <Icon name={status === 'completed' ? 'check' : 'clock'} size={12} />
              <span className={status === 'completed' ? 'line-through' : ''}>
                {inOneLine(content)}
              </span>
              <span className="sr-only">{status}</span>
            </li>
          ))}
        </ul>
      )}
      <div ref={end} />
    </section>
  );
}

function Shown({ item, taskId }: { item: Item; taskId: string }): ReactNode {
  switch (item.kind) {
    case 'person':
      return <PersonsMessage message={item.message} taskId={taskId} />;
    case 'agent':
      return (
        <div className="rounded-box border border-line bg-surface p-3">
          <Markdown text={item.text} />
        </div>
      );
    case 'thought':
      return (
        <details className="text-muted">
          <summary>The agent thinks</summary>
          <LongText text={item.text} className="py-1 pl-4 whitespace-pre-wrap wrap-anywhere" />
        </details>
      );
    case 'step':
      return <ToolCall step={item.step} />;
    case 'setup':
      return <SetupOfPod setup={item.setup} />;
    case 'turn':
      return (
        <p className="flex items-center gap-2 text-xs text-muted">
          <span className="h-px flex-1 bg-line" />
          {item.text}, <Time at={item.at} />
          <span className="h-px flex-1 bg-line" />
        </p>
      );
    case 'note':
      return (
        <div
          className={`flex flex-wrap items-center gap-2 text-xs ${item.wrong ? 'text-wrong' : 'text-muted'}`}
        >
          <Icon name={item.wrong ? 'warning' : 'file'} size={12} />
          <p className="min-w-0 wrap-anywhere">{item.text.slice(0, MOST_NOTE)}</p>
          {item.refused && <AllowHost {...item.refused} />}
        </div>
      );
  }
}

/** Characters of a note. */
const MOST_NOTE = 5_000;
const MOST_LINE = 300;

/** A title, which an agent may have made as long as it likes. */
const inOneLine = (text: string) =>
  text.length > MOST_LINE ? `${text.slice(0, MOST_LINE)}…` : text;

const sourceOf = (item: Item): string | undefined => {
  if (item.kind === 'person') return item.message.text;
  if (item.kind === 'setup') return item.setup.title;
  return item.kind === 'step' ? item.step.title : item.text;
};

function PersonsMessage({ message, taskId }: { message: Message; taskId: string }): ReactNode {
  const { number, text, status, attachments, created_at } = message;
  const remove = async () => {
    await guildhall.delete('/api/tasks/{task_id}/messages/{number}', { task_id: taskId, number });
    await refreshTask(taskId);
  };
  return (
    <div className="ml-8 rounded-box bg-tint p-3">
      <LongText text={text} />
      {attachments?.map(({ id, name }) => (
        <a
          key={id}
          href={`/api/tasks/${taskId}/attachments/${id}/content`}
          className="flex items-center gap-1 text-link underline"
        >
          <Icon name="file" size={12} />
          {name}
        </a>
      ))}
      <p className="mt-1 flex items-center gap-2 text-xs text-muted">
        <Time at={created_at} />
        {status === 'queued' && <Status state="waiting">Queued</Status>}
        {message.available_actions.includes('delete_message') && (
          <Button look="quiet" onClick={() => void remove()}>
            Withdraw
          </Button>
        )}
      </p>
    </div>
  );
}

const STEP_STATES: Record<string, ReactNode> = {
  completed: <Icon name="check" size={12} />,
  failed: <Icon name="warning" size={12} />,
};

/** A call of a tool, on one line; opened, what it was given and answered. */
function ToolCall({ step: { title, status, content } }: { step: Step }): ReactNode {
  const text = content.map(textOf).filter(Boolean).join('\n\n');
  return <Fold title={title} status={status} text={text} />;
}

const SETUP_STATES: Record<Setup['state'], string> = {
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  interrupted: 'interrupted',
};

/** The setup of the pod, on one line; opened, the end of what it has printed. */
function SetupOfPod({ setup: { title, state, log } }: { setup: Setup }): ReactNode {
  return <Fold title={title} status={SETUP_STATES[state]} text={log} />;
}

/** A line that can be opened if there is a text. */
function Fold({ title, status, text }: { title: string; status: string; text: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const line = (
    <>
      {STEP_STATES[status] ?? <Icon name="tool" size={12} />}
      <span className="min-w-0 font-mono text-xs wrap-anywhere">{inOneLine(title)}</span>
      <span className="sr-only">{status}</span>
    </>
  );
  if (text === '') return <p className="flex items-center gap-2 text-muted">{line}</p>;
  return (
    <details
      className="group text-muted"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
        {line}
        <span className="group-open:rotate-90">
          <Icon name="chevron" size={12} />
        </span>
      </summary>
      {open && (
        <section
          aria-label={inOneLine(title)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          tabIndex={0}
          className="mt-1 max-h-80 overflow-auto rounded-box bg-raised p-2"
        >
          <LongText text={text} className="font-mono text-xs whitespace-pre" />
        </section>
      )}
    </details>
  );
}

function textOf(part: Record<string, unknown>): string {
  if (typeof part.text === 'string') return part.text;
  if (typeof part.newText === 'string') return `${String(part.path ?? '')}\n${part.newText}`;
  return '';
}
