import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../db/migrate.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/**
 * A separate database for each test file: a copy of a migrated template on the server of the whole
 * run.
 */

export const SERVER_VARIABLE = 'GUILDHALL_TEST_DATABASE_URL';
const TEMPLATE = 'guildhall_template';

let alone: Promise<TestServer> | undefined;

/** `url` is the owner's; `drop` also disconnects remaining clients. */
interface Made {
  url: string;
  drop(): Promise<void>;
}

/** A new, migrated database with a unique name. */
export const cloneDatabase = (): Promise<Made> => make(cloneTemplate);

/** A new database without tables. */
export const emptyDatabase = (): Promise<Made> =>
  make((server, name) => ask(server, `create database ${name} template template0`));

/**
 * If the run has no server (`node --test one.test.ts`), this process starts one, which ends with it.
 */
async function make(create: (server: string, name: string) => Promise<void>): Promise<Made> {
  const given = process.env[SERVER_VARIABLE];
  alone ??= given === undefined ? startTestServer() : undefined;
  const server = given ?? (await alone)?.url ?? '';
  const name = `guildhall_test_${randomBytes(8).toString('hex')}`;
  await create(server, name);
  return {
    url: databaseUrl(server, name),
    drop: () => ask(server, `drop database if exists ${name} with (force)`),
  };
}

async function cloneTemplate(server: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(server, `create database ${name} template ${TEMPLATE} strategy file_copy`);
    } catch (error) {
      const code = codeOf(error);
      if (code === '3D000' && attempt === 1) await prepareTemplate(server);
      else if (code === '55006' && attempt < 50)
        await sleep(100); // another process is migrating it
      else throw error;
    }
  }
}

/**
 * Creates or completes the template; on an existing server, a template with other migrations is
 * recreated.
 */
export async function prepareTemplate(server: string): Promise<void> {
  await createTemplate(server);
  try {
    await migrate(databaseUrl(server, TEMPLATE));
  } catch {
    await ask(server, `drop database if exists ${TEMPLATE} with (force)`);
    await createTemplate(server);
    await migrate(databaseUrl(server, TEMPLATE));
  }
}

async function createTemplate(server: string): Promise<void> {
  await ask(server, `create database ${TEMPLATE}`).catch((error) => {
    // It exists, or another process is creating it right now.
    if (codeOf(error) !== '42P04' && codeOf(error) !== '23505') throw error;
  });
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function ask(server: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

const codeOf = (error: unknown) => (error instanceof pg.DatabaseError ? error.code : undefined);
