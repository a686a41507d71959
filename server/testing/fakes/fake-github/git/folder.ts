import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the bare repositories of one fake are. */

const folders = new Set<string>();

// A test may end without closing its fake.
process.once('exit', () => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

export async function makeFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'fake-github-'));
  folders.add(made);
  return made;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  folders.delete(folder);
}
