import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import type { InstanceReport } from './instance-order.ts';
import { layOut } from './lay-out.ts';

test('the code that the database may have stays until a start has said which one it is', async () => {
  const root = await temporaryFolder();
  const files = { order: join(root, 'order.json'), report: join(root, 'report.json') };
  /** Lays out a commit after the start before has reported this; returns the commits that are there. */
  const after = async (report: InstanceReport | undefined, commit: string) => {
    if (report !== undefined) await writeFile(files.report, JSON.stringify(report));
    const code = { commit, folder: '', addons: ['.'], modules: {} };
    await layOut(root, files, { order: { project: '', demo: false, code }, fill: async () => {} });
    return (await readdir(join(root, 'code'))).toSorted();
  };
  assert.deepEqual(await after(undefined, 'a'), ['a']);
  assert.deepEqual(await after({ commit: 'a', seconds: 1 }, 'b'), ['a', 'b']);
  // PostgreSQL was away, and the next start was killed before it said anything.
  assert.deepEqual(await after({ unavailable: true, seconds: 1 }, 'c'), ['a', 'b', 'c']);
  assert.deepEqual(await after(undefined, 'd'), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await after({ commit: 'a', seconds: 1 }, 'd'), ['a', 'd']);
});
