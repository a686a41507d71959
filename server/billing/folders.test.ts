import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

/** The folders of billing: each may import those before it, and never one after it. */
const FOLDERS = [
  'ledger',
  'usage',
  'transactions',
  'pdf',
  'invoices',
  'cards',
  'top-ups',
  'mode',
  'auto-reload',
  'spend-limits',
  'notices',
  'report',
  'audit',
];

test('the folders of billing depend on each other in one direction', async () => {
  const upwards: string[] = [];
  for await (const file of glob('*/**/*.ts', { cwd: import.meta.dirname })) {
    if (file.endsWith('.test.ts')) continue;
    const source = await readFile(join(import.meta.dirname, file), 'utf8');
    const own = FOLDERS.indexOf(file.split('/')[0] as string);
    assert.ok(own >= 0, `${file}: name its folder here, after those it imports`);
    for (const [, folder] of source.matchAll(/from '\.\.\/([^./]+)\//g))
      if (FOLDERS.indexOf(folder as string) > own) upwards.push(`${file} imports ${folder}`);
  }
  assert.deepEqual(upwards, []);
});
