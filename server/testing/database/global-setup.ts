import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { prepareTemplate, SERVER_VARIABLE } from './database.ts';

/**
 * For `node --test --test-global-setup`: one PostgreSQL for the whole run, or the one that the
 * variable names.
 */

let server: TestServer | undefined;

export async function globalSetup(): Promise<void> {
  const given = process.env[SERVER_VARIABLE];
  if (given !== undefined) return prepareTemplate(given);
  server = await startTestServer();
  await prepareTemplate(server.url);
  process.env[SERVER_VARIABLE] = server.url; // the test files run in processes that inherit it
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
