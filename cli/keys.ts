import { type Command, InvalidArgumentError } from 'commander';
import { sameMailbox } from '../server/db/addresses.ts';
import type { Database, Tx } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { nameFault } from '../server/http/input/names.ts';
import { parseUuid } from '../server/http/input/uuid.ts';
import { createKey, type KeyRow, listKeys, revokeKey } from '../server/identity/keys/keys.ts';
import { type Cli, table, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';
import { clean } from './world/clean.ts';

type Json = { json?: boolean };

/**
 * `guildhall keys create | list | revoke`: personal API keys, which the API itself cannot manage
 * (spec, Authentication).
 */
export function addKeys(program: Command, cli: Cli): void {
  const keys = program
    .command('keys')
    .usage('<command> [options]')
    .helpCommand(false)
    .description('create, list and revoke personal API keys');
  withJson(keys.command('create'))
    .description('create a key for a user; it is shown only this once')
    .requiredOption('--email <email>', "the user's email address")
    .requiredOption('--name <name>', 'what the key is for, such as "laptop"', readName)
    .option(
      '--expires <when>',
      'when it expires: after a time such as 90d, or on a date such as 2027-01-31',
      readExpiry,
    )
    .action(async (options: Json & { email: string; name: string; expires?: Date }) => {
      const { name, expires: expiresAt } = options;
      const { id, email, key } = await withDatabase(cli.readConfig(), (db) =>
        create(db, { email: clean(options.email), name, expiresAt }),
      );
      const until = expiresAt ? `until ${expiresAt.toISOString()}` : 'without expiry';
      const text = `Key "${name}" of ${email}, ${until}. It is shown only this once, so store it now:

  ${key}

Revoke it with: npm run guildhall -- keys revoke ${id}`;
      cli.print(options.json, { id, key, email, name, expires_at: expiresAt }, text);
    });
  withJson(keys.command('list'))
    .description('list keys, newest first, without the keys themselves')
    .option('--email <email>', 'only keys of this user')
    .action(async ({ email, json }: Json & { email?: string }) => {
      const rows = await withDatabase(cli.readConfig(), (db) =>
        listKeys(db, email && clean(email)),
      );
      const how =
        'There are no keys. Create one with: npm run guildhall -- keys create --email <email> ' +
        '--name <name>';
      cli.print(json, rows.map(shown), rows.length === 0 ? how : asTable(rows));
    });
  withJson(keys.command('revoke'))
    .description('revoke a key: its next request is refused')
    .argument('<id>', 'the id that `keys list` shows', readId)
    .action(async (id: string, { json }: Json) => {
      await withDatabase(cli.readConfig(), (db) => revoke(db, id));
      cli.print(json, { id, revoked: true }, `Revoked ${id}.`);
    });
}

function create(
  db: Database,
  key: { email: string; name: string; expiresAt: Date | undefined },
): Promise<{ id: string; email: string; key: string }> {
  return db.transaction(async (tx) => {
    const created = await createKey(tx, key);
    if (created === undefined) throw new Failure(await whyRefused(tx, key.email));
    const { secret, id, email } = created;
    await recordFromCli(tx, {
      action: 'key.create',
      target: id,
      after: { email, name: key.name },
    });
    return { id, email, key: secret };
  });
}

async function whyRefused(tx: Pick<Tx, 'many'>, email: string): Promise<string> {
  const known = await tx.many(sql`
    select from app_user u where ${sameMailbox(sql`u.email`, sql`${email}::text`)}`);
  return known.length === 0
    ? `No user has the email address ${email}: check it, or create the user with \`users create\`.`
    : `The user ${email} is deactivated, and every key of theirs is refused: ` +
        'choose an active user.';
}

async function revoke(db: Database, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await revokeKey(tx, id))) {
      throw new Failure(
        `No active key has the id ${id}: it is unknown, or has already been revoked.`,
      );
    }
    await recordFromCli(tx, { action: 'key.revoke', target: id });
  });
}

function readName(name: string): string {
  const text = clean(name);
  const length = Array.from(text).length;
  if (length < 1 || length > 100 || /\p{Cc}/u.test(text))
    throw new InvalidArgumentError('It must have 1 to 100 characters and no control characters.');
  const fault = nameFault(text);
  if (fault !== undefined) throw new InvalidArgumentError(`It ${fault.advice}.`);
  return text;
}

function readId(text: string): string {
  const id = parseUuid(text);
  if (!id.ok)
    throw new InvalidArgumentError('It is not the id of a key: `keys list` shows the ids.');
  return id.uuid;
}

const DAY = 86_400_000;

/** Reads `90d`, or a point in time in ISO 8601; a date alone is its first moment in UTC. */
function readExpiry(text: string): Date {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = days === undefined ? Date.parse(iso ? text : '') : Date.now() + Number(days) * DAY;
  if (Number.isNaN(time))
    throw new InvalidArgumentError(
      'It must be a number of days such as 90d, or a time such as 2027-01-31.',
    );
  if (time <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return new Date(time);
}

type State = 'revoked' | 'expired' | 'user_deactivated' | 'used' | 'never_used';

function stateOf(key: KeyRow): { state: State; since: Date | null } {
  if (key.revoked_at !== null) return { state: 'revoked', since: key.revoked_at };
  if (key.expires_at !== null && key.expires_at.getTime() <= Date.now())
    return { state: 'expired', since: key.expires_at };
  if (!key.user_is_active) return { state: 'user_deactivated', since: null };
  return key.last_used_at === null
    ? { state: 'never_used', since: null }
    : { state: 'used', since: key.last_used_at };
}

function shown(key: KeyRow): object {
  const { id, email, name, user_is_active, ...times } = key;
  const given = Object.entries(times).filter(([, time]) => time !== null);
  return { id, email, name, state: stateOf(key).state, ...Object.fromEntries(given) };
}

const STATES: Record<State, string> = {
  revoked: 'revoked',
  expired: 'expired',
  user_deactivated: 'user deactivated',
  used: 'last used',
  never_used: 'never used',
};

function asTable(rows: KeyRow[]): string {
  const minute = (time: Date | null) => time?.toISOString().slice(0, 16).replace('T', ' ');
  const state = (key: KeyRow) => {
    const { state, since } = stateOf(key);
    return [STATES[state], minute(since)].filter((part) => part !== undefined).join(' ');
  };
  return table(
    ['ID', 'EMAIL', 'NAME', 'STATE', 'CREATED (UTC)', 'EXPIRES'],
    rows.map((row) => [
      row.id,
      row.email,
      row.name,
      state(row),
      minute(row.created_at) ?? '',
      minute(row.expires_at) ?? '-',
    ]),
  );
}
