import type { ChildProcess } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { isFolder } from '../../server/code/repositories/git.ts';
import type { InstanceCommand } from '../../server/erp/instances/instance-driver.ts';
import type { InstanceOrder, InstanceReport } from '../../server/erp/instances/instance-order.ts';
import { removeTree } from '../../server/platform/pods/tree/remove-tree.ts';
import { changingArguments, servingArguments, shellArguments } from './arguments.ts';
import { boundedGrowth } from './bounded-growth.ts';
import { confinedOdoo, NotConfined, ownFolder } from './confined.ts';
import * as databases from './database.ts';
import { keepMails } from './keep-mails.ts';
import { Broken, type Place } from './place.ts';
import { change, MissingDump, PREFIX, prepare, replace, templateFor } from './prepare.ts';
import { prepareDump } from './prepare-dump.ts';
import { tailOf } from './tail.ts';
import { isOfPostgres, Unusable } from './unusable.ts';

/**
 * A program for ERP_INSTANCES=command: runs a local Odoo with the branch of a task as a throwaway
 * instance, tests its modules, or removes what it has made. See docs/erp.md.
 */

// biome-ignore lint/style/noProcessEnv: what an instance is told, and where PostgreSQL is.
const env = process.env;
const {
  GUILDHALL_INSTANCE_ID: id = '',
  GUILDHALL_INSTANCE_DATABASE: database = '',
  GUILDHALL_INSTANCE_VERSION: version = '',
  GUILDHALL_INSTANCE_EDITION: edition = '',
  GUILDHALL_INSTANCE_PORT: port = '',
  GUILDHALL_INSTANCE_FOLDER: folder = '',
  GUILDHALL_INSTANCE_PASSWORD: password = '',
  GUILDHALL_INSTANCE_ORDER: orderFile,
  GUILDHALL_INSTANCE_REPORT: reportFile,
  GUILDHALL_INSTANCE_MAILS: mails,
  GUILDHALL_INSTANCE_COMMAND: commandFile,
  ODOO = 'odoo',
  ODOO_SYSTEM: system,
  ODOO_ADDONS: ownAddons,
  PSQL: psql = 'psql',
  PGHOST = '/var/run/postgresql',
  PGPORT = '5432',
} = env;
const server = { database: 'postgres' };
const own = ownAddons?.split(',').filter(Boolean) ?? [];
const NO_ORDER: InstanceOrder = { project: '', demo: false };

const order: InstanceOrder = await readFile(orderFile ?? '', 'utf8').then(
  (text) => JSON.parse(text),
  () => NO_ORDER,
);

/** Between two looks at how large a database has become that is served. */
const LOOK_MS = 10_000;

/** Of the operator's user alone: Odoo may pass through this folder, and read no file of it. */
const roleFile = join(folder, 'role');

let child: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child?.kill(signal));

/** What Odoo is run with; throws where what it runs could reach more than is its own. */
async function placeOf(): Promise<Place & { serve: Awaited<ReturnType<typeof confinedOdoo>> }> {
  if (!PGHOST.startsWith('/'))
    throw new NotConfined('PGHOST must be the folder of the socket of PostgreSQL.');
  if (await databases.letsAnyoneIn(server))
    throw new NotConfined(
      'PostgreSQL must ask for passwords at its socket: set scram-sha-256 in pg_hba.conf.',
    );
  const programs = system === undefined && ODOO.startsWith('/') ? [dirname(ODOO)] : [];
  const serve = await confinedOdoo(
    {
      program: ODOO,
      system,
      readable: [...programs, ...own],
      socket: { folder: PGHOST, port: PGPORT },
    },
    { folder, id },
  );
  return {
    server,
    psql,
    id,
    version,
    edition,
    folder,
    own,
    serve,
    async run(run) {
      const tail = tailOf();
      const { child: running, exited } = serve({
        ...run,
        onOutput(text) {
          process.stdout.write(text);
          tail.add(text);
          run.onOutput?.(text);
        },
      });
      child = running;
      return { code: await exited, said: tail.text().replaceAll(run.password, '***') };
    },
  };
}

async function start(): Promise<number> {
  const begun = performance.now();
  const place = await placeOf();
  const { commit, broken, data } = await prepare(place, { database, order });
  const now = await databases.connected(server, (client) =>
    databases.roleWithPassword(client, database),
  );
  // For commands, which run while it serves.
  await rm(roleFile, { force: true });
  await writeFile(roleFile, now, { mode: 0o600 });
  await databases.makeItsOwn({ database, user: database, password: now }, password);
  await report({
    commit,
    data,
    ...(broken && {
      broken: { commit: order.code?.commit ?? '', problem: broken.said },
    }),
    seconds: Math.round((performance.now() - begun) / 1_000),
  });
  const { code, addons } = await served(commit);
  const listener = createServer();
  await new Promise<void>((resolve, reject) =>
    listener.once('error', reject).listen(Number(port), '127.0.0.1', resolve),
  );
  const { child: running, exited } = place.serve({
    args: servingArguments({ database, addons, own }),
    code,
    home: await ownFolder(join(folder, 'files'), id),
    role: database,
    password: now,
    // A number of a descriptor is all that a child can be given of it.
    listener: (listener as unknown as { _handle: { fd: number } })._handle.fd,
    onOutput: (chunk) => process.stdout.write(chunk),
    onMails: (said) => {
      if (mails === undefined) said.resume();
      else keepMails(said, mails).catch(() => said.resume());
    },
  });
  child = running;
  listener.close();
  const bound = { database, role: database, onTooLarge: () => running.kill('SIGKILL') };
  return boundedGrowth(server, { ...bound, every: LOOK_MS }, () => exited);
}

