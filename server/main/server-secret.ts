import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../platform/config/config.ts';
import type { ServerSecrets } from '../platform/sealing/sealing.ts';
import { writeOnce } from '../platform/write-once.ts';

/**
 * The secret that signs invitation links: the configured one, or one stored in DATA_DIR, which is
 * made on first use.
 */
export async function serverSecret({
  serverSecret: configured,
  dataDir,
}: Pick<Config, 'serverSecret' | 'dataDir'>): Promise<string> {
  if (configured !== undefined) return configured;
  const known = await storedIn(dataDir);
  if (known !== undefined) return known;
  await mkdir(dataDir, { recursive: true }).catch((error) => {
    // Mostly in a container with a read-only file system; mkdir then reports ENOENT.
    throw new Error(
      `SERVER_SECRET is not set, and none can be stored in ${dataDir} (${error.code}): ` +
        'set one of at least 32 characters.',
    );
  });
  // Two processes that start at once use the same one.
  await writeOnce(fileIn(dataDir), `${randomBytes(32).toString('base64url')}\n`);
  return (await storedIn(dataDir)) as string;
}

/** As of SERVER_SECRET: what is shorter can be guessed, and what is empty is known to everybody. */
const SHORTEST = 32;

/**
 * The secret that is stored there; undefined where there is none. Throws an Error with a sentence for one
 * that cannot be read, or is none: another one in its place would open nothing that is sealed.
 */
async function storedIn(dataDir: string): Promise<string | undefined> {
  const file = fileIn(dataDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) return undefined;
    throw new Error(
      `${file} cannot be read by this user (${error.code}), and has the secret of the servers: change its ` +
        'permissions, or run this as their user.',
      { cause: error },
    );
  });
  const secret = text?.trim();
  if (secret === undefined || secret.length >= SHORTEST) return secret;
  throw new Error(
    `${file} must have the secret of the servers, at least ${SHORTEST} characters, and ` +
      `${secret === '' ? 'is empty' : `has ${secret.length}`}: put a copy of it there, or set SERVER_SECRET. Remove the ` +
      'file only where no server has used it.',
  );
}

const fileIn = (dataDir: string) => join(dataDir, 'server-secret');

type Known = Pick<Config, 'serverSecret' | 'previousServerSecret' | 'dataDir'>;

/** The secrets of the servers, as far as a process has them that makes none. Throws as `storedIn`. */
export async function knownSecrets({
  serverSecret: configured,
  previousServerSecret: previous,
  dataDir,
}: Known): Promise<ServerSecrets | undefined> {
  const current = configured ?? (await storedIn(dataDir));
  return current === undefined ? undefined : { current, previous };
}
