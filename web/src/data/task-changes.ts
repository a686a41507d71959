import type { components } from '@guildhall/client';
import type { Query } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';
import { withPlace } from './streaming.ts';
import { pause, visible } from './waits.ts';

/**
 * Lists of tasks are read again when the server says that a task in them has changed. One tab of a
 * browser has the stream, and tells the others.
 */

type Change = components['schemas']['TaskChange'];
type Task = components['schemas']['Task'];

/** What the tab with the stream tells; `asks` is what a tab sends that has just begun to listen. */
type Told = { live: boolean } | { reset: true } | { changes: Change[] } | { asks: true };

/** Held by the tab that has the stream, beside one of the places for streams. */
const LEADS = ['guildhall-task-changes'];
const CHANNEL = 'guildhall-task-changes';
/** How often a tab looks whether it is to have the stream, and one without a place tries again. */
const TRIED_EVERY_MS = 4_000;
/** After an answer that is final: a session that has ended, a server that has no such stream. */
const REFUSED_MS = 60_000;
/** From one page with a list to the next, the stream stays open. */
const LINGERS_MS = 10_000;
/** What comes together is looked at together. */
const TOGETHER_MS = 30;
const READ_EVERY_MS = 1_000;
/** Of a list of more than two pages, for each: all of them are read. */
const LONG_MS_A_PAGE = 5_000;

/** Calls `onLive` with whether the stream is open, now and whenever that changes. */
export function followTaskChanges(onLive: (live: boolean) => void): () => void {
  listeners.add(onLive);
  onLive(live);
  clearTimeout(lingers);
  leaving ??= begin();
  return () => {
    listeners.delete(onLive);
    if (listeners.size > 0) return;
    lingers = setTimeout(leave, LINGERS_MS);
  };
}

function leave(): void {
  leaving?.abort();
  leaving = undefined;
}

// Without a session it would be refused. The next one waits for the end of the sign-out.
addEventListener('signout', () => {
  leave();
  if (listeners.size > 0) leaving = begin();
});

/** Whether the server says which lists of tasks have changed, so that they need not ask. */
export function useLive(): boolean {
  const [now, setNow] = useState(live);
  useEffect(() => followTaskChanges(setNow), []);
  return now;
}

const listeners = new Set<(live: boolean) => void>();
let live = false;
let lingers: ReturnType<typeof setTimeout> | undefined;
let leaving: AbortController | undefined;

function setLive(now: boolean): void {
  if (live === now) return;
  live = now;
  for (const each of listeners) each(now);
}

function begin(): AbortController {
  const left = new AbortController();
  const others = new BroadcastChannel(CHANNEL);
  let leads = false;
  const tell = (told: Told) => {
    if (left.signal.aborted) return;
    take(told);
    others.postMessage(told);
  };
  others.onmessage = ({ data }: MessageEvent<Told>) => {
    if (!('asks' in data)) take(data);
    else if (leads) others.postMessage({ live });
  };
  others.postMessage({ asks: true });
  left.signal.addEventListener('abort', () => {
    others.close();
    clearTimeout(reads);
    reads = undefined;
    wanted.clear();
    setLive(false);
  });
  void lead(left.signal, tell, (now) => {
    leads = now;
  });
  return left;
}

/** Has the stream whenever no other tab has it. */
async function lead(
  left: AbortSignal,
  tell: (told: Told) => void,
  setLeads: (leads: boolean) => void,
): Promise<void> {
  while (!left.aborted) {
    await visible(left);
    let wait = TRIED_EVERY_MS;
    const work = async (signal: AbortSignal) => {
      setLeads(true);
      try {
        while (!signal.aborted) {
          await withPlace(signal, (ends) => stream(ends, tell));
          tell({ live: false });
          await pause(TRIED_EVERY_MS, signal);
        }
      } catch {
        wait = REFUSED_MS;
      } finally {
        setLeads(false);
        tell({ live: false });
      }
    };
    await withPlace(left, work, LEADS);
    if (!left.aborted) await pause(wait, left);
  }
}

