import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM_PATH } from '../../platform/pods/process/sandbox.ts';

/** Why the pods of this machine have no npm, as a sentence; undefined if they have. */
export function withoutNpm(path: string = SYSTEM_PATH): string | undefined {
  if (path.split(':').some((folder) => existsSync(join(folder, 'npm')))) return undefined;
  return `npm must be in one of the folders in which pods look for programs: ${path}.`;
}
