import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { gitDirOf, makeRepository } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { removeLargeTree } from '../../../platform/pods/tree/remove-large-tree.ts';
import { CannotOpen, type Sealing } from '../../../platform/sealing/sealing.ts';
import { openQueueWorker, type QueueWorker } from '../commands/queue-worker.ts';
import { keepLease } from '../keep-lease.ts';
import { givenUp, ImportFailed, notAllowed, SourceFailed, unreadable } from './failures.ts';
import { copyOf, fetchSource, type ImportBounds } from './fetch-source.ts';
import { placeCopy, removeMarker } from './place-copy.ts';
import {
  beginPlacing,
  claimImport,
  endImport,
  failImport,
  type Import,
  isClaimable,
  isCopyWanted,
  LostImport,
  leaveImport,
  loginOf,
  type Phase,
  renewImport,
} from './rows.ts';

interface ImporterOptions {
  /** The folder of all repositories. */
  directory: string;
  /** Opens the credentials; without the server's secret, imports with one fail. */
  sealing: Sealing | undefined;
  bounds: ImportBounds;
  log: Logger;
  /** Throws where the folder is not the one of the tasks any more. */
  requireFolder?: () => Promise<void>;
  times?: Partial<ImportTimes>;
}

/** In milliseconds. */
interface ImportTimes {
  /** Between two polls for imports. */
  poll: number;
  /** How long an import belongs to its worker. */
  lease: number;
  /** Between two renewals, in each of which the worker learns that it has lost the import. */
  renew: number;
  /** After an attempt has failed, multiplied by the number of attempts. */
  again: number;
}

const TIMES: ImportTimes = { poll: 1_000, lease: 30_000, renew: 1_000, again: 5_000 };
/** Imports that one process carries out at once. */
const AT_ONCE = 2;
/** How often an import is begun with by workers that vanish, and a source asked that fails. */
const MOST_ATTEMPTS = 3;

/** Carries out the imports of repositories. Any number of processes may do so. */
export function importer(db: Database, options: ImporterOptions): QueueWorker {
  const place = { ...options, db, times: { ...TIMES, ...options.times } };
  return openQueueWorker({
    name: 'imports',
    log: options.log,
    atOnce: AT_ONCE,
    poll: place.times.poll,
    db,
    due: sql`exists (select from repository_import i where ${isClaimable})`,
    claim: () => claimImport(db, place.times.lease),
    run: (one, stopped) => runImport(place, one, stopped),
  });
}

type Place = ImporterOptions & { db: Database; times: ImportTimes };

async function runImport(place: Place, one: Import, stopped: AbortSignal): Promise<void> {
  const { db, log, times, directory } = place;
  const gitDir = gitDirOf(directory, one.projectId, one.name);
  let progress: { phase: Phase; received: number } = { phase: 'connecting', received: 0 };
  const tell = (phase: Phase, received: number) => {
    progress = { phase, received };
  };
  const lease = keepLease({
    renew: () => renewImport(db, one, times.lease, progress),
    isLost: (error) => error instanceof LostImport,
    expired: () => new LostImport(one.id),
    every: times.renew,
    silence: times.lease * 0.7,
  });
  try {
    // Renewed no more once the outcome is written, which gives it up.
    await removeCopies(gitDir, one)
      .then(() =>
        carryOut(place, gitDir, one, { tell, signal: AbortSignal.any([stopped, lease.lost]) }),
      )
      .finally(() => lease.end());
    await endImport(db, one);
    await removeMarker(gitDir, one.id);
    await removeCopies(gitDir, { ...one, copyId: null });
  } catch (error) {
    if (error instanceof LostImport || lease.lost.aborted) {
      // What others have left is theirs.
      if (!(await isCopyWanted(db, one))) await removeLargeTree(copyOf(gitDir, one.id, one.by));
      return;
    }
    if (error instanceof SourceFailed && one.attempt < MOST_ATTEMPTS)
      return void (await leaveImport(db, one, times.again * one.attempt));
    if (error instanceof ImportFailed) {
      log.info({ err: error, import: one.id }, 'an import has failed');
      await failImport(db, one, error.code, error.message);
      return await removeCopies(gitDir, { ...one, copyId: null });
    }
    if (!stopped.aborted) log.warn({ err: error, import: one.id }, 'an import could not be done');
    await leaveImport(db, one, stopped.aborted ? undefined : times.again * one.attempt);
  }
}

interface Doing {
  tell(phase: Phase, received: number): void;
  signal: AbortSignal;
}

/** Errors: ImportFailed; then the repository is as it was. */
async function carryOut(
  { db, sealing, bounds, requireFolder }: Place,
  gitDir: string,
  one: Import,
  { tell, signal }: Doing,
): Promise<void> {
  await requireFolder?.();
  await makeRepository(gitDir);
  if (one.copyId !== null)
    return placeCopy(gitDir, copyOf(gitDir, one.id, one.copyId), {
      importId: one.id,
      defaultBranch: one.defaultBranch as string,
    });
  if (one.attempt > MOST_ATTEMPTS) throw givenUp();
  if (!one.allowed) throw notAllowed();
  const login = readLogin(sealing, one);
  const copy = copyOf(gitDir, one.id, one.by);
  const found = await fetchSource(copy, { url: one.url, login }, bounds, {
    signal,
    onProgress: tell,
  });
  await beginPlacing(db, one, found);
  await placeCopy(gitDir, copy, { importId: one.id, defaultBranch: found.defaultBranch });
}

function readLogin(sealing: Sealing | undefined, one: Import) {
  if (one.credential !== null && sealing === undefined) throw unreadable();
  try {
    return sealing && loginOf(sealing, one);
  } catch (error) {
    if (error instanceof CannotOpen) throw unreadable();
    throw error;
  }
}

/** What other attempts have left, but for the copy that is to be put in place. */
async function removeCopies(
  gitDir: string,
  { id, copyId }: Pick<Import, 'id' | 'copyId'>,
): Promise<void> {
  const names = await readdir(dirname(gitDir)).catch(() => []);
  const kept = copyId === null ? undefined : basename(copyOf(gitDir, id, copyId));
  const prefix = `${basename(gitDir)}-${id}-`;
  for (const name of names)
    if (name.startsWith(prefix) && name.endsWith('.import') && name !== kept)
      await removeLargeTree(join(dirname(gitDir), name));
}
