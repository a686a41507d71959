import { useQuery } from '@tanstack/react-query';
import { memo, type ReactNode, useMemo, useRef, useState } from 'react';
import { messagesQuery, requestsQuery, versionsQuery } from '../../data/task.ts';
import type { Events, FollowedEvents } from '../../data/task-events.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ShowMore } from '../../ui/long-text.tsx';
import { folded, type Group, merged, ofPeople } from './conversation-items.ts';
import { Entry, inOneLine } from './entry.tsx';
import { type Told, tell } from './event-items.ts';
import { Removed } from './removed.tsx';
import type { Task } from './states.ts';
import { useFollow } from './use-follow.ts';

/** Items of a conversation, and things to do, that are drawn at once. */
const AT_ONCE = 300;
const MOST_TODO = 100;
/** What people and the agent have said and done, oldest first, and what is queued. */
export function Conversation({ task, events }: { task: Task; events: FollowedEvents }): ReactNode {
  const { id: taskId } = task;
  const messages = useQuery(messagesQuery(taskId));
  const versions = useQuery({ ...versionsQuery(taskId), enabled: task.plan !== undefined });
  const requests = useQuery(requestsQuery(taskId));
  const told = useTold(events);
  const groups = useRef(new Map<string, Group>());
  const people = useMemo(
    () => ofPeople(messages.data ?? [], versions.data ?? [], requests.data ?? []),
    [messages.data, versions.data, requests.data],
  );
  const items = useMemo(() => folded(merged(told.items, people), groups.current), [told, people]);
  const [shown, setShown] = useState(AT_ONCE);
  const { scroller, content, away, jump } = useFollow();
  const error = messages.error ?? events.error;
  const retry = () => {
    if (messages.error) void messages.refetch();
    if (events.error) events.retry();
  };
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        className={`relative min-h-0 flex-1 overflow-y-auto ${away ? '' : '[overflow-anchor:none]'}`}
      >
        <section ref={content} aria-label="Conversation" className="flex flex-col gap-3 p-4">
          {error != null && <Failure error={error} retry={retry} />}
          {items.length > shown && (
            <ShowMore
              of={`The last ${shown} of ${items.length.toLocaleString('en')} entries`}
              onClick={() => setShown(shown + AT_ONCE)}
            />
          )}
          {task.conversation_removed_at !== undefined && (
            <Removed
              what="What was said was"
              at={task.conversation_removed_at}
              kept="conversations_days"
            />
          )}
          <ol className="flex flex-col gap-3">
            {items.slice(-shown).map((item) => (
              <Entry key={item.key} item={item} taskId={taskId} />
            ))}
          </ol>
          <Todos todo={told.todo} />
        </section>
      </div>
      {away && (
        <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
          <Button className="pointer-events-auto shadow-lg" onClick={jump}>
            <span aria-hidden="true" className="rotate-90">
              <Icon name="arrow" size={12} />
            </span>
            Jump to latest
          </Button>
        </div>
      )}
    </div>
  );
}

/** Events are told once each: the former result is gone on with. */
function useTold({ list }: Events): Told {
  const before = useRef<Told>(undefined);
  return useMemo(() => {
    before.current = tell(before.current, list);
    return before.current;
  }, [list]);
}

const Todos = memo(({ todo }: { todo: Told['todo'] }): ReactNode => {
  if (todo.length === 0) return null;
  return (
    <ul aria-label="What the agent has to do" className="flex flex-col gap-1 text-muted">
      {todo.slice(0, MOST_TODO).map(({ content, status }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an agent may name the same twice
        <li key={index} className="flex items-center gap-2">
          <Icon name={status === 'completed' ? 'check' : 'clock'} size={12} />
          <span className={status === 'completed' ? 'line-through' : ''}>{inOneLine(content)}</span>
          <span className="sr-only">{status}</span>
        </li>
      ))}
    </ul>
  );
});