async function stream(signal: AbortSignal, tell: (told: Told) => void): Promise<void> {
  let waiting: Change[] = [];
  const changes = guildhall.stream(
    '/api/task-changes',
    {},
    {
      signal,
      onConnection: (state) => tell({ live: state === 'open' }),
      onReset: () => tell({ reset: true }),
    },
  );
  for await (const change of changes) {
    if (waiting.length === 0)
      setTimeout(() => {
        tell({ changes: waiting });
        waiting = [];
      }, TOGETHER_MS);
    waiting.push(change);
  }
}

/** Lists to be read again, by their hash. */
const wanted = new Map<string, Query>();
let reads: ReturnType<typeof setTimeout> | undefined;

function take(told: Told): void {
  if ('live' in told) setLive(told.live);
  if ('reset' in told) {
    for (const list of lists()) wanted.set(list.queryHash, list);
    void queries.invalidateQueries({ queryKey: ['projects'] });
  }
  if ('changes' in told)
    for (const list of concerned(told.changes)) wanted.set(list.queryHash, list);
  if (wanted.size > 0) reads ??= setTimeout(read, TOGETHER_MS);
}

function read(): void {
  const now = Date.now();
  for (const [hash, list] of wanted) {
    // What is being read may have been read before the change.
    if (list.state.fetchStatus !== 'idle' || now - list.state.dataUpdatedAt < restOf(list))
      continue;
    wanted.delete(hash);
    void queries.invalidateQueries({
      predicate: ({ queryHash }) => queryHash === hash,
      // A hidden tab reads when it is shown.
      refetchType: document.hidden ? 'none' : 'active',
    });
  }
  reads = wanted.size > 0 ? setTimeout(read, READ_EVERY_MS / 4) : undefined;
}

const restOf = ({ state: { data } }: Query): number => {
  const pages = (data as { pages?: unknown[] } | undefined)?.pages?.length ?? 1;
  return pages > 2 ? pages * LONG_MS_A_PAGE : READ_EVERY_MS;
};

/** All lists of tasks that have been read, of all projects and of one. */
const lists = (): Query[] =>
  queries
    .getQueryCache()
    .getAll()
    .filter(
      ({ queryKey: [first, , third] }) =>
        first === 'tasks' || (first === 'project' && third === 'tasks'),
    );

const WORKS = new Set<Task['status']>(['queued', 'planning', 'building']);

/**
 * The lists that may show these changes. A task that has moved may come into any list
 * of its project; of one at work whose row is known, only what it costs has changed.
 */
function* concerned(changes: readonly Change[]): Iterable<Query> {
  const rows = lists().map((list) => ({ list, tasks: tasksOf(list) }));
  for (const { task_id, project_id, updated_at } of changes) {
    const of = rows.filter(({ list }) => mayHold(list, project_id));
    const showing = of.filter(({ tasks }) => tasks.has(task_id));
    const onlyCost = showing.some(({ tasks }) => {
      const task = tasks.get(task_id);
      return task?.updated_at === updated_at && task !== undefined && WORKS.has(task.status);
    });
    for (const { list } of onlyCost ? showing : of) yield list;
  }
}

function tasksOf({ state: { data } }: Query): Map<string, Task> {
  const { pages, items } = (data ?? {}) as { pages?: { items: Task[] }[]; items?: Task[] };
  const tasks = pages?.flatMap((page) => page.items) ?? items ?? [];
  return new Map(tasks.map((task) => [task.id, task]));
}

/** Whether tasks of the project may be in a list, by its key. */
function mayHold({ queryKey: [first, second] }: Query, projectId: string): boolean {
  if (first === 'project') return second === projectId;
  const { project_id } = Object(second) as { project_id?: string };
  return project_id === undefined || project_id === projectId;
}
