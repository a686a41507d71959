import type { Command } from 'commander';
import type { Database } from '../server/db/database/database.ts';
import { createSignInLink, LINK_MINUTES } from '../server/identity/sign-in/sign-in-link.ts';
import { lockUser, type UserRef, type UserRow } from '../server/identity/users/users.ts';
import { addressOf } from './address.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';
import { readUserRef, unknownUser } from './user-ref.ts';

/** `guildhall users link USER`: prints a link that signs the user in once. */
export function addLink(users: Command, cli: Cli): void {
  withJson(users.command('link'))
    .description(
      `print a link that signs the user in once, within ${LINK_MINUTES} minutes; it replaces their earlier one`,
    )
    .argument('<user>', 'their email address or id', readUserRef)
    .action(async (ref: UserRef, { json }: { json?: boolean }) => {
      const config = cli.readConfig();
      const address = await addressOf(config);
      const { user, token, expiresAt } = await withDatabase(config, (db) => makeLink(db, ref));
      const link = `${address}/links/${token}`;
      const { id, email } = user;
      const text = `${link}

Whoever opens this link can sign in as ${email}, once, until ${clock(expiresAt)} UTC: give it to
no one else. It is not shown again. It leads to the server at ${address}: where people
reach yours at another address, run this with the PUBLIC_URL, or the PORT, of the server.`;
      cli.print(json, { user_id: id, email, link, expires_at: expiresAt }, text);
    });
}

function makeLink(
  db: Database,
  ref: UserRef,
): Promise<{ user: UserRow; token: string; expiresAt: Date }> {
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, ref);
    if (user === undefined) throw unknownUser(ref);
    if (user.kind === 'service')
      throw new Failure(
        `${user.email} is a service account: nobody signs in as it. Its keys are made by the owner and admins of its workspace.`,
      );
    if (!user.is_active)
      throw new Failure(
        `${user.email} is deactivated: to let them in again, use \`users activate ${user.email}\` first.`,
      );
    const { id, token, expiresAt } = await createSignInLink(tx, user.id);
    const after = { sign_in_link_id: id, expires_at: expiresAt };
    await recordFromCli(tx, { action: 'sign_in_link.create', target: user.id, after });
    return { user, token, expiresAt };
  });
}

const clock = (time: Date): string => time.toISOString().slice(0, 16).replace('T', ' ');
