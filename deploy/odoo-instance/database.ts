import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { hashPassword } from './hash-password.ts';

/**
 * The databases of instances: copies of a template in which Odoo was installed once. `server`: how
 * to connect to PostgreSQL, to any database; what is left out is that of the PG variables.
 */

type Server = pg.ClientConfig;

async function connected<Result>(
  config: Server,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const quoted = (name: string) => pg.escapeIdentifier(name);

/** Makes the database from the template, unless it is there: an instance may be started again. */
export async function createDatabase(server: Server, name: string, template: string) {
  await connected(server, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0)
      await client.query(`create database ${quoted(name)} template ${quoted(template)}`);
  });
}

/** Makes it another one than its template: its identity, its secret, and who may sign in. */
export async function makeItsOwn(database: Server, password: string): Promise<void> {
  await connected(database, async (client) => {
    await client.query('begin');
    for (const key of ['database.uuid', 'database.secret'])
      await client.query('update ir_config_parameter set value = $2 where key = $1', [
        key,
        randomUUID(),
      ]);
    const { rowCount } = await client.query(
      "update res_users set password = $1 where login = 'admin'",
      [hashPassword(password)],
    );
    if (rowCount !== 1) throw new Error('The template must have one user with the login admin.');
    await client.query('commit');
  });
}

/** Also while it is used. Nothing happens when there is none. */
export async function dropDatabase(server: Server, name: string): Promise<void> {
  await connected(server, (client) =>
    client.query(`drop database if exists ${quoted(name)} with (force)`),
  );
}
