import type { Database } from '../db/database/database.ts';
import type { HashKey } from './authenticate.ts';
import type { Caller } from './caller.ts';
import type { KnownUsers } from './known-users.ts';
import type { RateLimits } from './rate-limit.ts';
import type { Slots } from './server/overload.ts';

/** A denied attempt, for the audit trail (ruling 1.17). */
interface DeniedAttempt {
  caller: Caller;
  action: string;
  target: string;
  organizationId: string | undefined;
  projectId: string | undefined;
  taskId: string | undefined;
  code: string;
  requestId: string;
  forOperators: boolean | undefined;
}

/** What requests need from the rest of the server. */
export interface PipelineDeps {
  db: Database;
  limits: RateLimits;
  slots: Slots;
  hashKey: HashKey;
  /** The address at which people reach this server; cookies are bound to it. */
  publicUrl: string;
  knownUsers: KnownUsers;
  /** Called for every request whose credential the database accepted. */
  credentialUsed(caller: Caller): void;
  recordDenied(attempt: DeniedAttempt): Promise<void>;
}
