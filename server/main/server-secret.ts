import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../platform/config/config.ts';
import type { ServerSecrets } from '../platform/sealing/sealing.ts';

/**
 * The secret that signs invitation links: the configured one, or one stored in DATA_DIR, which is
 * made on first use.
 */
export async function serverSecret({
  serverSecret: configured,
  dataDir,
}: Pick<Config, 'serverSecret' | 'dataDir'>): Promise<string> {
  if (configured !== undefined) return configured;
  const file = fileIn(dataDir);
  const read = () => readFile(file, 'utf8').then((text) => text.trim());
  return read().catch(async () => {
    await mkdir(dataDir, { recursive: true }).catch((error) => {
      // Mostly in a container with a read-only file system; mkdir then reports ENOENT.
      throw new Error(
        `SERVER_SECRET is not set, and none can be stored in ${dataDir} (${error.code}): ` +
          'set one of at least 32 characters.',
      );
    });
    // Linked into place complete, and only if there is none yet: two processes that start at once
    // use the same one.
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    await link(draft, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await unlink(draft);
    return read();
  });
}

const fileIn = (dataDir: string) => join(dataDir, 'server-secret');

type Known = Pick<Config, 'serverSecret' | 'previousServerSecret' | 'dataDir'>;

/** The secrets of the servers, as far as a process has them that makes none. */
export async function knownSecrets({
  serverSecret: configured,
  previousServerSecret: previous,
  dataDir,
}: Known): Promise<ServerSecrets | undefined> {
  const stored = () => readFile(fileIn(dataDir), 'utf8').catch(() => '');
  const current = configured ?? (await stored()).trim();
  return current === '' ? undefined : { current, previous };
}
