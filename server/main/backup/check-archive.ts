import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { readMigrations } from '../../db/migrate/files.ts';
import { checkHeader, type Manifest, readManifest } from '../../platform/archive/manifest.ts';
import { BadArchive, readArchive } from '../../platform/archive/read-archive.ts';
import type { Config } from '../../platform/config/config.ts';
import { keyIdOf } from '../../platform/sealing/sealing.ts';
import { EVENT_DATABASE } from '../../tasks/events/migrate-event-log.ts';
import { knownSecrets } from '../server-secret.ts';
import type { OnStep } from './progress.ts';

/** Where the migrations of each database of an archive are; the first is the main one. */
export const migrationsOf = (at: number): string =>
  at === 0 ? join(import.meta.dirname, '../../db') : EVENT_DATABASE;

/** Reads the whole archive, and says what is in it. Throws BadArchive. */
export async function checkArchive(file: FileHandle, onStep: OnStep): Promise<Manifest> {
  const { size } = await file.stat();
  let bytes = 0;
  const manifest = readManifest(
    await readArchive(file, {
      onHeader: checkHeader,
      onEntry: async (_, some) => {
        onStep({ what: 'check the archive', done: bytes, of: size });
        for await (const chunk of some) bytes += chunk.length;
      },
    }),
  );
  for (const [at, { migrations }] of manifest.databases.entries())
    await checkMigrations(migrationsOf(at), migrations, manifest.version);
  return manifest;
}

/** The migrations of the archive must be the first of this version. */
async function checkMigrations(
  directory: string,
  applied: Manifest['databases'][number]['migrations'],
  version: string,
): Promise<void> {
  const known = await readMigrations(directory);
  const unknown = applied.find(({ name }) => !known.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new BadArchive(
      `This backup is of a newer Guildhall (${version}), whose database has ${unknown.name}: restore it ` +
        'with that version, or with a later one.',
    );
  const wrong = applied.find(({ name, sha256 }, at) => {
    const expected = known[at];
    return expected?.name !== name || expected.sha256 !== sha256;
  });
  if (wrong !== undefined)
    throw new BadArchive(
      `This backup is of a version that was never released: its migration ${wrong.name} is not the one ` +
        'that this version knows. Restore it with the version that made it.',
    );
}

/**
 * Whether what is sealed in the backup will open. Throws an Error with a sentence where it will not,
 * unless that was accepted. Returns the secret that DATA_DIR has to get, if the archive has it.
 */
export async function checkSecret(
  config: Config,
  { server_secret: { key_id, value } }: Manifest,
  acceptOther: boolean,
): Promise<string | undefined> {
  const here = (await knownSecrets(config))?.current;
  if (here === undefined && value !== undefined) return value;
  if (acceptOther || key_id === null || (here !== undefined && keyIdOf(here) === key_id))
    return undefined;
  throw new Error(
    `SERVER_SECRET must be the one of the servers that were backed up: ${
      here === undefined ? 'none is set' : 'it is another one'
    }. Without it, second factors, secrets of projects and connections do not open, and links in mails ` +
      'are void. Nothing was changed. Set it, or put the file server-secret of the old DATA_DIR into ' +
      'the new one; if it is lost for good, add --accept-other-secret.',
  );
}
