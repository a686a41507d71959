import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { openLoopWhenDue } from '../loop-when-due.ts';
import { compose } from './compose.ts';
import {
  DeliveryError,
  type Mailbox,
  type QueuedMail,
  type Renderers,
  type Transport,
} from './mail.ts';
import { claim, end, fail, isDue, MAX_ATTEMPTS, renew } from './outbox.ts';

/** Sends the mail of the outbox. Any number of processes may do so. */
export interface MailWork {
  /** Sends everything that is due, and waits for it. */
  round(): Promise<void>;
  /** Looks for mail every second, until `close`. */
  start(): void;
  /** Claims no more, gives running attempts a few seconds, then cuts them off. */
  close(): Promise<void>;
}

/** What the metrics count: one call for each attempt. */
export interface MailObserver {
  onAttempt(result: 'sent' | 'deferred' | 'dead' | 'obsolete'): void;
}

export interface MailOptions {
  transport: Transport;
  renderers: Renderers;
  from: Mailbox;
  log: Logger;
  observer?: MailObserver | undefined;
  /** How long one attempt may take in all, in milliseconds: the lease is renewed meanwhile. */
  sendWithin?: number;
  /** How long `close` waits for running attempts, in milliseconds. */
  finishWithin?: number;
}

const POLL_EVERY_MS = 1_000;
/** A server may take ten minutes to answer a message that it has. */
const SEND_WITHIN_MS = 12 * 60_000;
const RENEW_EVERY_MS = 30_000;
/** Mails that one process sends at once; the transport has as many connections. */
export const CONCURRENCY = 2;
/** After a failure of the server or the database, this long at first, doubled each time. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
const SAVE_ATTEMPTS = 5;

/**
 * A mail is claimed in one short statement, sent outside of any transaction, and marked afterwards.
 * A process that dies in between leaves it claimed; when the lease ends, another one sends it again
 * with the same Message-ID. While the server itself fails, this process rests, so that an outage
 * does not cost every mail its attempts.
 */
export function mailWork(db: Database, options: MailOptions): MailWork {
  const { transport, renderers, from, log, observer, sendWithin = SEND_WITHIN_MS } = options;
  const kinds = Object.keys(renderers);
  const running = new Set<Promise<void>>();
  const closing = new AbortController();
  let closed = false;
  /** By a clock that nobody sets. */
  let restUntil = 0;
  let failures = 0;

  /** Sends one mail after the other, until none is due. */
  async function work(): Promise<void> {
    while (!closed && performance.now() >= restUntil) {
      const mail = await claim(db, kinds).catch((err) => {
        log.warn({ err }, 'mail: failed; trying again');
        rest();
      });
      if (mail === undefined) return;
      poll(); // There may be more, for the other places.
      await attempt(mail);
    }
  }

  function poll(): void {
    if (closed || running.size >= CONCURRENCY) return;
    const place: Promise<void> = work().finally(() => running.delete(place));
    running.add(place);
  }

  function rest(): void {
    restUntil = performance.now() + Math.min(FIRST_REST_MS * 2 ** failures, LONGEST_REST_MS);
    failures += 1;
  }

  async function attempt(mail: QueuedMail): Promise<void> {
    const said = { mail: mail.id, kind: mail.kind, attempt: mail.attempts };
    const renewal = setInterval(
      // The next one may succeed: the lease is longer than several.
      () => void renew(db, mail).catch((err) => log.warn({ ...said, err }, 'mail: failed')),
      RENEW_EVERY_MS,
    ).unref();
    try {
      const outcome = await deliver(mail).catch((error: unknown) => refusal(error));
      // Cut off by `close`: whether the server took it is unknown. The next worker sends it again.
      if (typeof outcome === 'object' && closing.signal.aborted) return;
      if (typeof outcome === 'string') {
        failures = 0;
        await save(() => end(db, mail, outcome));
        observer?.onAttempt(outcome);
        log.info(said, outcome === 'sent' ? 'mail sent' : 'mail is obsolete and was not sent');
      } else {
        const result = await save(() => fail(db, mail, outcome));
        observer?.onAttempt(result);
        // A server's answer often repeats the address, which does not belong in the log.
        log.warn(
          { ...said, ...outcome.details },
          result === 'dead'
            ? 'mail is dead: see `guildhall mail list`'
            : 'mail was not sent; trying again later',
        );
      }
    } catch (err) {
      if (closing.signal.aborted) return;
      log.warn({ ...said, err }, 'the outcome of a mail could not be stored; it is sent again');
    } finally {
      clearInterval(renewal);
    }
  }

  async function deliver(mail: QueuedMail): Promise<'sent' | 'obsolete'> {
    if (mail.attempts > MAX_ATTEMPTS) throw NO_OUTCOME;
    const content = await renderers[mail.kind]?.(mail);
    if (content === undefined || content === 'obsolete') return 'obsolete';
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(sendWithin)]);
    await transport.send(compose(mail, content, from), signal);
    return 'sent';
  }

  function refusal(err: unknown): { reason: string; permanent: boolean; details?: object } {
    const known = err instanceof DeliveryError;
    if (known && err.concerns === 'message') failures = 0;
    else rest();
    if (known) return { reason: err.message, permanent: err.permanent };
    // An error of this program or its database: the log has all of it.
    return { reason: UNKNOWN, permanent: false, details: { err } };
  }

  /**
   * Stores an outcome, even if the database is away for a moment: no mail is sent twice for that.
   */
  async function save<Result>(store: () => Promise<Result>): Promise<Result> {
    for (let tried = 1; ; tried++) {
      try {
        return await store();
      } catch (error) {
        if (tried === SAVE_ATTEMPTS) throw error;
      }
      await pause(1_000 * tried, undefined, { signal: closing.signal });
    }
  }

  const loop = openLoopWhenDue(async () => poll(), {
    every: POLL_EVERY_MS,
    what: 'mail: polling for it',
    log,
    db,
    due: sql`exists (select from mail where ${isDue(kinds)})`,
  });

  return {
    round: async () => {
      restUntil = 0;
      poll();
      while (running.size > 0) await Promise.all(running);
    },
    start: () => loop.start(),
    close: async () => {
      closed = true;
      void loop.stop();
      const finished = Promise.all(running);
      const limit = new AbortController();
      await Promise.race([
        finished,
        pause(options.finishWithin ?? 5_000, undefined, { signal: limit.signal }).catch(() => {}),
      ]);
      limit.abort();
      closing.abort();
      transport.close();
      await finished;
    },
  };
}

const UNKNOWN = 'The mail could not be made or handed over: see the log of the server.';

const NO_OUTCOME = new DeliveryError(
  'The server ended during the last attempt, so its outcome is unknown.',
  { permanent: true, concerns: 'message' },
);
