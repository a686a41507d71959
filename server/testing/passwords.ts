import { sql } from '../db/sql.ts';
import { passwords } from '../identity/sign-in/passwords.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';

/** A password that is good enough. */
export const PASSWORD = 'vexing-lamp-otter-41';

const hasher = passwords();
let phc: Promise<string> | undefined;

/** Gives people a password: PASSWORD. */
export async function givePassword({ db }: Pick<Harness, 'db'>, ...users: Pick<User, 'id'>[]) {
  phc ??= hasher.hash(PASSWORD);
  for (const { id } of users)
    await db.many(sql`insert into password (user_id, phc) values (${id}, ${await phc})`);
}
