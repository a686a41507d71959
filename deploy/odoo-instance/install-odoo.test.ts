import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderOfProcess } from '../../server/testing/harness/folder-of-process.ts';

/** What the script decides before it fetches anything. For what it fetches see real-odoo.test.ts. */

const SCRIPT = join(import.meta.dirname, 'install-odoo.sh');
const RELEASE = 'usr/lib/python3/dist-packages/odoo/release.py';

const install = (...args: string[]) =>
  new Promise<{ code: number; out: string; said: string }>((resolve) => {
    // Nobody answers there.
    const env = { PATH: process.env.PATH, DEBIAN_MIRROR: 'http://127.0.0.1:9/debian' };
    execFile('sh', [SCRIPT, ...args], { env }, (error, out, said) =>
      resolve({ code: Number(error?.code ?? 0), out, said }),
    );
  });

async function unpacked(release: string): Promise<string> {
  const folder = join(await folderOfProcess('guildhall-install-odoo-'), 'odoo');
  await mkdir(join(folder, 'usr/bin'), { recursive: true });
  await mkdir(join(folder, RELEASE, '..'), { recursive: true });
  await writeFile(join(folder, 'usr/bin/odoo'), '');
  await writeFile(join(folder, RELEASE), release);
  return folder;
}

const SIXTEEN = "version_info = (16, 0, 0, FINAL, 0, '')\n";

test('what is there of the same version stays as it is', async () => {
  const folder = await unpacked(SIXTEEN);
  const { code, out } = await install('--version', '16.0', folder);
  assert.deepEqual([code, out], [0, `Odoo 16.0 is in ${folder} already.\n`]);
});

test('a folder with another version is refused, and stays as it is', async () => {
  const folder = await unpacked(SIXTEEN);
  const { code, said } = await install(folder);
  assert.deepEqual([code, said], [1, `Another version of Odoo is in ${folder}.\n`]);
  assert.equal(await readFile(join(folder, RELEASE), 'utf8'), SIXTEEN);
  assert.deepEqual(await readdir(join(folder, '..')), ['odoo']);
});

test('without a mirror of Ubuntu 16.0 is refused, and no folder is made', async () => {
  const folder = join(await folderOfProcess('guildhall-install-odoo-'), 'new');
  const { code, said } = await install('--version', '16.0', folder);
  assert.deepEqual([code, said], [1, 'Set UBUNTU_MIRROR to the address of a mirror of Ubuntu.\n']);
  await assert.rejects(stat(folder), { code: 'ENOENT' });
});

test('a version without packages is refused, and no folder is made', async () => {
  const folder = join(await folderOfProcess('guildhall-install-odoo-'), 'new');
  const { code, said } = await install('--version', '17.0', folder);
  assert.equal(code, 1);
  assert.match(said, /packages of 16\.0 and 19\.0 only, not of 17\.0/);
  await assert.rejects(stat(folder), { code: 'ENOENT' });
});
