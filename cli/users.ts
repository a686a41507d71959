import { type Command, InvalidArgumentError } from 'commander';
import type { Database } from '../server/db/database/database.ts';
import { readEmail } from '../server/http/input/readers/email.ts';
import type { ScalarReader } from '../server/http/input/readers/reader.ts';
import { nameReader } from '../server/http/input/readers/text.ts';
import {
  activateUser,
  createUser,
  type Deactivation,
  deactivateUser,
  listUsers,
  type UserRef,
  type UserRow,
} from '../server/identity/users/users.ts';
import { type Cli, table, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';
import { readUserRef, unknownUser } from './user-ref.ts';
import { addLink } from './users-link.ts';
import { addOperatorCommand } from './users-operator.ts';
import { addResetTwoFactor } from './users-reset-two-factor.ts';
import { clean } from './world/clean.ts';

type Json = { json?: boolean };

const LIMIT = 50;
const LARGEST_LIMIT = 1000;

/** `guildhall users …`: people, as the operator manages them. */
export function addUsers(program: Command, cli: Cli): void {
  const users = program
    .command('users')
    .usage('<command> [options]')
    .helpCommand(false)
    .description(
      'create, list, deactivate and activate users, let them sign in, and make operators',
    );
  withJson(users.command('create'))
    .description('create a user, who can then be given a key with `keys create`')
    .requiredOption('--email <email>', "the user's email address", readWith(readEmail))
    .requiredOption(
      '--name <name>',
      'as others see it',
      readWith(nameReader({ maxLength: 200, minLength: 1 })),
    )
    .action(async ({ json, email, name }: Json & { email: string; name: string }) => {
      const user = await withDatabase(cli.readConfig(), (db) => create(db, { email, name }));
      const text = `Created ${user.email} with the id ${user.id}. To create an API key for them:

  npm run guildhall -- keys create --email ${user.email} --name laptop`;
      cli.print(json, shown(user), text);
    });
  withJson(users.command('list'))
    .description('list users by address')
    .option('--q <text>', 'only users with this in their address or name', clean)
    .option('--limit <count>', `how many at most, up to ${LARGEST_LIMIT}`, readLimit, LIMIT)
    .option('--after <email>', 'only users after this address: the next page')
    .action(async (options: Json & { q?: string; limit: number; after?: string }) => {
      const { json, limit, ...rest } = options;
      // One more than the page; if it is there, a next page exists.
      const found = await withDatabase(cli.readConfig(), (db) =>
        listUsers(db, { ...rest, limit: limit + 1 }),
      );
      const rows = found.slice(0, limit);
      const next = found.length > limit ? rows.at(-1)?.email : undefined;
      cli.print(json, { users: rows.map(shown), ...(next && { next }) }, asTable(rows, next));
    });
  addLink(users, cli);
  addResetTwoFactor(users, cli);
  addOperatorCommand(users, cli);
  withJson(users.command('deactivate'))
    .description('end the access of a user: their keys are revoked and their sessions end')
    .argument('<user>', 'their email address or id', readUserRef)
    .action(async (ref: UserRef, { json }: Json) => {
      const done = await withDatabase(cli.readConfig(), (db) => deactivate(db, ref));
      const { user, changed, keysRevoked, sessionsEnded, owns } = done;
      const result = {
        ...shown(user),
        changed,
        keys_revoked: keysRevoked,
        sessions_ended: sessionsEnded,
        owned_workspaces: owns,
      };
      cli.print(json, result, aboutDeactivation(done));
    });
  withJson(users.command('activate'))
    .description('let a deactivated user in again; they need new keys')
    .argument('<user>', 'their email address or id', readUserRef)
    .action(async (ref: UserRef, { json }: Json) => {
      const { user, changed } = await withDatabase(cli.readConfig(), (db) => activate(db, ref));
      const text = changed
        ? `Activated ${user.email}. Their former keys stay revoked. To create a new one:

  npm run guildhall -- keys create --email ${user.email} --name laptop`
        : `${user.email} is active already.`;
      cli.print(json, { ...shown(user), changed }, text);
    });
}

function create(db: Database, user: { email: string; name: string }): Promise<UserRow> {
  if (user.email.toLowerCase().endsWith('@service.invalid'))
    throw new Failure(
      'Addresses at service.invalid are those of service accounts, which have no mailbox: give the address of a person. ' +
        'Service accounts are made in the dashboard, in the settings of their workspace.',
    );
  return db.transaction(async (tx) => {
    const created = await createUser(tx, user);
    if (created === undefined)
      throw new Failure(
        `A user already has the email address ${user.email}: ` +
          `\`users list --q ${user.email}\` shows them.`,
      );
    await recordFromCli(tx, { action: 'user.create', target: created.id, after: user });
    return created;
  });
}

function deactivate(db: Database, ref: UserRef): Promise<Deactivation> {
  return db.transaction(async (tx) => {
    const done = await deactivateUser(tx, ref);
    if (done === undefined) throw unknownUser(ref);
    const { user, changed, keysRevoked, sessionsEnded } = done;
    if (changed || keysRevoked + sessionsEnded > 0)
      await recordFromCli(tx, {
        action: 'user.deactivate',
        target: user.id,
        after: { keys_revoked: keysRevoked, sessions_ended: sessionsEnded },
      });
    return done;
  });
}

function activate(db: Database, ref: UserRef): Promise<{ user: UserRow; changed: boolean }> {
  return db.transaction(async (tx) => {
    const done = await activateUser(tx, ref);
    if (done === undefined) throw unknownUser(ref);
    if (done.changed) await recordFromCli(tx, { action: 'user.activate', target: done.user.id });
    return done;
  });
}

/** Reads an option as the API reads such a field. */
const readWith =
  (read: ScalarReader) =>
  (text: string): string => {
    const result = read(text);
    if ('error' in result) throw new InvalidArgumentError(`${result.error.msg}.`);
    return String(result.value);
  };

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LARGEST_LIMIT)
    throw new InvalidArgumentError(`It must be a number from 1 to ${LARGEST_LIMIT}.`);
  return limit;
}

