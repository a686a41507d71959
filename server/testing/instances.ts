import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type CommandInstances, commandDriver } from '../erp/instances/command-driver.ts';
import type { InstanceDriver, InstanceSpec } from '../erp/instances/instance-driver.ts';
import { fakePrograms } from '../platform/catalog/fake-odoo.ts';

export type TestInstances = InstanceDriver & { directory: string };

/** The driver of commands in a folder of its own, which is removed after the test. */
export async function makeInstances(
  t: Pick<TestContext, 'after'>,
  options: Partial<CommandInstances> = {},
): Promise<TestInstances> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-instances-'));
  await chmod(directory, 0o755);
  const driver = commandDriver({ directory, programs: fakePrograms, ...options });
  t.after(async () => {
    await driver.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  return Object.assign(driver, { directory });
}

export const specOf = (id: string, more: Partial<InstanceSpec> = {}): InstanceSpec => ({
  id,
  erpVersion: '19.0',
  edition: 'community',
  password: 'a password of its own',
  database: `guildhall_${id.replaceAll('-', '')}`,
  ...more,
});

/** Calls Odoo by JSON-RPC, as its own clients of every version do. */
async function callOdoo(
  url: string,
  service: 'common' | 'object',
  method: string,
  args: unknown[],
): Promise<unknown> {
  const params = { service, method, args };
  const answer = await fetch(`${url}/jsonrpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'call', params }),
  });
  return ((await answer.json()) as { result?: unknown }).result;
}

/** The number of the user `admin`; false where the password is not theirs. */
export const signIn = (url: string, { database, password }: InstanceSpec) =>
  callOdoo(url, 'common', 'authenticate', [database, 'admin', password, {}]);
