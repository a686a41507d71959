import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { TasksAtWork, TasksNeed } from './start-tasks.ts';

/** Between two attempts to begin. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Carries out tasks beside the API, which neither waits for that nor fails with it. While no agent
 * can work here, for example because a folder cannot be written, turns wait in the queue: the log
 * says once what is missing, the metric is 0, and it is tried again every minute.
 */
export function serveTasks(config: Config, deps: TasksNeed): TasksAtWork {
  const { log, registry } = deps;
  const ready = registry && measureReadiness(registry);
  const stopping = new AbortController();
  let tasks: TasksAtWork | undefined;

  async function begin(): Promise<void> {
    let logged: string | undefined;
    while (!stopping.signal.aborted) {
      try {
        // Loaded only where tasks are carried out, and after the server has begun to answer.
        const { startTasks } = await import('./start-tasks.ts');
        tasks = await startTasks(config, deps);
        ready?.set(1);
        if (logged !== undefined) log.info('tasks are carried out now');
        return;
      } catch (err) {
        const { message } = err as Error;
        if (message !== logged)
          log.error({ err }, 'tasks cannot be carried out here and wait; trying again each minute');
        logged = message;
      }
      const { signal } = stopping;
      await pause(AGAIN_AFTER_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  }
  const begun = begin();

  async function end(how: 'close' | 'abandon'): Promise<void> {
    stopping.abort();
    await begun;
    ready?.set(0);
    await tasks?.[how]();
  }
  return { wake: () => tasks?.wake(), close: () => end('close'), abandon: () => end('abandon') };
}

/** Is 0 until it is set: to 1 once this process carries out tasks. */
export const measureReadiness = (registry: Registry): Gauge =>
  new Gauge({
    name: 'guildhall_task_worker_ready',
    help: '1 if this process carries out tasks, 0 if it cannot: its log says why',
    registers: [registry],
  });
