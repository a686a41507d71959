import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { CodeOrder, InstanceOrder } from '../../server/erp/instances/instance-order.ts';
import { changingArguments, SHELL_SCRIPT, shellArguments } from './arguments.ts';
import { boundedGrowth, TooLarge } from './bounded-growth.ts';
import * as databases from './database.ts';
import { neutralizeOwn } from './neutralize.ts';
import { Broken, inFolder, type Place } from './place.ts';
import { Unusable } from './unusable.ts';

/**
 * Makes the database of an instance what its order says. Each change is made in a copy, which takes
 * the place of what was there once Odoo has made it: one that Odoo cannot make changes nothing, and
 * one that is interrupted is made again.
 */

/** What was prepared of the dump of the project is not there any more. */
export class MissingDump extends Error {}

const GONE = 'What was prepared of the dump is gone.';

/** What the names of databases begin with that are kept. */
export const PREFIX = 'guildhall_odoo_';

const NOTHING: CodeOrder = { commit: '', folder: '', addons: [], modules: {} };

/**
 * The template that a database of this order is a copy of: Odoo alone, or with the modules of the
 * branch that tasks of the project begin with. It is made if it is missing, and brought up to date.
 */
export async function templateFor(place: Place, order: InstanceOrder): Promise<string> {
  const { version, edition } = place;
  const { base, demo, dump } = order;
  const data = demo ? 'demo' : 'empty';
  const kind = [version, edition, dump?.id ?? data].join('_').replaceAll(/\W/g, '_');
  const first = dump?.database ?? `${PREFIX}${kind}`;
  if (dump === undefined)
    await kept(place, first, async (temporary, role) => {
      const code = NOTHING;
      await databases.copyDatabase(place.server, { from: 'template0', to: temporary, role });
      await change(place, { database: temporary, role, code, before: {}, order: { demo } });
      await inShell(place, temporary, role);
      return { role, modules: { base: '' }, data };
    });
  const installed = (database: string) =>
    databases.connected(place.server, (client) => databases.installedIn(client, database));
  const begun = await installed(first);
  if (begun === undefined) throw new MissingDump(GONE);
  if (base === undefined || Object.keys(base.modules).length === 0) return first;
  const names = Object.keys(base.modules).toSorted();
  const key = createHash('sha256').update(JSON.stringify([order.project, kind, names]));
  const template = `${PREFIX}${key.digest('hex').slice(0, 24)}`;
  try {
    await kept(
      place,
      template,
      async (temporary, role, before) => {
        const from = before === undefined ? first : template;
        await databases.copyDatabase(place.server, { from, to: temporary, role });
        const had = before ?? begun;
        await neutralizeOwn(place, { database: temporary, role, code: base, had });
        await change(place, {
          database: temporary,
          role,
          code: base,
          before: had.modules,
          order: { demo },
        });
        const { commit } = base;
        return { ...had, role, modules: { ...had.modules, ...base.modules }, commit };
      },
      { code: base, project: order.project },
    );
  } catch (error) {
    // The branch of the task may mend what is broken on the one that it begins with.
    if (!(error instanceof Broken || error instanceof Unusable)) throw error;
    return first;
  }
  if ((await installed(first)) !== undefined) return template;
  // The dump was deleted meanwhile, with what was kept of it until then.
  await databases.connected(place.server, (client) => databases.drop(client, template));
  throw new MissingDump(GONE);
}

/** Whether these modules are installed as they are in this code. */
const has = (installed: databases.Installed, { modules }: Pick<CodeOrder, 'modules'>): boolean =>
  Object.entries(modules).every(([name, tree]) => installed.modules[name] === tree);

/** Makes a template unless it is there as it shall be. Of several at once, one makes it. */
async function kept(
  { server }: Place,
  template: string,
  make: (
    temporary: string,
    role: string,
    before: databases.Installed | undefined,
  ) => Promise<databases.Installed>,
  {
    code = NOTHING,
    project,
  }: { code?: Pick<CodeOrder, 'commit' | 'modules'>; project?: string } = {},
): Promise<void> {
  const used = () => (project === undefined ? {} : { project, usedAt: new Date().toISOString() });
  await databases.alone(server, template, async (client) => {
    const now = await databases.installedIn(client, template);
    if (now !== undefined && has(now, code)) {
      const { commit } = code;
      if (commit !== '') await databases.note(client, template, { ...now, commit, ...used() });
      return;
    }
    const temporary = `${template}_new`;
    const role = `${template}_${randomBytes(4).toString('hex')}`;
    await databases.roleWithPassword(client, role);
    const installed = await make(temporary, role, now).catch(async (error) => {
      await databases.drop(client, temporary);
      await databases.dropRole(client, role);
      throw error;
    });
    await databases.keepAsTemplate(client, temporary, role);
    await databases.note(client, temporary, { ...installed, ...used() });
    await databases.renameDatabase(client, temporary, template);
    await databases.dropOldest(client, PREFIX);
  });
}

interface Change {
  database: string;
  role: string;
  code: CodeOrder;
  /** The modules that it has, with the trees that they were installed or updated from. */
  before: Record<string, string>;
  order: Pick<InstanceOrder, 'demo' | 'testTags'>;
}

