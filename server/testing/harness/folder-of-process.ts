import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/**
 * A temporary folder that begins with this name, for all that this process does, also before the
 * first test of a file; it is removed as the process ends.
 */
export async function folderOfProcess(name: string): Promise<string> {
  if (folders.length === 0) process.once('exit', remove);
  const folder = await mkdtemp(join(tmpdir(), name));
  folders.push(folder);
  return folder;
}

function remove(): void {
  for (const folder of folders)
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // What a test has left still writes to it. The tests are over.
    }
}