const shown = ({ id, email, name, is_active, two_factor, created_at }: UserRow): object => ({
  id,
  email,
  ...(name === null ? {} : { name }),
  is_active,
  two_factor_enabled: two_factor,
  created_at,
});

function asTable(rows: UserRow[], next: string | undefined): string {
  if (rows.length === 0)
    return (
      'There are no such users. Create one with: ' +
      'npm run guildhall -- users create --email <email> --name <name>'
    );
  const users = table(
    ['ID', 'EMAIL', 'NAME', 'STATE', 'CREATED (UTC)'],
    rows.map(({ id, email, name, is_active, created_at }) => [
      id,
      email,
      name ?? '-',
      is_active ? 'active' : 'deactivated',
      created_at.toISOString().slice(0, 16).replace('T', ' '),
    ]),
  );
  return next === undefined ? users : `${users}\n\nMore follow: add --after ${next}`;
}

const SHOWN_WORKSPACES = 20;

function aboutDeactivation({ user, changed, keysRevoked, sessionsEnded, owns }: Deactivation) {
  const outcome = changed
    ? `Deactivated ${user.email}. Keys revoked: ${keysRevoked}. Sessions ended: ${sessionsEnded}.`
    : `${user.email} is deactivated already.`;
  if (owns.length === 0) return outcome;
  const lines = owns.slice(0, SHOWN_WORKSPACES).map(({ id, name }) => `  ${id}  ${name}`);
  if (owns.length > SHOWN_WORKSPACES)
    lines.push(`  … and ${owns.length - SHOWN_WORKSPACES} more; --json lists all`);
  return `${outcome}

They own these workspaces, which no one else can transfer or delete. To change that, activate the
user, and deactivate them again when they have transferred ownership.
${lines.join('\n')}`;
}
