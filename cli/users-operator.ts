import type { Command } from 'commander';
import type { Database } from '../server/db/database/database.ts';
import { addOperator, lockOperators, removeOperator } from '../server/identity/users/operators.ts';
import { lockUser, type UserRef, type UserRow } from '../server/identity/users/users.ts';
import { type Cli, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';
import { readUserRef, unknownUser } from './user-ref.ts';

interface Options {
  json?: boolean;
  remove?: boolean;
  last?: boolean;
}

/** `guildhall users operator USER`: lets a person operate the server by its page `/operator`. */
export function addOperatorCommand(users: Command, cli: Cli): void {
  withJson(users.command('operator'))
    .description('let a person operate this server by its page /operator, or with --remove no more')
    .argument('<user>', 'their email address or id', readUserRef)
    .option('--remove', 'they are no operator any more, from their next request on')
    .option('--last', 'with --remove, also the last one')
    .action(async (ref: UserRef, { json, remove = false, last = false }: Options) => {
      const { user, changed } = await withDatabase(cli.readConfig(), (db) =>
        remove ? removeFrom(db, ref, last) : addTo(db, ref),
      );
      const { id, email } = user;
      const is = remove ? 'no operator' : 'an operator';
      const text = changed
        ? `${email} is ${is} now.${remove ? '' : NEXT}`
        : `${email} is ${is} already.`;
      cli.print(json, { user_id: id, email, is_operator: !remove, changed }, text);
    });
}

const NEXT =
  ' They find the page /operator from their account. It gives them no right on what is in\n' +
  'workspaces. They should set up a second factor: their account can let anybody in.';

type Changed = { user: UserRow; changed: boolean };

const addTo = (db: Database, ref: UserRef): Promise<Changed> =>
  db.transaction(async (tx) => {
    const user = await lockUser(tx, ref);
    if (user === undefined) throw unknownUser(ref);
    if (user.kind !== 'person')
      throw new Failure('A service account cannot be an operator: it acts for one workspace.');
    if (!user.is_active)
      throw new Failure(
        `${user.email} is deactivated: use \`users activate ${user.email}\` first.`,
      );
    const changed = await addOperator(tx, user.id);
    if (changed) await recordFromCli(tx, { action: 'operator.add', target: user.id });
    return { user, changed };
  });

const removeFrom = (db: Database, ref: UserRef, last: boolean): Promise<Changed> =>
  db.transaction(async (tx) => {
    const operators = await lockOperators(tx);
    const user = await lockUser(tx, ref);
    if (user === undefined) throw unknownUser(ref);
    if (!last && operators.length === 1 && operators[0]?.user_id === user.id)
      throw new Failure(
        `${user.email} is the last operator: make somebody else one first, or add --last.`,
      );
    const changed = await removeOperator(tx, user.id);
    if (changed) await recordFromCli(tx, { action: 'operator.remove', target: user.id });
    return { user, changed };
  });
