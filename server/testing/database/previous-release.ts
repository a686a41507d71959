import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The tree of the previous release, whose servers go on while this one is put in their place: the
 * newest commit with its schema alone. A release sets it, together with `npm run statements`.
 */
export const PREVIOUS_COMMIT = 'f6c2e3b697f5fe14556838844024c44f20819dd7';

/** Names a folder with that tree and its packages; `npm run test:skipped` makes it. */
export const PREVIOUS_VARIABLE = 'GUILDHALL_TEST_PREVIOUS';

/** The command line of that release, or why there is none. */
export function previousProgram(): { program: string } | { missing: string } {
  const folder = process.env[PREVIOUS_VARIABLE];
  if (folder === undefined)
    return { missing: `${PREVIOUS_VARIABLE} names no tree of the previous release` };
  const program = join(folder, 'cli/guildhall.ts');
  return existsSync(program) ? { program } : { missing: `${program} is not there` };
}
