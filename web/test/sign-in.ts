import { hash, randomBytes } from 'node:crypto';
import { sql } from '../../server/db/sql.ts';
import type { Harness } from '../../server/testing/harness/harness.ts';

/**
 * A session of this user, as sign-in begins it: the text of its `Cookie` header. One that is
 * `proven` may do what is dangerous.
 */
export async function signIn(
  { db }: Pick<Harness, 'db'>,
  user: { id: string },
  { pending = false, proven = false } = {},
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db.many(sql`
    insert into session (user_id, token_hash, pending, proven_at, expires_at)
    values (${user.id}, ${hash('sha256', token, 'buffer')}, ${pending},
            case when ${proven} then now() end, now() + interval '1 hour')`);
  return `guildhall=${token}`;
}
