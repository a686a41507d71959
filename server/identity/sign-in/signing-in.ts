import type { Database } from '../../db/database/database.ts';
import type { Outcomes } from './outcomes.ts';
import type { Passwords } from './passwords.ts';

/** What an operation needs that signs someone in by what they know. */
export interface SigningIn {
  db: Database;
  publicUrl: string;
  passwords: Passwords;
  outcomes: Outcomes;
}
