import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from './database.ts';

/** Empty databases, and releases with migrations and views of a test's own. */
interface Migrations {
  /** The server, as a superuser. */
  client: pg.Client;
  /** A migrated database. */
  template: string;
  /** Writes files such as `migrations/0001-a.sql` to a folder of their own; its path. */
  release(files: Record<string, string>): Promise<string>;
  emptyDatabase(): Promise<string>;
  /** A connection that is closed after the tests. */
  connect(url: string): Promise<pg.Client>;
}

/** Called once in a test file; all of it goes after the tests. */
export async function migrationsForTests(): Promise<Migrations> {
  const root = await mkdtemp(join(tmpdir(), 'guildhall-migrate-'));
  const template = await cloneDatabase();
  const clients: pg.Client[] = [];
  const databases: string[] = [];
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    clients.push(client);
    return client;
  };
  const client = await connect(template.url);
  after(async () => {
    for (const name of databases) await client.query(`drop database ${name} with (force)`);
    for (const each of clients) await each.end();
    await template.drop();
    await rm(root, { recursive: true });
  });
  let made = 0;
  return {
    client,
    template: template.url,
    connect,
    release: async (files) => {
      const folder = join(root, String(++made));
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
      return folder;
    },
    emptyDatabase: async () => {
      const name = `guildhall_test_migrate_${randomBytes(8).toString('hex')}`;
      await client.query(`create database ${name}`);
      databases.push(name);
      return template.url.replace(/[^/]+$/, name);
    },
  };
}
