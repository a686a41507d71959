import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { type Claimed, claim, nextDelivery, record, release } from './queue.ts';
import { routeEvents } from './route-events.ts';
import { type SendNeeds, SLOW_MS, send } from './send.ts';

/** Sends what webhooks are to hear. Any number of processes may do so. */
export interface WebhookWork {
  /** Sends everything that is due, and waits for it. */
  round(): Promise<void>;
  /** Looks for events and deliveries twice a second, until `close`. */
  start(): void;
  /** Claims no more, gives running attempts a few seconds, then cuts them off. */
  close(): Promise<void>;
}

export interface WebhookOptions extends Omit<SendNeeds, 'signal'> {
  log: Logger;
  /** How long `close` waits for running attempts, in milliseconds. */
  finishWithin?: number;
  /** Requests at once in each line. */
  places?: Places;
}

interface Places {
  /** Of endpoints that answered at once the last time; one that takes longer leaves its place. */
  quick: number;
  /** Of those that did not, whatever the others do. */
  slow: number;
  /** In all. */
  most: number;
}

const LOOK_EVERY_MS = 500;
const PLACES: Places = { quick: 64, slow: 32, most: 256 };

/**
 * Endpoints stand in two lines, by how they answered the last time, and each line has places of its
 * own. One that turns slow gives its place in the quick line away while it is waited for, so that a
 * hundred of them hold up the others for a second at most.
 */
export function webhookWork(db: Database, options: WebhookOptions): WebhookWork {
  const { log, places = PLACES } = options;
  const running = new Set<Promise<void>>();
  const taken = { quick: 0, slow: 0 };
  const closing = new AbortController();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let routes = false;
  let failing = false;

  async function look(): Promise<void> {
    try {
      const fresh = routes;
      routes = false;
      while (fresh && !closed && (await routeEvents(db)) > 0) await claimFor('quick');
      await claimFor('slow');
      await claimFor('quick');
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'webhooks: failed; trying again');
      failing = true;
    }
  }

  async function claimFor(line: 'quick' | 'slow'): Promise<void> {
    const most = Math.min(places[line] - taken[line], places.most - running.size);
    if (closed || most <= 0) return;
    const claims = await claim(db, { slow: line === 'slow', most });
    for (const one of claims) begin(one, line);
  }

  function begin(claimed: Claimed, line: 'quick' | 'slow'): void {
    taken[line] += 1;
    let holds = true;
    const leave = () => {
      if (holds) taken[line] -= 1;
      holds = false;
      wake();
    };
    const turning = line === 'quick' ? setTimeout(leave, SLOW_MS) : undefined;
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
    const { switchedOff } = await record(db, claimed, due, outcome);
    if (switchedOff)
      log.info({ endpoint: claimed.endpointId }, 'a webhook was switched off: see its deliveries');
  }

  function wake(): void {
    if (closed) return;
    again = true;
    looking ??= (async () => {
      while (again && !closed) {
        again = false;
        await look();
      }
    })().finally(() => {
      looking = undefined;
    });
  }

  /** Looks for events, too; a place that has become free asks for deliveries alone. */
  function tick(): void {
    routes = true;
    wake();
  }

  return {
    async round() {
      tick();
      while (looking !== undefined || running.size > 0) await Promise.all([looking, ...running]);
    },
    start() {
      timer ??= setInterval(tick, LOOK_EVERY_MS).unref();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      const finished = Promise.all([looking, ...running]);
      const limit = new AbortController();
      await Promise.race([
        finished,
        pause(options.finishWithin ?? 5_000, undefined, { signal: limit.signal }).catch(() => {}),
      ]);
      limit.abort();
      closing.abort();
      await Promise.all([looking, ...running]);
    },
  };
}
