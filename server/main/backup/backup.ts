import { randomUUID } from 'node:crypto';
import { RepositoryError } from '../../code/index.ts';
import { lockForBackup } from '../../db/backup-lock.ts';
import { openSnapshot, type Snapshot } from '../../db/copy/copy-out.ts';
import { halfRestored, stateOfDatabase } from '../../db/migrate/half-restored.ts';
import { FORMAT, type Manifest } from '../../platform/archive/manifest.ts';
import { beginArchive } from '../../platform/archive/write-archive.ts';
import type { Config } from '../../platform/config/config.ts';
import { openFileStore } from '../../platform/files/open-file-store.ts';
import { readFolderId } from '../../platform/folder-id.ts';
import { keyIdOf } from '../../platform/sealing/sealing.ts';
import { closeInReverse } from '../closing.ts';
import { openUnmigrated } from '../open-database.ts';
import { knownSecrets } from '../server-secret.ts';
import { archiveFile } from './archive-file.ts';
import { copyDatabase, copyFiles, copyObjects, copyReferences } from './copy-out.ts';
import type { OnStep } from './progress.ts';
import { recordBackup } from './record-backup.ts';
import { repositoriesOf, untilPacked } from './repositories.ts';

interface BackupOptions {
  /** Where the archive goes. */
  file: string;
  /** Whether a file that is there is replaced. */
  overwrite: boolean;
  /** Whether the archive has the SERVER_SECRET itself. */
  includeSecret: boolean;
  /** Whether files that the store has lost or damaged are left out instead of ending the backup. */
  allowMissing: boolean;
  onStep: OnStep;
}

/**
 * Writes the database, the files and the repositories into one archive, while servers run. First a
 * lock, because of which nothing is removed any more; then the snapshot, and at once what all branches
 * lead to; then bytes of files, and objects of repositories. So no row names a file or a commit that
 * the archive lacks. Throws an Error with a sentence; the file appears whole or not at all.
 */
export async function backup(
  config: Config,
  { includeSecret, allowMissing, onStep, ...options }: BackupOptions,
): Promise<{ manifest: Manifest; bytes: number }> {
  const closing: (() => Promise<void>)[] = [];
  const file = await archiveFile(options.file, options.overwrite);
  closing.push(file.close);
  try {
    onStep({ what: 'begin' });
    const { url, close } = await openUnmigrated(config);
    closing.push(close);
    const secret = (await knownSecrets(config))?.current;
    const { repositories: directory, eventDatabaseUrl } = config;
    const { connectTimeout } = config.database;
    for (const one of [url, ...(eventDatabaseUrl === undefined ? [] : [eventDatabaseUrl])])
      if ((await stateOfDatabase(one, connectTimeout)) === 'half restored') throw halfRestored();
    const lock = await lockForBackup(url, connectTimeout);
    closing.push(lock.close);
    const about = {
      id: randomUUID(),
      version: config.version,
      created_at: new Date().toISOString(),
    };
    await recordBackup(url, { action: 'backup.create', id: about.id, connectTimeout });
    await untilPacked(await repositoriesOf(directory), (which) =>
      onStep({ what: 'wait for git gc', which }),
    );
    // Events before the rows that they are of: a worker that goes on later takes a higher fence.
    const events: Snapshot[] = [];
    if (eventDatabaseUrl !== undefined) {
      const log = await openSnapshot(eventDatabaseUrl, connectTimeout);
      closing.push(log.close);
      events.push(log);
    }
    const main = await openSnapshot(url, connectTimeout);
    closing.push(main.close);
    const folderId = await boundTo(main, directory);
    const projects = await idsOf(main);
    const repositories = await repositoriesOf(directory, (project) => projects.has(project));

    const archive = await beginArchive(await file.create(), { format: FORMAT, ...about });
    closing.push(async () => archive.abandon());
    const to = { archive, onStep };
    await copyReferences(to, repositories);
    const databases: Manifest['databases'] = [];
    for (const [at, snapshot] of [main, ...events].entries())
      databases.push(await copyDatabase(to, snapshot, at));
    const store = await openFileStore(config.files.folder, config.files.s3);
    closing.push(store.close);
    const files = await copyFiles(to, main, { store, allowMissing });
    const copied = await copyObjects(to, repositories);
    await lock.check();
    const manifest: Manifest = {
      format: FORMAT,
      ...about,
      server_secret: {
        key_id: secret === undefined ? null : keyIdOf(secret),
        ...(includeSecret && secret !== undefined ? { value: secret } : {}),
      },
      folder_id: folderId,
      databases,
      files,
      repositories: copied,
    };
    onStep({ what: 'manifest', bytes: archive.written() });
    await archive.end(manifest);
    onStep({ what: 'name', bytes: archive.written() });
    const bytes = await file.publish();
    onStep({ what: 'end', bytes });
    return { manifest, bytes };
  } finally {
    await closeInReverse(closing);
  }
}

/**
 * The id of the folder of repositories that the database is bound to, if it is. Throws RepositoryError
 * where that is another one than here.
 */
async function boundTo({ pages }: Snapshot, directory: string): Promise<string | null> {
  for await (const [bound] of pages<{ id: string; place: string }>(
    'select id, place from repository_folder',
  )) {
    if (bound === undefined) break;
    if ((await readFolderId(directory)) === bound.id) return bound.id;
    throw new RepositoryError(
      `The repositories of this database are not in ${directory}, but in the folder that was first ` +
        `used as ${bound.place}: run this where DATA_DIR is the one that the workers share.`,
    );
  }
  return null;
}

async function idsOf({ pages }: Snapshot): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const page of pages<{ id: string }>('select id from project'))
    for (const { id } of page) ids.add(id);
  return ids;
}
