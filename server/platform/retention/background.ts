import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../db/database/database.ts';
import type { RetentionRule } from '../../db/retention-rule.ts';
import { type Loop, openLoop } from '../loop.ts';
import { claimRetention, releaseRetention, renewRetention } from './lease.ts';
import { removeOld } from './remove-old.ts';

const POLL_EVERY_MS = 30_000;
const RENEW_EVERY_MS = 20_000;

interface RetentionOptions {
  log: Logger;
  /** Some of it failed, and is tried again within the hour. */
  onFailure?: ((work: string) => void) | undefined;
}

/** Removes what is old, once an hour in one of all processes, until it is stopped. */
export function retentionWork(
  db: Database,
  rules: readonly RetentionRule[],
  { log, onFailure }: RetentionOptions,
): Loop {
  const holder = randomUUID();
  let stopped = false;
  const loop = openLoop(work, { every: POLL_EVERY_MS, what: 'removing what is old', log });

  async function work(): Promise<void> {
    if (stopped || !(await claimRetention(db, holder))) return;
    let lost = false;
    const renewal = setInterval(
      () =>
        void renewRetention(db, holder).then(
          (held) => {
            lost = !held;
          },
          // The next one may succeed: the lease is longer than several.
          (err) => log.warn({ err }, 'removing what is old: the lease was not renewed'),
        ),
      RENEW_EVERY_MS,
    ).unref();
    try {
      for (const { rule, removed, failure } of await removeOld(db, rules, () => !(stopped || lost)))
        if (failure !== undefined) {
          log.warn({ err: failure, removed }, `${rule.name}: not all that is old was removed`);
          onFailure?.(rule.name);
        } else if (removed > 0) log.info({ removed }, `${rule.name}: what was old is removed`);
    } finally {
      clearInterval(renewal);
      await releaseRetention(db, holder, !stopped);
    }
  }

  return {
    ...loop,
    stop: () => {
      stopped = true;
      return loop.stop();
    },
  };
}
