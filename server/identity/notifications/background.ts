import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { openLoopWhenDue } from '../../platform/loop-when-due.ts';
import { makeMails, routeNotifications } from './route-notifications.ts';

/** Tells people what has happened to tasks. Any number of processes may do so. */
interface NotificationWork {
  /** Does everything that is due, and waits for it. */
  round(): Promise<void>;
  /** Looks twice a second, until `close`. */
  start(): void;
  close(): Promise<void>;
}

interface NotificationOptions {
  /** Whether mail can be sent: without a mail server, none is made. */
  mails: boolean;
  /** Sends what browsers are told; it resolves once nothing is due. */
  sendPushes?: (() => Promise<void>) | undefined;
  log: Logger;
}

const EVERY_MS = 500;

/**
 * Events become notifications, and these become mails in the outbox of all mail and messages to
 * browsers. Each step is one transaction that a killed process leaves undone.
 */
export function notificationWork(
  db: Database,
  { mails, sendPushes, log }: NotificationOptions,
): NotificationWork {
  let closed = false;
  const routing = openLoopWhenDue(
    async () => {
      while (!closed && (await routeNotifications(db, { mails })) > 0) pushing.wake();
      while (!closed && mails && (await makeMails(db)) > 0);
    },
    {
      every: EVERY_MS,
      what: 'the making of notifications',
      log,
      db,
      due: mails
        ? sql`(exists (select from notification_event)
               or exists (select from notification_thread where due_at <= now()))`
        : sql`exists (select from notification_event)`,
    },
  );
  const pushing = openLoopWhenDue(async () => sendPushes?.(), {
    every: EVERY_MS,
    what: 'the sending of notifications to browsers',
    log,
    db,
    due: sql`exists (select from push_message where due_at <= now())`,
  });
  return {
    async round() {
      routing.wake();
      await routing.settled();
      pushing.wake();
      await pushing.settled();
    },
    start() {
      routing.start();
      pushing.start();
    },
    async close() {
      closed = true;
      await Promise.all([routing.stop(), pushing.stop()]);
    },
  };
}
