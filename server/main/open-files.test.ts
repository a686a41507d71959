import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { roomForConnections } from './open-files.ts';

const limits = async (files: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\n` +
  `Max processes             96365                96365                processes\n` +
  `Max open files            ${files.padEnd(20)} 1048576              files\n`;

test('no more connections are wanted than the limit of open files has room for', async () => {
  assert.equal(await roomForConnections(4096, limits('20000')), 4096);
  assert.equal(await roomForConnections(4096, limits('4296')), 4096);
  assert.equal(await roomForConnections(4096, limits('1024')), 824);
  assert.equal(await roomForConnections(4096, limits('256')), 64);
  assert.equal(await roomForConnections(10, limits('1024')), 10);
});

test('where the limit is not known, the setting stands', async () => {
  assert.equal(await roomForConnections(4096, limits('unlimited')), 4096);
  assert.equal(await roomForConnections(4096, Promise.reject(new Error('no such file'))), 4096);
});

const hasProc = existsSync('/proc/self/limits');

test('the limit of this process is the one that counts', {
  skip: !hasProc && 'needs /proc',
}, async () => {
  const module = join(import.meta.dirname, 'open-files.ts');
  const script = `console.log(await (await import(${JSON.stringify(module)})).roomForConnections(4096))`;
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'ulimit -n 700 && exec "$0" --input-type=module --eval "$1"',
    process.execPath,
    script,
  ]);
  assert.equal(Number(stdout), 500);
});
