import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { hashPassword } from '../../deploy/odoo-instance/hash-password.ts';
import { commandDriver } from '../erp/instances/command-driver.ts';
import { isReady } from '../erp/instances/ready.ts';
import { specOf } from './instances.ts';
import { until } from './until.ts';

/** A real Odoo of version 19, for tests on a machine that has one; see docs/erp.md. */

const { GUILDHALL_TEST_ODOO: odoo, ODOO_TEMPLATE: template } = process.env;

/** For the tests that need it. */
export const withoutOdoo =
  odoo === undefined || template === undefined
    ? 'needs GUILDHALL_TEST_ODOO, the path of odoo, and ODOO_TEMPLATE, a database of version 19'
    : false;

const MAIN = join(import.meta.dirname, '../../deploy/odoo-instance/main.ts');

/** Runs it as throwaway instances run, and removes it after the test. */
export async function startRealOdoo(t: Pick<TestContext, 'after'>) {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-odoo-'));
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('PG'));
  const program = [
    ...['env', ...variables.map((each) => each.join('=')), `ODOO=${odoo}`],
    ...[`ODOO_TEMPLATE=${template}`, process.execPath, MAIN],
  ];
  const own = { version: '19.0', editions: ['community' as const] };
  const programs = [{ ...own, start: [...program, 'start'], remove: [...program, 'remove'] }];
  const driver = commandDriver({ directory, programs });
  const spec = specOf(randomUUID());
  t.after(async () => {
    await driver.destroy(spec.id);
    await rm(directory, { recursive: true });
  });
  await driver.create(spec);
  await driver.start(spec);
  const url = (await driver.url(spec.id)) ?? '';
  await until('it is ready', () => isReady(url, spec), 120_000);
  return { url, spec };
}

/** Gives `admin` an API key, as a person does in their preferences: there is no call that would. */
export async function makeKey(database: string, expiresAt: Date): Promise<string> {
  const key = randomBytes(20).toString('hex');
  const client = new pg.Client({ database });
  await client.connect();
  await client.query(
    `insert into res_users_apikeys (name, user_id, expiration_date, index, key)
     select 'test', id, $1, $2, $3 from res_users where login = 'admin'`,
    [expiresAt.toISOString(), key.slice(0, 8), hashPassword(key)],
  );
  await client.end();
  return key;
}
