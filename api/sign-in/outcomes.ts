import { Counter, type Registry } from 'prom-client';
import type { Database } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import type { BegunBy } from './session.ts';

/** What is tried, and the code of an error that refuses it. */
type Tried = BegunBy | 'second_factor' | 'proof';

/** Counts attempts to sign in, and records the refused ones. */
export interface Outcomes {
  done(by: Tried, pending?: boolean): void;
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
  return {
    done: (by, pending = false) => counter?.inc({ by, outcome: pending ? 'pending' : 'done' }),
    refused: (by, code, { userId, network, requestId }) => {
      counter?.inc({ by, outcome: 'refused' });
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
