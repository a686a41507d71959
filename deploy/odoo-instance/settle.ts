import type pg from 'pg';
import { signsInAsAdmin } from './administrator.ts';
import * as databases from './database.ts';
import { blamingTheDump, Unusable } from './unusable.ts';

/**
 * What is switched off and cleared in the database of a dump after Odoo has neutralised it, and what is
 * checked before it is copied for anyone. It connects as the role of the database, which reaches
 * nothing else: a dump may have triggers.
 */

/** Of one statement, in milliseconds. */
const MOST_MS = 600_000;

/** Each with its table; those that are not there were not installed. */
const CHANGES: readonly [table: string, change: string, column?: string][] = [
  ['ir_cron', 'update public.ir_cron set active = false where active'],
  // Also that of `neutralize`, which would be asked instead of the catcher of mails.
  ['ir_mail_server', 'update public.ir_mail_server set active = false where active'],
  ['fetchmail_server', 'update public.fetchmail_server set active = false where active'],
  [
    'payment_provider',
    "update public.payment_provider set state = 'disabled' where state = 'enabled'",
  ],
  ['res_users', 'update public.res_users set password = null where password is not null'],
  [
    'res_users',
    'update public.res_users set totp_secret = null where totp_secret is not null',
    'totp_secret',
  ],
  [
    'res_users',
    'update public.res_users set oauth_access_token = null where oauth_access_token is not null',
    'oauth_access_token',
  ],
  ['res_users_apikeys', 'delete from public.res_users_apikeys'],
  ['auth_totp_device', 'delete from public.auth_totp_device'],
  ['auth_passkey_key', 'delete from public.auth_passkey_key'],
  [
    'ir_config_parameter',
    `delete from public.ir_config_parameter
      where key in ('auth_totp.policy', 'web.base.url.freeze', 'report.url')`,
  ],
  [
    'ir_config_parameter',
    `update public.ir_config_parameter set value = 'http://localhost:8069' where key = 'web.base.url'`,
  ],
];

/** Counts what must not be there. */
const CHECKS: readonly [table: string, found: string, sentence: string, column?: string][] = [
  ['ir_cron', 'select from public.ir_cron where active', 'Scheduled actions are still on.'],
  [
    'ir_mail_server',
    'select from public.ir_mail_server where active',
    'Outgoing mail servers are still on.',
  ],
  [
    'fetchmail_server',
    'select from public.fetchmail_server where active',
    'Incoming mail servers are still on.',
  ],
  [
    'payment_provider',
    "select from public.payment_provider where state = 'enabled'",
    'Payment providers are still on.',
  ],
  [
    'res_users',
    'select from public.res_users where password is not null',
    'Passwords of users are still there.',
  ],
  [
    'res_users',
    'select from public.res_users where totp_secret is not null',
    'Secrets of second factors are still there.',
    'totp_secret',
  ],
  [
    'res_users_apikeys',
    'select from public.res_users_apikeys',
    'API keys of users are still there.',
  ],
];

const NEEDED = [
  'ir_attachment',
  'ir_config_parameter',
  'ir_cron',
  'ir_mail_server',
  'ir_model_data',
  'ir_module_module',
  'res_users',
  'res_users_apikeys',
];

/** `version`: of Odoo, as 19.0. Throws Unusable. */
export const settle = (config: pg.ClientConfig, version: string): Promise<void> =>
  blamingTheDump(settled(config, version));

async function settled(config: pg.ClientConfig, version: string): Promise<void> {
  await databases.connected(config, async (client) => {
    await begin(client);
    const tables = await tablesIn(client);
    await requireOdoo(client, tables, version);
    const isThere = await columnsOf(client);
    for (const [table, change, column] of CHANGES)
      if (tables.has(table) && (column === undefined || isThere(table, column)))
        await client.query(change);
    await signsInAsAdmin(client);
    await client.query('commit');
    // What triggers have made of it.
    await begin(client);
    for (const [table, found, sentence, column] of CHECKS) {
      if (!tables.has(table) || (column !== undefined && !isThere(table, column))) continue;
      const { rowCount } = await client.query(`${found} limit 1`);
      if (rowCount !== 0) throw new Unusable(`The database was not neutralised. ${sentence}`);
    }
    const { rowCount } = await client.query(`
      select from public.ir_config_parameter
       where key = 'database.is_neutralized' and lower(value) in ('true', 't', '1')`);
    if (rowCount !== 1)
      throw new Unusable('The database was not neutralised. Odoo has not marked it as such.');
    await client.query('commit');
  });
}

/** Nothing in the database may stand for what a statement names. */
async function begin(client: pg.Client): Promise<void> {
  await client.query('begin');
  await client.query('set local search_path = pg_catalog, pg_temp');
  await client.query('set local row_security = off');
  await client.query(`set local statement_timeout = ${MOST_MS}`);
}

/** Throws Unusable for a view or anything else that only looks like a table of Odoo. */
async function tablesIn(client: pg.Client): Promise<Set<string>> {
  const names = [...new Set([...NEEDED, ...CHANGES.map(([table]) => table)])];
  const { rows } = await client.query<{ name: string; kind: string }>(
    `select relname as name, relkind as kind from pg_class
      where relnamespace = 'public'::regnamespace and relname = any($1)`,
    [names],
  );
  for (const { name, kind } of rows)
    if (kind !== 'r') throw new Unusable(`It is no database of Odoo: ${name} is no table.`);
  const tables = new Set(rows.map(({ name }) => name));
  for (const name of NEEDED)
    if (!tables.has(name))
      throw new Unusable(`It is no database of Odoo: the table ${name} is missing.`);
  return tables;
}

async function columnsOf(client: pg.Client) {
  const { rows } = await client.query<{ at: string }>(`
    select c.relname || '.' || a.attname as at
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0
       and not a.attisdropped and c.relname = 'res_users'`);
  const columns = new Set(rows.map(({ at }) => at));
  return (table: string, column: string) => columns.has(`${table}.${column}`);
}

async function requireOdoo(client: pg.Client, tables: Set<string>, version: string) {
  const { rows } = await client.query<{ version: string | null }>(`
    select latest_version as version from public.ir_module_module
     where name = 'base' and state in ('installed', 'to upgrade') limit 1`);
  const found = rows[0]?.version ?? '';
  if (!found.startsWith(`${version}.`))
    throw new Unusable(
      `The database is of another version of Odoo: its module base is ${found.slice(0, 30) || 'not installed'}.`,
    );
  return tables;
}

/** What is installed, as orders have it. */
export async function modulesIn(config: pg.ClientConfig): Promise<Record<string, string>> {
  return databases.connected(config, async (client) => {
    await begin(client);
    const { rows } = await client.query<{ name: string }>(`
      select name from public.ir_module_module
       where state in ('installed', 'to upgrade') and name ~ '^[a-z0-9_]{1,100}$'
       order by name limit 5000`);
    return Object.fromEntries(rows.map(({ name }) => [name, '']));
  });
}
