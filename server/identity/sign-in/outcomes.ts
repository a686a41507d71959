import { Counter, type Registry } from 'prom-client';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { ApiError } from '../../http/errors.ts';
import type { BegunBy } from './session.ts';

/** What is tried, and the code of an error that refuses it. */
type Tried = BegunBy | 'second_factor' | 'proof';

/** Counts attempts to sign in, and records the refused ones. */
export interface Outcomes {
  done(by: Tried, pending?: boolean): void;
  /** Refused without being looked at: too many passwords are being checked. */
  busy(): void;
  /** Not the person's fault: a provider is down, or its settings are wrong. */
  failed(by: Tried): void;
  /** Counts what an operation of a session comes to. The pipeline records refused ones. */
  counted<Result>(by: Tried, work: Promise<Result>): Promise<Result>;
  /** `userId`: of the person whom it was about, if there is one. */
  refused(
    by: Tried,
    code: string,
    attempt: { userId: string | undefined; network: string; requestId: string },
  ): void;
}

/**
 * A refused attempt is recorded after it was answered: only a person who exists has a record, and
 * the time of the answer must not say so.
 */
export function signInOutcomes(
  db: Pick<Database, 'many'>,
  registry: Registry | undefined,
  onError: (error: unknown) => void,
): Outcomes {
  const counter =
    registry &&
    new Counter({
      name: 'guildhall_sign_ins_total',
      help: 'Attempts to sign in, by what was tried and how it ended',
      labelNames: ['by', 'outcome'],
      registers: [registry],
    });
  const count = (by: Tried, outcome: string) => counter?.inc({ by, outcome });
  return {
    done: (by, pending = false) => count(by, pending ? 'pending' : 'done'),
    busy: () => count('password', 'busy'),
    failed: (by) => count(by, 'failed'),
    counted: async (by, work) => {
      try {
        const result = await work;
        count(by, 'done');
        return result;
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) count(by, 'refused');
        throw error;
      }
    },
    refused: (by, code, { userId, network, requestId }) => {
      count(by, 'refused');
      if (userId === undefined) return;
      setImmediate(() => {
        db.many(sql`
          insert into audit_event (action, outcome, code, target_id, after, request_id)
          values ('session.create', 'refused', ${code}, ${userId}, ${{ by, network }},
                  ${requestId})`).catch(onError);
      });
    },
  };
}
