import type { components, GuildhallError } from '@guildhall/client';
import { useEffect, useReducer, useState } from 'react';
import { guildhall } from './api.ts';
import { patiently } from './patiently.ts';
import { refreshTask } from './task.ts';
import { backOnline, pause, visible } from './waits.ts';

export type TaskEvent = components['schemas']['TaskEvent'];

/** What a page knows of the events of a task. */
export interface Events {
  list: readonly TaskEvent[];
  /** Whether everything up to now has been read. */
  ready: boolean;
  error?: unknown;
}

/** `retry` begins anew after an error. */
export interface FollowedEvents extends Events {
  retry: () => void;
}

/** Tabs without a place for a stream ask now and then. */
const ASKED_EVERY_MS = 4_000;

/** What an agent writes changes nothing else of the task, and there may be a thousand of it in a minute. */
const ALONE = new Set(['message', 'thought', 'tool_call', 'tool_call_update', 'todo']);
const REFRESHED_EVERY_MS = 500;

type Change = { events: TaskEvent[]; ready?: boolean } | { error: unknown } | { reset: true };

const reduce = (state: Events, change: Change): Events => {
  if ('reset' in change) return { list: [], ready: false };
  if ('error' in change) return { ...state, error: change.error };
  const last = state.list.at(-1)?.seq ?? 0;
  const fresh = change.events.filter(({ seq }) => seq > last);
  if (fresh.length === 0 && (change.ready ?? state.ready) === state.ready) return state;
  return { list: [...state.list, ...fresh], ready: change.ready ?? state.ready };
};

/** The events of a task, live, each once and in order. */
export function useTaskEvents(taskId: string): FollowedEvents {
  const [state, change] = useReducer(reduce, { list: [], ready: false });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt begins anew.
  useEffect(() => {
    const leaving = new AbortController();
    change({ reset: true });
    follow(taskId, change, leaving.signal).catch((error) => {
      if (!leaving.signal.aborted) change({ error });
    });
    return () => leaving.abort();
  }, [taskId, attempt]);
  return { ...state, retry: () => setAttempt(attempt + 1) };
}

async function follow(
  taskId: string,
  change: (change: Change) => void,
  left: AbortSignal,
): Promise<void> {
  // Over a slow line, the page comes first. Once it is there, a stream needs no file after a cut.
  const streaming = patiently(() => import('./streaming.ts'));
  let seen = 0;
  const refresh = atMostEvery(REFRESHED_EVERY_MS, () => void refreshTask(taskId));
  const take = batched((events) => {
    change({ events });
    if (events.some(({ type }) => !ALONE.has(type))) refresh();
  });
  const read = async () => {
    const events: TaskEvent[] = [];
    const list = guildhall.list(
      '/api/tasks/{task_id}/events',
      { task_id: taskId, after: seen, limit: 200 },
      { signal: left },
    );
    for await (const page of list.pages()) events.push(...page);
    seen = events.at(-1)?.seq ?? seen;
    return events;
  };
  change({ events: await insisting(read, left), ready: true });
  const { withPlace } = await streaming;
  while (!left.aborted) {
    await visible(left);
    const streamed = await withPlace(left, async (signal) => {
      const events = guildhall.stream(
        '/api/tasks/{task_id}/events',
        { task_id: taskId, after: seen },
        { signal },
      );
      for await (const event of events) {
        seen = event.seq;
        take(event);
      }
    });
    if (streamed) continue;
    await pause(ASKED_EVERY_MS, left);
    for (const event of await read().catch(laterUnlessFinal)) take(event);
  }
}

/** Reads until it succeeds: who opens a page just as the network is cut sees its events afterwards. */
async function insisting<Result>(read: () => Promise<Result>, left: AbortSignal): Promise<Result> {
  for (;;)
    try {
      return await read();
    } catch (error) {
      laterUnlessFinal(error);
      await pause(ASKED_EVERY_MS, AbortSignal.any([left, backOnline()]));
      left.throwIfAborted();
    }
}

/** What the next question may find: the server or the network was away. */
function laterUnlessFinal(error: unknown): TaskEvent[] {
  const { status } = error as GuildhallError;
  if (status === 0 || status === 429 || status >= 500) return [];
  throw error;
}

/** Runs at once, and again at the end of the time if it was called within it. */
function atMostEvery(time: number, work: () => void): () => void {
  let waits = false;
  let again = false;
  const run = () => {
    if (waits) {
      again = true;
      return;
    }
    work();
    waits = true;
    setTimeout(() => {
      waits = false;
      if (!again) return;
      again = false;
      run();
    }, time);
  };
  return run;
}

/** Hands over what has arrived, at most once a frame. */
function batched(give: (events: TaskEvent[]) => void): (event: TaskEvent) => void {
  let waiting: TaskEvent[] = [];
  return (event) => {
    if (waiting.length === 0)
      requestAnimationFrame(() => {
        const events = waiting;
        waiting = [];
        give(events);
      });
    waiting.push(event);
  };
}
