import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { auditLedger, type LedgerAudit } from '../../billing/audit/ledger-audit.ts';
import { checkRepositories, endCopy, faultOf, gitDirOf } from '../../code/index.ts';
import { beginLoad, type Load } from '../../db/copy/copy-in.ts';
import { openDatabase } from '../../db/database/database.ts';
import { listMigrations } from '../../db/migrate/files.ts';
import { beginRestore, type Held } from '../../db/migrate/half-restored.ts';
import { migrate } from '../../db/migrate.ts';
import type { Manifest } from '../../platform/archive/manifest.ts';
import { checkHeader } from '../../platform/archive/manifest.ts';
import { readArchive } from '../../platform/archive/read-archive.ts';
import type { Config } from '../../platform/config/config.ts';
import { openFileStore } from '../../platform/files/open-file-store.ts';
import { writeFolderId } from '../../platform/folder-id.ts';
import { closeInReverse } from '../closing.ts';
import { openEmbedded } from '../open-database.ts';
import { checkArchive, checkSecret, migrationsOf } from './check-archive.ts';
import { copyIn } from './copy-in.ts';
import { type Marker, readMarker, removeMarker, writeFirstMarker, writeMarker } from './marker.ts';
import { checkPlace, clearPlace, endsHere, makePlace, placesOf } from './place.ts';
import type { OnStep } from './progress.ts';
import { isRestored, recordBackup } from './record-backup.ts';

interface RestoreOptions {
  file: string;
  /** Whether the SERVER_SECRET may be another one. */
  acceptOtherSecret: boolean;
  onStep: OnStep;
}

export interface Restored {
  manifest: Manifest;
  /** Undefined where an earlier restore had found out, and only its last step was missing. */
  found?: { ledger: LedgerAudit; repositories: { name: string; fault: string }[] };
}

/**
 * Writes a backup to an empty place, once the whole archive is proven. Until the end, a file among the
 * repositories and a row in each database keep servers from starting there, and let the next restore begin anew.
 * Throws BadArchive, and an Error with a sentence.
 */
export async function restore(
  config: Config,
  { file: path, acceptOtherSecret, onStep }: RestoreOptions,
): Promise<Restored> {
  const file = await openArchive(path);
  const closing: (() => Promise<void>)[] = [() => file.close()];
  try {
    onStep({ what: 'begin' });
    const before = await checkPlace(config);
    const manifest = await checkArchive(file, onStep);
    requireEventDatabase(config, manifest);
    if (await endsHere(config, before, manifest.id)) return { manifest };
    const secret = await checkSecret(config, manifest, acceptOtherSecret);

    // The archive may have taken a while.
    const { left } = await checkPlace(config);
    const dataDir = await makePlace(config);
    onStep({ what: 'mark' });
    const files = config.files.s3 === undefined ? (left?.files ?? randomUUID()) : undefined;
    const marked = {
      id: manifest.id,
      places: placesOf(config),
      ...(files === undefined ? {} : { files }),
    };
    const mark = (state: Marker['state']) => writeMarker(config.repositories, { ...marked, state });
    if (left === undefined)
      await writeFirstMarker(config.repositories, { ...marked, state: 'writing' });
    const urls = await openDatabases(config, closing);
    const { connectTimeout } = config.database;
    const held: Held[] = [];
    for (const url of urls) {
      onStep({ what: 'empty the database' });
      const isFreed = async () => {
        const now = await readMarker(config.repositories);
        if (now?.state !== 'ending') return false;
        // Events in a database of their own have no such row; it is freed before the main one.
        return url !== urls[0] || isRestored(url, now, connectTimeout);
      };
      held.push(await beginRestore(url, { isFreed, connectTimeout }));
      closing.push(held.at(-1)?.close as () => Promise<void>);
    }
    // Only now: the one that has left it may go on until here, and end.
    if (left !== undefined) {
      await mark('writing');
      await clearPlace(config);
    }
    if (files !== undefined) {
      await mkdir(config.files.folder, { recursive: true, mode: 0o700 });
      await writeFolderId(config.files.folder, files);
    }
    if (secret !== undefined)
      await writeFile(join(dataDir, 'server-secret'), `${secret}\n`, { mode: 0o600, flush: true });
    await write(config, { file, manifest, urls, closing, onStep });

    onStep({ what: 'migrate' });
    for (const [at, url] of urls.entries())
      await migrate(url, { directory: migrationsOf(at), connectTimeout, restoring: true });
    const found = {
      ledger: await audit(config, urls[0] as string),
      repositories: await endRepositories(config, manifest, onStep),
    };
    await recordBackup(urls[0] as string, {
      action: 'backup.restore',
      id: manifest.id,
      place: `${hostname()}:${config.repositories}`,
      connectTimeout,
    });
    onStep({ what: 'end' });
    await mark('ending');
    for (const one of held.reverse()) {
      onStep({ what: 'free the database' });
      await one.end();
    }
    onStep({ what: 'free the folder' });
    await removeMarker(config.repositories);
    onStep({ what: 'done' });
    return { manifest, found };
  } finally {
    await closeInReverse(closing);
  }
}

