import type { Command } from 'commander';
import { removeSecondFactors } from '../server/identity/sign-in/second-factors.ts';
import { lockUser, type UserRef } from '../server/identity/users/users.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { recordFromCli } from './record.ts';
import { readUserRef, unknownUser } from './user-ref.ts';

/** `guildhall users reset-two-factor USER`: for a person who has lost every second factor. */
export function addResetTwoFactor(users: Command, cli: Cli): void {
  withJson(users.command('reset-two-factor'))
    .description(
      'remove the authenticator app, the passkeys and the recovery codes of a user, and end their sessions',
    )
    .argument('<user>', 'their email address or id', readUserRef)
    .action(async (ref: UserRef, { json }: { json?: boolean }) => {
      const { user, removed } = await withDatabase(cli.readConfig(), (db) =>
        db.transaction(async (tx) => {
          const found = await lockUser(tx, ref);
          if (found === undefined) throw unknownUser(ref);
          const { id } = found;
          const done = await removeSecondFactors(tx, id);
          await recordFromCli(tx, { action: 'user.reset_two_factor', target: id, after: done });
          return { user: found, removed: done };
        }),
      );
      const text = `${user.email} has no second factor any more and is signed out everywhere. They sign in with
their password, or by a link in their mail. Workspaces that require two factors are closed to them
until they add one. First make sure that it was they who asked for this.`;
      cli.print(json, { user_id: user.id, email: user.email, ...removed }, text);
    });
}
