import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** What is in a linked tree, in the order of its paths. */
const NAMES = [
  'a',
  'a/file',
  'a/to-b',
  'absolute',
  'b',
  'b/to-a',
  'dangling',
  'hard',
  'outside',
  'self',
  'self-again',
  'up',
];

/** A folder with links to where nobody may go by way of it, beside a folder that they lead to. */
export async function makeLinkedTree(t: Pick<TestContext, 'after'>) {
  const place = await mkdtemp(join(tmpdir(), 'guildhall-links-'));
  t.after(() => rm(place, { recursive: true, force: true }));
  const tree = join(place, 'tree');
  const outside = join(place, 'outside');
  for (const folder of [tree, outside, join(tree, 'a'), join(tree, 'b')]) await mkdir(folder);
  await writeFile(join(outside, 'file'), 'of the machine');
  await writeFile(join(tree, 'a', 'file'), 'of the agent');
  await symlink('../outside', join(tree, 'outside'));
  await symlink(outside, join(tree, 'absolute'));
  await symlink('..', join(tree, 'up'));
  await symlink('.', join(tree, 'self'));
  await symlink('.', join(tree, 'self-again'));
  await symlink('../b', join(tree, 'a', 'to-b'));
  await symlink('../a', join(tree, 'b', 'to-a'));
  await symlink('nowhere', join(tree, 'dangling'));
  await link(join(outside, 'file'), join(tree, 'hard'));
  return { tree, outside, names: NAMES };
}