async function openArchive(path: string): Promise<FileHandle> {
  // A pipe into which nobody writes would keep it waiting.
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${path} cannot be read (${error.code}): specify a file of \`guildhall backup\`.`,
    );
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a file: specify a file of \`guildhall backup\`.`);
}

/** The databases, the main one first. */
async function openDatabases(config: Config, closing: (() => Promise<void>)[]): Promise<string[]> {
  const events = config.eventDatabaseUrl === undefined ? [] : [config.eventDatabaseUrl];
  if (config.databaseUrl !== undefined) return [config.databaseUrl, ...events];
  const embedded = await openEmbedded(config.dataDir);
  closing.push(embedded.stop);
  return [embedded.url, ...events];
}

function requireEventDatabase({ eventDatabaseUrl }: Config, { databases }: Manifest): void {
  const apart = databases.length > 1;
  if (apart === (eventDatabaseUrl !== undefined)) return;
  throw new Error(
    apart
      ? 'EVENT_DATABASE_URL must name an empty database: in this backup, events are in one of their own. Nothing was changed.'
      : 'EVENT_DATABASE_URL must not be set: in this backup, events are in the main database. Nothing was changed.',
  );
}

interface Write {
  file: FileHandle;
  manifest: Manifest;
  urls: string[];
  closing: (() => Promise<void>)[];
  onStep: OnStep;
}

/** Everything that is in the archive; all tables are committed at the end, and not before. */
async function write(config: Config, { file, manifest, urls, closing, onStep }: Write) {
  const { connectTimeout } = config.database;
  await checkRepositories(config.repositories);
  const loads: Load[] = [];
  for (const [at, { migrations, tables }] of manifest.databases.entries()) {
    const url = urls[at] as string;
    onStep({ what: 'make tables' });
    const directory = migrationsOf(at);
    const last = migrations.at(-1)?.name;
    // Those of an older schema come when its rows are there. The newest has views and functions, too.
    const upTo = last === (await listMigrations(directory)).at(-1) ? undefined : last;
    await migrate(url, { directory, upTo, connectTimeout, restoring: true });
    loads.push(await beginLoad(url, tables, connectTimeout));
    closing.push(loads.at(-1)?.close as () => Promise<void>);
  }
  const store = await openFileStore(config.files.folder, config.files.s3);
  closing.push(store.close);
  const { onEntry, end } = copyIn({
    manifest,
    loads,
    store,
    directory: config.repositories,
    onStep,
  });
  await readArchive(file, { onHeader: checkHeader, onEntry });
  await end();
  for (const load of loads) {
    onStep({ what: 'check references' });
    await load.commit();
  }
}

async function audit(config: Config, url: string): Promise<LedgerAudit> {
  const db = openDatabase({ url, ...config.database, poolSize: 2 });
  try {
    return await auditLedger(db);
  } finally {
    await db.close();
  }
}

/** Sets all branches, and returns what `git fsck` says against repositories. */
async function endRepositories(
  { repositories: directory }: Config,
  { folder_id, repositories }: Manifest,
  onStep: OnStep,
): Promise<{ name: string; fault: string }[]> {
  if (folder_id !== null) await writeFolderId(directory, folder_id);
  const faults: { name: string; fault: string }[] = [];
  for (const [done, { project, name }] of repositories.entries()) {
    onStep({ what: 'git fsck', which: `${project}/${name}`, done, of: repositories.length });
    const gitDir = gitDirOf(directory, project, name);
    await endCopy(gitDir);
    const fault = await faultOf(gitDir);
    if (fault !== undefined) faults.push({ name: `${project}/${name}.git`, fault });
  }
  return faults;
}
