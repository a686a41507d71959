import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import * as databases from './database.ts';
import { Broken, type Place } from './place.ts';
import { change } from './prepare.ts';

/** Which modules Odoo is told to install and to update, and whether it has. With Odoo: real-odoo.test.ts. */

/** `becomes`: the states that modules have once Odoo, which ends well, has run. `fill`: its folder. */
async function odooLike(
  t: Pick<TestContext, 'after'>,
  becomes: Record<string, string>,
  fill: (home: string) => void = () => {},
) {
  const { url, drop } = await cloneDatabase();
  const name = `guildhall_test_change_${randomUUID().slice(0, 8)}`;
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-change-'));
  const { hostname, port, username, password, pathname } = new URL(url);
  const own = { host: hostname, port: Number(port), user: username, password };
  const server = { ...own, database: pathname.slice(1) };
  await databases.connected(server, (client) => databases.roleWithPassword(client, name));
  await databases.copyDatabase(server, { from: 'template0', to: name, role: name });
  t.after(async () => {
    await databases.connected(server, async (client) => {
      await databases.drop(client, name);
      await databases.dropRole(client, name);
    });
    await drop();
    await rm(folder, { recursive: true });
  });
  const ask = (statement: string, values: string[] = []) =>
    databases.connected({ ...own, database: name }, (client) => client.query(statement, values));
  await ask('create table ir_module_module (name text, state text)');
  await ask(`grant all on ir_module_module to ${name}`);
  await ask(`insert into ir_module_module values
    ('old', 'installed'), ('same', 'installed'), ('sale', 'installed'), ('gone', 'uninstalled')`);
  const runs: string[][] = [];
  const place: Place = {
    server,
    psql: 'psql',
    id: randomUUID(),
    version: '19.0',
    edition: 'community',
    folder,
    own: [],
    async run({ args, home }) {
      fill(home);
      runs.push(args.filter((each) => /^--(init|update)=/.test(each)));
      for (const [module, state] of Object.entries(becomes)) {
        await ask('delete from ir_module_module where name = $1', [module]);
        await ask('insert into ir_module_module values ($1, $2)', [module, state]);
      }
      return { code: 0, said: 'WARNING invalid module names, ignored' };
    },
  };
  const before = { base: '', old: 'a', same: 'b', gone: 'c' };
  const to = (modules: Record<string, string>) => {
    const code = { commit: 'd', folder, addons: ['.'], modules };
    return change(place, { database: name, role: name, code, before, order: { demo: false } });
  };
  return { to, runs, folder };
}

test('what is not installed is installed, and what is another is updated', async (t) => {
  const { to, runs } = await odooLike(t, { gone: 'installed', new: 'installed' });
  // Someone has uninstalled `gone`, and `sale` came with something else.
  await to({ old: 'x', same: 'b', sale: '', gone: 'c', new: 'y' });
  assert.deepEqual(runs, [['--init=gone,new', '--update=old']]);
  await to({ same: 'b', sale: '' });
  assert.equal(runs.length, 1);
});

test('a module that Odoo has ignored is told, and not taken for installed', async (t) => {
  const { to } = await odooLike(t, { new: 'installed', off: 'uninstallable' });
  await assert.rejects(
    to({ new: 'y', sal: '', gone: 'c', off: 'z' }),
    (error) =>
      error instanceof Broken &&
      error.said.startsWith('Odoo has not installed sal, gone: no module has this name, or') &&
      error.said.endsWith('\n\nWARNING invalid module names, ignored'),
  );
});

test('a module whose manifest says that it is not to be installed is left out', async (t) => {
  const { to } = await odooLike(t, { off: 'uninstallable' });
  await to({ off: 'z' });
});

test('of what modules have filled their folder with nothing is left, however deep it is', async (t) => {
  const deep = `
    for (let depth = 0; depth < 50; depth++) {
      fs.mkdirSync('d'.repeat(200));
      process.chdir('d'.repeat(200));
    }`;
  const fill = (cwd: string) => execFileSync(process.execPath, ['-e', deep], { cwd });
  const { to, folder } = await odooLike(t, { new: 'installed' }, fill);
  await to({ new: 'y' });
  await assert.rejects(access(join(folder, 'home')), { code: 'ENOENT' });
});
