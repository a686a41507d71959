import { readFileSync, statSync } from 'node:fs';

const MOST_BYTES = 64 * 1024;

/**
 * The text of a setting that may hold a secret, from the file that `NAME_FILE` names, without the
 * newline at its end. Undefined without such a file; a file that cannot be used is a fault, which
 * repeats nothing of what it contains.
 */
export function fromFile(
  name: string,
  env: Record<string, string | undefined>,
  faults: string[],
): string | undefined {
  const variable = fileVariable(name);
  const path = env[variable];
  if (!path) return undefined;
  if (env[name]) {
    faults.push(`${variable} must not be set together with ${name}: remove one of them`);
    return undefined;
  }
  const read = readSecret(path);
  if ('text' in read) return read.text;
  faults.push(`${variable} must name a file with the secret, not "${path}": ${read.fault}`);
  return undefined;
}

export const fileVariable = (name: string): string => `${name}_FILE`;

function readSecret(path: string): { text: string } | { fault: string } {
  try {
    // Whatever is no file, such as a pipe, could be waited for without an end.
    const stats = statSync(path);
    if (stats.isDirectory()) return { fault: 'it is a folder' };
    if (!stats.isFile()) return { fault: 'it is not a regular file' };
    if (stats.size > MOST_BYTES) return { fault: `it is larger than ${MOST_BYTES / 1024} KiB` };
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    if (text.includes('\0') || text.includes('\uFFFD')) return { fault: 'it is not text' };
    return text === '' ? { fault: 'it is empty' } : { text };
  } catch (error) {
    return { fault: `it cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
