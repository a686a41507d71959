import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import { DatabaseUnavailable } from '../db/database/database.ts';
import type { Config } from '../platform/config/config.ts';
import { removeWorker, storeWorker, type WorkerState } from '../runner/worker/task-workers.ts';
import type { TasksAtWork, TasksNeed } from './start-tasks.ts';

/** Tasks as a process carries them out, or tries to. */
export interface ServedTasks extends Pick<TasksAtWork, 'wake' | 'close' | 'abandon'> {
  /**
   * Resolves after the first attempt to begin, and once others can read how it went. Rejects when
   * that has failed and `mustWork` is set.
   */
  begun: Promise<void>;
  /** Why none are carried out now, as a sentence; undefined while they are. */
  fault(): string | undefined;
  /** What people should read at the start, as sentences. */
  notes(): string[];
}

interface ServeOptions {
  /** Whether it is given up when the first attempt fails. */
  mustWork?: boolean;
  times?: Partial<ServeTimes>;
}

/** In milliseconds. */
interface ServeTimes {
  /** Between two attempts to begin, and two lines of the log that say why none are carried out. */
  again: number;
  /** Between two times that others are told how it is: they believe it for thirty seconds. */
  beat: number;
}

const TIMES: ServeTimes = { again: 60_000, beat: 10_000 };

/**
 * Carries out tasks beside the API, which does not fail with it. While no agent can work here, for
 * example because a folder cannot be written, or because nothing answers that makes pods, turns
 * wait in the queue: the log says each minute what is missing, the metric is 0, every server of the
 * database can read it, and it is tried again.
 */
export function serveTasks(
  config: Config,
  deps: TasksNeed,
  { mustWork = false, times: given }: ServeOptions = {},
): ServedTasks {
  const { db, log, registry } = deps;
  const { again, beat } = { ...TIMES, ...given };
  const id = randomUUID();
  const ready = registry && measureReadiness(registry);
  const stopping = new AbortController();
  const { signal } = stopping;
  let tasks: TasksAtWork | undefined;
  let failed: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let going: Promise<void> = Promise.resolve();
  let storing: Promise<unknown> = Promise.resolve();

  const fault = () => failed ?? tasks?.fault();
  function state(): WorkerState {
    const about = {
      confined: tasks?.confined,
      version: config.version,
      host: hostname(),
      driver: config.pods.driver,
    };
    if (fault() === undefined) return { fault: undefined, ...about };
    const unable = failed !== undefined || tasks?.lacks() === true;
    return { fault: unable ? 'worker_unable' : 'pods_unavailable', ...about };
  }

  /** Lets others know how it is, one time after the other. */
  function tell(): Promise<unknown> {
    if (signal.aborted) return storing;
    ready?.set(fault() === undefined ? 1 : 0);
    storing = storing
      .then(() => storeWorker(db, id, state()))
      .catch((err) => log.warn({ err }, 'it could not be stored whether tasks are carried out'));
    return storing;
  }

  async function attempt(): Promise<void> {
    try {
      // Loaded only where tasks are carried out, and after the server has begun to answer.
      const { startTasks } = await import('./start-tasks.ts');
      tasks = await startTasks(config, { ...deps, onChange });
      if (failed !== undefined && tasks.fault() === undefined) log.info(WORKS);
      failed = undefined;
    } catch (err) {
      if (mustWork) throw err;
      failed = sentenceOf(err);
      log.error({ err, reason: failed }, CANNOT);
    }
  }

  /** Work can begin no more, or again. */
  function onChange(reason: string | undefined): void {
    if (reason === undefined) log.info(WORKS);
    else log.error({ reason }, CANNOT);
    // The end of the first attempt tells what is so then.
    if (timer !== undefined) void tell();
  }

  async function goOn(): Promise<void> {
    for (;;) {
      await pause(again, undefined, { ref: false, signal }).catch(() => {});
      if (signal.aborted) return;
      const reason = tasks?.fault();
      if (reason !== undefined) log.error({ reason }, CANNOT);
      if (tasks === undefined) await attempt().then(tell);
    }
  }

  const begun = attempt().then(async () => {
    timer = setInterval(tell, beat).unref();
    await tell();
    going = goOn();
  });
  begun.catch(() => {});

  async function end(how: 'close' | 'abandon'): Promise<void> {
    stopping.abort();
    await begun.catch(() => {});
    clearInterval(timer);
    await Promise.all([going, storing]);
    ready?.set(0);
    if (how === 'close') await removeWorker(db, id).catch(() => {});
    await tasks?.[how]();
  }
  return {
    begun,
    notes: () => {
      const reason = fault();
      return reason === undefined ? (tasks?.warnings ?? []) : [unable(reason)];
    },
    fault,
    wake: () => tasks?.wake(),
    close: () => end('close'),
    abandon: () => end('abandon'),
  };
}

const CANNOT = 'tasks cannot be carried out here and wait; trying again';
const WORKS = 'tasks are carried out now';

const unable = (reason: string) =>
  `This server carries out no tasks: ${reason} They wait until it can.`;

/** An error as people should read it. */
function sentenceOf(error: unknown): string {
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'The disk of DATA_DIR is full: free some of it.';
  if (code !== undefined && path !== undefined)
    return `${path} cannot be used by this user (${code}): change its permissions, or choose another DATA_DIR.`;
  if (error instanceof DatabaseUnavailable) return 'The database does not answer.';
  return message.endsWith('.') ? message : `${message}.`;
}

/** Is 0 until it is set: to 1 while this process carries out tasks. */
export const measureReadiness = (registry: Registry): Gauge =>
  new Gauge({
    name: 'guildhall_task_worker_ready',
    help: '1 if this process carries out tasks, 0 if it cannot: its log says why',
    registers: [registry],
  });
