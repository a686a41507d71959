import type { Logger } from 'pino';
import type { Database } from '../db/database/database.ts';
import { readVapidKey } from '../identity/notifications/push/sealed-push.ts';
import { sendPushes } from '../identity/notifications/push/send-pushes.ts';
import type { Config } from '../platform/config/config.ts';
import { openOutgoing } from '../platform/outgoing/outgoing.ts';
import { CannotOpen, openSealing } from '../platform/sealing/sealing.ts';

/** The key for push is there from the first start on, so that it tells of all that is sealed. */
export const OTHER_SECRET =
  'SERVER_SECRET is another one than that of the servers before, so what they have sealed does not ' +
  'open, and browsers are not told of tasks: set theirs, or see guildhall doctor';

/**
 * What tells browsers; undefined if the key of these servers does not open, because their secret was
 * replaced without `guildhall secrets rotate`: everything else goes on.
 */
export async function openPushes(
  db: Database,
  config: Pick<Config, 'webhooks' | 'mail' | 'previousServerSecret'>,
  { serverSecret, log }: { serverSecret: string; log: Logger },
): Promise<(() => Promise<void>) | undefined> {
  const sealing = openSealing(
    { current: serverSecret, previous: config.previousServerSecret },
    'push',
  );
  try {
    return sendPushes(db, {
      outgoing: openOutgoing(config.webhooks),
      sealing,
      vapid: await readVapidKey(db, sealing),
      subject: `mailto:${config.mail.from.address}`,
      log,
    });
  } catch (err) {
    if (!(err instanceof CannotOpen)) throw err;
    log.error({ err }, OTHER_SECRET);
    return undefined;
  }
}
