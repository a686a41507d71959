import { sql } from '../sql.ts';
import { type SessionOptions, sessionSettings } from './session.ts';
import type { Tx } from './transaction.ts';

/** Statements on a connection of each group. */
type Groups = { many: Tx['many']; read: Tx['many']; write: Tx['many'] };

/**
 * Asks PostgreSQL what a connection of each group is set to. Throws an Error that says what to do
 * when that is not what the configuration asks for. Behind a pooler, where all groups have the
 * settings of the login, it also throws when that login may act as the owner of the tables: then
 * one lost setting would give the owner's rights to the server.
 */
export async function verifySession(db: Groups, options: SessionOptions): Promise<void> {
  const behindPooler = options.pooler === 'transaction';
  await verifyGroup(db.many, sessionSettings(options, 'pool'), behindPooler);
  if (behindPooler) return;
  await verifyGroup(db.read, sessionSettings(options, 'readers'), behindPooler);
  await verifyGroup(db.write, sessionSettings(options, 'writers'), behindPooler);
}

/** The same for one group, by a statement that runs on a connection of it. */
export async function verifyGroup(
  ask: Tx['many'],
  asked: Record<string, string>,
  behindPooler: boolean,
): Promise<void> {
  const [found] = await ask<Found>(sql`
      select quote_ident(session_user) as login,
             quote_ident(current_database()) as database,
             coalesce((select pg_has_role(session_user, relowner, 'member') from pg_class
                        where oid = to_regclass('schema_migration')), true) as owns,
             (select json_object_agg(name, setting) from pg_settings
               where name = any (${Object.keys(asked)}))::jsonb
               -- The one that pg_settings does not show.
               || jsonb_build_object('role', current_setting('role')) as settings`).catch(
    (error) => {
      throw isRefusedByPooler(error) ? new Error(REFUSED) : error;
    },
  );
  if (found === undefined) throw new Error('PostgreSQL did not report its settings');
  const wrong = Object.entries(asked).filter(([name, value]) => found.settings[name] !== value);
  if (behindPooler && found.owns) throw new Error(ownsTheTables(found.login));
  if (wrong.length === 0) return;
  const is = wrong.map(([name]) => `${name} is ${found.settings[name]}`).join(', ');
  if (!behindPooler) throw new Error(dropped(is));
  // All of them: what PostgreSQL's own default makes right today may not be tomorrow.
  const lines = Object.entries(asked).map(
    ([name, value]) =>
      `  alter role ${found.login} in database ${found.database} set ${name} = '${value}';`,
  );
  throw new Error(
    `DATABASE_POOLER is transaction, but the login ${found.login} lacks settings that Guildhall ` +
      `needs (${is}). As this login or as an administrator, run\n` +
      `  set role none;\n${lines.join('\n')}\n` +
      'then RECONNECT in the console of PgBouncer, and start again.',
  );
}

type Found = {
  login: string;
  database: string;
  owns: boolean;
  settings: Record<string, string>;
};

const isRefusedByPooler = (error: unknown) =>
  error instanceof Error && /unsupported startup parameter/.test(String(error.cause));

const WHERE = 'see "Behind PgBouncer" in docs/operations/install.md';

const REFUSED =
  'DATABASE_URL leads to a pooler that refuses session settings: ' +
  `set DATABASE_POOLER=transaction (${WHERE}), or use the address of PostgreSQL itself.`;

const dropped = (is: string) =>
  `Something between this server and PostgreSQL drops its session settings (${is}), ` +
  'as PgBouncer does with ignore_startup_parameters: ' +
  `set DATABASE_POOLER=transaction (${WHERE}), or use the address of PostgreSQL itself.`;

const ownsTheTables = (login: string) =>
  `DATABASE_POOLER is transaction, and the login ${login} may act as the owner of the tables: ` +
  "behind a pooler, a lost setting would give the server the owner's rights. " +
  `Use a login that is only granted guildhall_app (${WHERE}).`;
