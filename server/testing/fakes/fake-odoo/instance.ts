import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceOrder, InstanceReport } from '../../../erp/instances/instance-order.ts';
import { startFakeOdoo } from './server.ts';

/**
 * A program for the driver of commands: the fake Odoo as a throwaway instance. What it
 * knows of itself is in its environment, as for every such program (docs/erp.md). It forgets
 * everything when it ends.
 *
 * It runs no Python. A module of the branch is installed unless its manifest has the word `broken`,
 * and `test` finds one failed test in each module whose tests have the word `fails`.
 */

const {
  GUILDHALL_INSTANCE_PORT: port = '',
  GUILDHALL_INSTANCE_DATABASE: name = '',
  GUILDHALL_INSTANCE_VERSION: version = '',
  GUILDHALL_INSTANCE_EDITION: edition = '',
  GUILDHALL_INSTANCE_PASSWORD: password = '',
  GUILDHALL_INSTANCE_ORDER: orderFile = '',
  GUILDHALL_INSTANCE_REPORT: reportFile = '',
  GUILDHALL_INSTANCE_COMMAND: commandFile = '',
} = process.env;

const order: Partial<InstanceOrder> = await readFile(orderFile, 'utf8').then(
  (text) => JSON.parse(text),
  () => ({}),
);

/** The first file of a module of the branch in which a word is, by its path in the repository. */
async function fileWith(word: string, inModule: string): Promise<string | undefined> {
  const { code } = order;
  for (const addons of code?.addons ?? [])
    for (const module of Object.keys(code?.modules ?? {})) {
      const path = join(addons, module, inModule);
      const whole = join(code?.folder ?? '', path);
      const files = inModule.endsWith('.py') ? [''] : await readdir(whole).catch(() => []);
      for (const file of files) {
        const text = await readFile(join(whole, file), 'utf8').catch(() => '');
        if (text.includes(word)) return join(path, file);
      }
    }
  return undefined;
}

const LINE = `2026-11-28 10:00:00,000 2 LEVEL ${name} `;

async function test(): Promise<number> {
  const file = await fileWith('fails', 'tests');
  const say = (level: string, text: string) =>
    process.stdout.write(`${LINE.replace('LEVEL', level)}${text}\n`);
  if (file !== undefined) {
    say('ERROR', 'odoo.addons.m.tests.test_m: FAIL: TestM.test_m');
    process.stdout.write(
      `Traceback (most recent call last):\n  File "/pod/work/${file}", line 5, in test_m\n` +
        'AssertionError: it fails\n',
    );
  }
  const failed = file === undefined ? 0 : 1;
  say('INFO', `odoo.tests.result: ${failed} failed, 0 error(s) of 2 tests when loading database`);
  return failed;
}

async function start(): Promise<void> {
  const { code } = order;
  const broken = await fileWith('broken', '__manifest__.py');
  const problem = `CRITICAL ${name} odoo.modules.module: ${broken} is broken for ${password}`;
  const commit = broken === undefined ? code?.commit : undefined;
  const report: InstanceReport = {
    ...(commit !== undefined && { commit }),
    ...(broken !== undefined && { broken: { commit: code?.commit ?? '', problem } }),
    seconds: 0,
  };
  if (code !== undefined) {
    await writeFile(`${reportFile}.new`, JSON.stringify(report));
    await rename(`${reportFile}.new`, reportFile);
  }
  const VERSIONS = ['16.0', '17.0', '18.0', '19.0'] as const;
  const known = VERSIONS.find((each) => each === version);
  if (known === undefined) throw new Error(`The fake has no version ${version}`);
  const fake = await startFakeOdoo({
    port: Number(port),
    databases: [name],
    version: known,
    listDatabases: false,
    watched: false,
    edition: edition === 'enterprise' ? 'enterprise' : 'community',
  });
  const { users, keys } = fake.database;
  const admin = users.find(({ login }) => login === 'admin');
  if (admin !== undefined) {
    admin.password = password;
    // A password of an instance is a key, too.
    const [key] = keys.filter(({ userId }) => userId === admin.id);
    if (key !== undefined) key.key = password;
  }
  process.stdout.write(`The fake Odoo ${version} is running at ${fake.url}.\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void fake.close());
}

/** Says what it was told to run. */
async function run(): Promise<void> {
  process.stdout.write(await readFile(commandFile, 'utf8'));
}

if (process.argv[2] === 'test') process.exitCode = await test();
else if (process.argv[2] === 'run') await run();
else await start();
