import type { Command } from 'commander';
import type { Database } from '../api/db/database/database.ts';
import { nameFault } from '../api/http/input/names.ts';
import { parseUuid } from '../api/http/input/uuid.ts';
import { createKey, type KeyRow, listKeys, revokeKey } from '../api/keys/keys.ts';
import { print, type ReadConfig, table, withDatabase, withJson } from './command.ts';
import { Failure } from './failure.ts';
import { recordFromCli } from './record.ts';
import { clean } from './world/clean.ts';

type Json = { json?: boolean };

/**
 * `guildhall keys create | list | revoke`: personal API keys, which the API itself cannot manage
 * (spec, Authentication).
 */
export function addKeys(program: Command, readConfig: ReadConfig): void {
  const keys = program.command('keys').description('create, list and revoke personal API keys');
  withJson(keys.command('create'))
    .description('create a key for a user; it is shown only this once')
    .requiredOption('--email <email>', "the user's email address")
    .requiredOption('--name <name>', 'what the key is for, such as "laptop"')
    .option(
      '--expires <when>',
      'when it expires: after a time such as 90d, or on a date such as 2027-01-31',
    )
    .action(async (options: Json & { email: string; name: string; expires?: string }) => {
      const [email, name, expiresAt] = [
        clean(options.email),
        readName(options.name),
        expiry(options.expires),
      ];
      const { id, key } = await withDatabase(readConfig(), (db) =>
        create(db, { email, name, expiresAt }),
      );
      const until = expiresAt ? `until ${expiresAt.toISOString()}` : 'without expiry';
      const text = `Key "${name}" of ${email}, ${until}. It is shown only this once, so store it now:

  ${key}

Revoke it with: npm run guildhall -- keys revoke ${id}`;
      print(options.json, { id, key, email, name, expires_at: expiresAt }, text);
    });
  withJson(keys.command('list'))
    .description('list keys, newest first, without the keys themselves')
    .option('--email <email>', 'only keys of this user')
    .action(async ({ email, json }: Json & { email?: string }) => {
      const rows = await withDatabase(readConfig(), (db) => listKeys(db, email && clean(email)));
      const how =
        'There are no keys. Create one with: npm run guildhall -- keys create --email <email> --name <name>';
      print(json, rows.map(shown), rows.length === 0 ? how : asTable(rows));
    });
  withJson(keys.command('revoke'))
    .description('revoke a key: its next request is refused')
    .argument('<id>', 'the id that `keys list` shows')
    .action(async (id: string, { json }: Json) => {
      const uuid = parseUuid(id);
      if (!uuid.ok)
        throw new Failure(`"${id}" is not the id of a key: \`keys list\` shows the ids.`);
      await withDatabase(readConfig(), (db) => revoke(db, uuid.uuid));
      print(json, { id: uuid.uuid, revoked: true }, `Revoked ${uuid.uuid}.`);
    });
}

function create(
  db: Database,
  key: { email: string; name: string; expiresAt: Date | undefined },
): Promise<{ id: string; key: string }> {
  return db.transaction(async (tx) => {
    const created = await createKey(tx, key);
    if (created === undefined) {
      throw new Failure(
        `No user has the email address ${key.email}: check it, or load people with \`import\`.`,
      );
    }
    const { secret, id } = created;
    await recordFromCli(tx, {
      action: 'key.create',
      target: id,
      after: { email: key.email, name: key.name },
    });
    return { id, key: secret };
  });
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
    throw new Failure('--name must have 1 to 100 characters and no control characters.');
  const fault = nameFault(text);
  if (fault !== undefined) throw new Failure(`--name ${fault.advice}.`);
  return text;
}

const DAY = 86_400_000;

/** Parses `90d`, or a point in time in ISO 8601; a date alone is its first moment in UTC. */
function expiry(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = days === undefined ? Date.parse(iso ? text : '') : Date.now() + Number(days) * DAY;
  if (Number.isNaN(time)) {
    throw new Failure(
      `--expires must be a number of days such as 90d, or a time such as 2027-01-31, not "${text}".`,
    );
  }
  if (time <= Date.now()) throw new Failure(`--expires must be in the future; "${text}" is not.`);
  return new Date(time);
}

function shown({ id, email, name, ...times }: KeyRow): object {
  const given = Object.entries(times).filter(([, time]) => time !== null);
  return { id, email, name, ...Object.fromEntries(given) };
}

function asTable(rows: KeyRow[]): string {
  const day = (time: Date | null) => time?.toISOString().slice(0, 16).replace('T', ' ') ?? '-';
  const state = ({ revoked_at, expires_at }: KeyRow) => {
    if (revoked_at !== null) return 'revoked';
    return expires_at !== null && expires_at.getTime() <= Date.now() ? 'expired' : 'active';
  };
  return table(
    ['ID', 'EMAIL', 'NAME', 'STATE', 'CREATED (UTC)', 'EXPIRES', 'LAST USED'],
    rows.map((row) => [
      row.id,
      row.email,
      row.name,
      state(row),
      day(row.created_at),
      day(row.expires_at),
      day(row.last_used_at),
    ]),
  );
}
