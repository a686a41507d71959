import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { openLoopWhenDue } from '../loop-when-due.ts';
import {
  type Claimed,
  claim,
  nextDelivery,
  type Outcome,
  QUEUE_IS_DUE,
  record,
  release,
} from './queue.ts';
import { routeEvents } from './route-events.ts';
import { type SendNeeds, SLOW_MS, send } from './send.ts';

/** Sends what webhooks are to hear. Any number of processes may do so. */
interface WebhookWork {
  /** Sends everything that is due, and waits for it. */
  round(): Promise<void>;
  /** Polls for events and deliveries twice a second, until `close`. */
  start(): void;
  /** Claims no more, gives running attempts a few seconds, then cuts them off. */
  close(): Promise<void>;
}

/** Is told what came of each attempt of this process. */
export interface WebhookObserver {
  onAttempt(result: Outcome['result']): void;
}

export interface WebhookOptions extends Omit<SendNeeds, 'signal'> {
  log: Logger;
  observer?: WebhookObserver | undefined;
  /** How long `close` waits for running attempts, in milliseconds. */
  finishWithin?: number;
}

const POLL_EVERY_MS = 500;
/**
 * Requests at once: to endpoints that answered quickly the last time, of which one that takes longer
 * counts no more; to the others, whatever the first do; and in all.
 */
const LIMITS = { quick: 64, slow: 32, all: 256 };

type Queue = 'quick' | 'slow';

/**
 * Endpoints wait in two queues, by how they answered the last time, and each queue has a limit of its
 * own. One that turns slow leaves the quick queue while it is waited for, so that a hundred of them
 * hold up the others for a second at most.
 */
export function webhookWork(db: Database, options: WebhookOptions): WebhookWork {
  const { log } = options;
  const running = new Set<Promise<void>>();
  const active = { quick: 0, slow: 0 };
  const closing = new AbortController();
  let closed = false;
  const every = POLL_EVERY_MS;
  const deliveries = openLoopWhenDue(beginDue, {
    every,
    what: 'the delivery of webhooks',
    log,
    db,
    due: sql`exists (select from webhook_queue where ${QUEUE_IS_DUE})`,
  });
  const events = openLoopWhenDue(routeAll, {
    every,
    what: 'the routing of events to webhooks',
    log,
    db,
    due: sql`exists (select from webhook_event)`,
  });

  async function routeAll(): Promise<void> {
    while (!closed && (await routeEvents(db)) > 0) deliveries.wake();
  }

  async function beginDue(): Promise<void> {
    for (const queue of ['slow', 'quick'] as const) {
      const most = Math.min(LIMITS[queue] - active[queue], LIMITS.all - running.size);
      if (closed || most <= 0) continue;
      for (const one of await claim(db, { slow: queue === 'slow', most })) begin(one, queue);
    }
  }

  function begin(claimed: Claimed, queue: Queue): void {
    active[queue] += 1;
    let counts = true;
    const leave = () => {
      if (counts) active[queue] -= 1;
      counts = false;
      deliveries.wake();
    };
    const turning = queue === 'quick' ? setTimeout(leave, SLOW_MS) : undefined;
    const work: Promise<void> = carryOut(claimed)
      .catch((err: unknown) => {
        // Its lease ends, and another process sends the delivery again.
        if (!closing.signal.aborted)
          log.warn({ err, endpoint: claimed.endpointId }, 'a webhook could not be delivered');
      })
      .finally(() => {
        clearTimeout(turning);
        running.delete(work);
        leave();
      });
    running.add(work);
  }

  async function carryOut(claimed: Claimed): Promise<void> {
    const due = await nextDelivery(db, claimed);
    if (due === undefined) return release(db, claimed);
    const outcome = await send(due, { ...options, signal: closing.signal });
    options.observer?.onAttempt(outcome.result);
    const { switchedOff } = await record(db, claimed, due, outcome);
    if (switchedOff)
      log.info({ endpoint: claimed.endpointId }, 'a webhook was switched off: see its deliveries');
  }

  return {
    async round() {
      events.wake();
      deliveries.wake();
      for (;;) {
        await events.settled();
        await deliveries.settled();
        if (running.size === 0) return;
        await Promise.all(running);
      }
    },
    start() {
      events.start();
      deliveries.start();
    },
    async close() {
      closed = true;
      const finished = Promise.all([events.stop(), deliveries.stop()]).then(() =>
        Promise.all(running),
      );
      const limit = new AbortController();
      await Promise.race([
        finished,
        pause(options.finishWithin ?? 5_000, undefined, { signal: limit.signal }).catch(() => {}),
      ]);
      limit.abort();
      closing.abort();
      await finished;
    },
  };
}