/** Installs what is missing and updates what is another. Throws Broken. Returns what Odoo has said. */
export async function change(
  place: Place,
  { database, role, code, before, order }: Change,
): Promise<string> {
  const wanted = Object.entries(code === NOTHING ? { base: '' } : code.modules);
  const at = { database, role };
  const has = code === NOTHING ? new Map() : await statesIn(place, at, Object.keys(code.modules));
  const install = wanted.flatMap(([name]) => (INSTALLED.includes(has.get(name)) ? [] : [name]));
  const update = wanted.flatMap(([name, tree]) =>
    !install.includes(name) && ((before[name] ?? '') !== tree || order.testTags !== undefined)
      ? [name]
      : [],
  );
  if (install.length + update.length === 0 && order.testTags === undefined) return '';
  const { demo, testTags } = order;
  const run = { database, addons: code.addons, own: place.own };
  const changes = { install, update, demo, testTags, version: place.version };
  const { code: ended, said } = await boundedGrowth(place.server, at, () =>
    inFolder(place, role, { args: changingArguments(run, changes), code: code.folder }),
  ).catch((error) => {
    throw error instanceof TooLarge ? new Broken(error.message) : error;
  });
  if (ended !== 0) throw new Broken(said);
  if (code === NOTHING || install.length === 0) return said;
  const now = await statesIn(place, at, install);
  const missing = install.filter(
    (name) => ![...INSTALLED, 'uninstallable'].includes(now.get(name) ?? ''),
  );
  if (missing.length === 0) return said;
  const sentence =
    `Odoo has not installed ${missing.join(', ')}: no module has this name, or its ` +
    '__manifest__.py cannot be read.';
  process.stdout.write(`${sentence}\n`);
  throw new Broken(`${sentence}\n\n${said}`);
}

const INSTALLED = ['installed', 'to upgrade'];

/**
 * Of these modules, by name. Odoo ends well, too, when it ignores one that it was to install. Read as the
 * role of the instance: what modules have made of the table runs with the rights of its reader.
 */
async function statesIn(
  { server }: Place,
  { database, role }: Pick<Change, 'database' | 'role'>,
  names: readonly string[],
): Promise<Map<string, string>> {
  const password = await databases.connected(server, (client) =>
    databases.roleWithPassword(client, role),
  );
  const config = { ...server, database, user: role, password };
  return databases.connected(config, async (client) => {
    const { rows } = await client.query<{ name: string; state: string }>(
      'select name, state from public.ir_module_module where name = any($1)',
      [names],
    );
    return new Map(rows.map(({ name, state }) => [name, state]));
  });
}

async function inShell(place: Place, database: string, role: string): Promise<void> {
  const args = shellArguments({ database, addons: [], own: place.own });
  const { code, said } = await inFolder(place, role, { args, code: '', input: SHELL_SCRIPT });
  if (code !== 0) throw new Broken(said);
}

interface Prepared {
  commit: string | undefined;
  broken: Broken | undefined;
  data: databases.Installed['data'];
}

/**
 * Makes the database of an instance what its order says. Returns the commit whose modules it has, and
 * what could not be installed: it is then as it was before.
 */
export async function prepare(
  place: Place,
  { database, order }: { database: string; order: InstanceOrder },
): Promise<Prepared> {
  const role = database;
  const ask = <Result>(work: (client: pg.Client) => Promise<Result>) =>
    databases.connected(place.server, work);
  const installed = () => ask((client) => databases.installedIn(client, database));
  await ask((client) => databases.roleWithPassword(client, role));
  if ((await installed()) === undefined) {
    const from = await templateFor(place, order);
    await replace(place, { from, database }, async (temporary, had) => {
      await neutralizeOwn(place, { database: temporary, role, code: order.code, had });
      return had;
    });
  }
  const had = (await installed()) as databases.Installed;
  const { data = order.demo ? 'demo' : 'empty' } = had;
  const { code } = order;
  if (code === undefined) return { commit: had.commit, broken: undefined, data };
  const { commit } = code;
  const { dump } = had;
  const now = { role, modules: { ...had.modules, ...code.modules }, commit, data, dump };
  if (has(had, code)) {
    await ask((client) => databases.note(client, database, now));
    return { commit, broken: undefined, data };
  }
  try {
    await replace(place, { from: database, database }, async (temporary, { modules: before }) => {
      await change(place, { database: temporary, role, code, before, order });
      return now;
    });
    return { commit, broken: undefined, data };
  } catch (error) {
    if (error instanceof Broken) return { commit: had.commit, broken: error, data };
    throw error;
  }
}

/** Replaces a database by a copy that `work` has changed; it stays as it is where that fails. */
export async function replace(
  { server }: Place,
  { from, database }: { from: string; database: string },
  work: (temporary: string, had: databases.Installed) => Promise<databases.Installed>,
): Promise<void> {
  const role = database;
  const temporary = `${database}_new`;
  await databases.connected(server, async (client) => {
    const had = await databases.installedIn(client, from);
    if (had === undefined) throw new Error(`There is no database ${from} to copy.`);
    await databases.copyDatabase(server, { from, to: temporary, role });
    try {
      const installed = await work(temporary, { ...had, role });
      await databases.note(client, temporary, installed);
      await databases.renameDatabase(client, temporary, database);
    } catch (error) {
      await databases.drop(client, temporary);
      throw error;
    }
  });
}
