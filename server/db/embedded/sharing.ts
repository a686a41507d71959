import * as fs from 'node:fs/promises';
import type { Cluster, Running } from './cluster.ts';
import { inUseLock, startingLock } from './data-dir.ts';
import { isFree, lock, type Release } from './file-lock.ts';
import { halt, haltProcess } from './halt.ts';

/**
 * How processes share the PostgreSQL of a DATA_DIR. It outlives the process that started it when
 * that process is killed, so two locks tell the state: `postgres.lock` is held while a process
 * starts or stops PostgreSQL, and `postgres-in-use.lock` is shared by every process that uses it.
 */
export interface Shared {
  cluster: Cluster;
  running: Running;
  started: boolean;
  /** Stops PostgreSQL when no other process uses it. Further calls do nothing more. */
  leave(): Promise<void>;
}

/**
 * Registers this process as a user of PostgreSQL while `open` finds or starts it. `alone`: there is
 * no other user.
 */
export async function share(
  dataDir: string,
  log: (line: string) => void,
  open: (alone: boolean) => Promise<Omit<Shared, 'leave'>>,
  signal?: AbortSignal,
): Promise<Shared> {
  const onWait = () =>
    log(`Another process is starting or stopping PostgreSQL in ${dataDir}: waiting.`);
  const unlock = await lock(startingLock(dataDir), 'exclusive', onWait, signal);
  try {
    const alone = isFree(inUseLock(dataDir));
    const release = await lock(inUseLock(dataDir), 'shared', onWait, signal);
    try {
      const opened = await open(alone);
      const lockFile = await identityOf(inUseLock(dataDir));
      return { ...opened, leave: once(() => leave({ ...opened, release, lockFile, onWait })) };
    } catch (error) {
      release();
      throw error;
    }
  } finally {
    unlock();
  }
}

interface Use {
  cluster: Cluster;
  running: Running;
  release: Release;
  lockFile: string | undefined;
  onWait: () => void;
}

async function leave(use: Use): Promise<void> {
  const { cluster, running, release, lockFile } = use;
  const isInPlace = async () => (await identityOf(inUseLock(cluster.dataDir))) === lockFile;
  if (await isInPlace()) {
    try {
      await releaseAndHalt(use);
    } catch (error) {
      if (await isInPlace()) throw error;
    }
  }
  if (await isInPlace()) return;
  // The DATA_DIR was removed or moved. No other process can find this PostgreSQL any more, so none
  // would ever stop it.
  release();
  await haltProcess(running.postmaster);
}

async function releaseAndHalt({ cluster, release, onWait }: Use): Promise<void> {
  const unlock = await lock(startingLock(cluster.dataDir), 'exclusive', onWait);
  try {
    release();
    if (isFree(inUseLock(cluster.dataDir))) await halt(cluster);
  } finally {
    unlock();
  }
}

/**
 * Tells a file apart from a later one at the same path; undefined when it is gone. The number of
 * its inode is not given to another file while the lock holds this one open.
 */
async function identityOf(path: string): Promise<string | undefined> {
  const stat = await fs.stat(path, { bigint: true }).catch(() => undefined);
  return stat && `${stat.dev}:${stat.ino}`;
}

function once(act: () => Promise<void>): () => Promise<void> {
  let acting: Promise<void> | undefined;
  return () => {
    acting ??= act();
    return acting;
  };
}