/** The code whose modules the database has. */
async function served(commit: string | undefined): Promise<{ code: string; addons: string[] }> {
  const known = [order.code, order.base].find((each) => each?.commit === commit);
  if (known !== undefined) return { code: known.folder, addons: known.addons };
  const { code } = order;
  // Of a commit before, which the driver keeps beside the one that is broken.
  const before = code && commit && join(dirname(code.folder), commit);
  if (code && before && (await isFolder(before))) return { code: before, addons: code.addons };
  return { code: await ownFolder(join(folder, 'empty'), id), addons: [] };
}

async function report(said: InstanceReport): Promise<void> {
  if (reportFile === undefined) return;
  await writeFile(`${reportFile}.new`, JSON.stringify(said));
  await rename(`${reportFile}.new`, reportFile);
}

/** Runs the tests of the modules of the branch in a database that is gone afterwards. */
async function test(): Promise<number> {
  const place = await placeOf();
  const { code } = order;
  if (code === undefined) throw new Error('There are no modules to test.');
  await databases.connected(server, (client) => databases.roleWithPassword(client, database));
  const from = await templateFor(place, order);
  try {
    await replace(place, { from, database }, async (temporary, had) => {
      const { modules: before } = had;
      await change(place, { database: temporary, role: database, code, before, order });
      return had;
    });
    return 0;
  } catch (error) {
    if (error instanceof Broken) return 1;
    throw error;
  } finally {
    await remove();
  }
}

/** Runs a command beside the Odoo that serves, in the same database and with the same code. */
async function run(): Promise<number> {
  const command = JSON.parse(await readFile(commandFile ?? '', 'utf8')) as InstanceCommand;
  const place = await placeOf();
  const had = await databases.connected(server, (client) =>
    databases.installedIn(client, database),
  );
  if (had === undefined) throw new Error('There is no database yet.');
  const { code, addons } = await served(had.commit);
  const at = { database, addons, own };
  const shell = command.what === 'shell';
  const home = await ownFolder(join(folder, 'command'), id);
  try {
    const { exited } = place.serve({
      args: shell
        ? shellArguments(at)
        : changingArguments(at, {
            install: [],
            update: command.modules,
            demo: order.demo,
            version,
          }),
      code,
      home,
      role: database,
      password: await readFile(roleFile, 'utf8'),
      input: shell ? command.script : undefined,
      onOutput: (chunk) => process.stdout.write(chunk),
    });
    return await exited;
  } finally {
    await removeTree(home);
  }
}

/** Makes the database of a dump, of which those of instances are copies from then on. */
async function prepareDumpOfOrder(): Promise<number> {
  const { dump } = order;
  if (dump?.file === undefined) throw new Error('There is no dump to prepare.');
  await prepareDump(await placeOf(), { ...dump, file: dump.file });
  await report({ seconds: Math.round(performance.now() / 1_000) });
  return 0;
}

async function remove(): Promise<void> {
  await databases.connected(server, async (client) => {
    await databases.drop(client, database);
    await databases.drop(client, `${database}_new`);
    await databases.dropRole(client, database);
    await databases.dropOfDump(client, PREFIX, id);
  });
}

/** Says why nothing was started, where that is for people, or for another attempt. */
async function reportFailure(error: unknown): Promise<void> {
  const seconds = Math.round(performance.now() / 1_000);
  if (error instanceof MissingDump) await report({ missing: 'dump', seconds });
  if (error instanceof Unusable) await report({ problem: error.message, seconds });
  if (isOfPostgres(error)) await report({ unavailable: true, seconds });
}

const [what] = process.argv.slice(2);
try {
  if (what === 'start') process.exitCode = await start();
  else if (what === 'test') process.exitCode = await test();
  else if (what === 'run') process.exitCode = await run();
  else if (what === 'template') await templateFor(await placeOf(), order);
  else if (what === 'prepare') process.exitCode = await prepareDumpOfOrder();
  else if (what === 'remove') await remove();
  else throw new Error('Say what to do: start, test, run, template, prepare or remove.');
} catch (error) {
  await reportFailure(error);
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
if (what !== 'remove' && what !== 'run')
  await rm(join(folder, 'etc'), { recursive: true, force: true });
