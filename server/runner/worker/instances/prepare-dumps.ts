import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { type InstanceDriver, InstanceError } from '../../../erp/index.ts';
import { FileMissing, type FileStore } from '../../../platform/files/file-store.ts';
import type { Loop } from '../../../platform/loop.ts';
import { openLoopWhenDue } from '../../../platform/loop-when-due.ts';
import * as rows from './dump-rows.ts';

/**
 * Prepares the dumps of projects, a few at a time in each process. A dump belongs to one process, by a
 * lease that it renews; when that has died, another one begins anew. What is left of a dump without a
 * row is removed as what is left of instances is.
 */
export interface DumpPreparer {
  start(): void;
  /** Leaves what is at work to others. */
  close(): Promise<void>;
}

export interface DumpPreparerOptions {
  driver: InstanceDriver;
  files: FileStore;
  /** Names this process among all, once. */
  owner: string;
  log: Logger;
  times?: Partial<typeof TIMES>;
}

/** In milliseconds. */
const TIMES = {
  poll: 1_000,
  beat: 5_000,
  lease: 30_000,
  /** Before what went wrong is tried again. */
  again: 10_000,
  /** How long one may take. */
  within: 3_600_000,
};
const MOST_ATTEMPTS = 3;
/** One that takes long does not hold up those of others. */
const AT_ONCE = 4;

const NOT_HERE =
  'This server prepares no dumps for the ERP version of the project any more: ask its operator for ' +
  'a `prepare` in erp_programs (docs/erp.md).';
const LOST = 'The bytes of the dump are not there any more. Upload it again.';
const LATE = 'It could not be prepared within an hour.';
const UNKNOWN =
  'It could not be prepared. The operator of this server finds the reason in the log of its worker.';

export function dumpPreparer(db: Database, options: DumpPreparerOptions): DumpPreparer {
  const { driver, files, owner, log } = options;
  const times = { ...TIMES, ...options.times };
  const keeper = { owner, lease: times.lease };
  const closing = new AbortController();
  const working = new Set<Promise<void>>();
  let loop: Loop | undefined;

  async function take(): Promise<void> {
    while (!closing.signal.aborted && working.size < AT_ONCE) {
      const dump = await rows.takeDump(db, keeper);
      if (dump === undefined) return;
      const done = prepare(dump)
        .catch((err) => log.warn({ err, dump: dump.id }, 'a dump could not be ended'))
        .finally(() => working.delete(done));
      working.add(done);
    }
  }

  async function prepare(dump: rows.TakenDump): Promise<void> {
    const { id } = dump;
    // Its row has gone, or another worker has it.
    const lost = new AbortController();
    const beating = setInterval(() => {
      rows.renewDump(db, keeper, id).then(
        (mine) => mine || lost.abort(),
        (err) => log.warn({ err, dump: id }, 'the lease of a dump could not be renewed'),
      );
    }, times.beat);
    const late = AbortSignal.timeout(times.within);
    const signal = AbortSignal.any([lost.signal, closing.signal, late]);
    try {
      const problem = await problemOf(dump, signal);
      if (problem === undefined) await rows.dumpReady(db, owner, id);
      else await failed(id, problem);
    } catch (err) {
      // Whoever has the row now does as it says; without one, the reaper removes what is left.
      if (lost.signal.aborted) return;
      if (closing.signal.aborted) return void (await rows.dumpPostponed(db, owner, id, 0));
      log.warn({ err, dump: id }, 'a dump could not be prepared');
      if (late.aborted) return await failed(id, LATE);
      if (err instanceof FileMissing) return await failed(id, LOST);
      if (dump.attempt >= MOST_ATTEMPTS) return await failed(id, sentenceOf(err));
      await rows.dumpPostponed(db, owner, id, times.again);
    } finally {
      clearInterval(beating);
    }
  }

  async function problemOf(
    { id, erpVersion, edition, key, size }: rows.TakenDump,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const spec = {
      id,
      erpVersion,
      edition,
      database: rows.databaseOfDump(id),
      password: randomBytes(24).toString('base64url'),
    };
    // What an earlier attempt has left.
    await driver.destroy(id);
    signal.throwIfAborted();
    const write = (path: string) =>
      pipeline(files.get(key, 0, size - 1), createWriteStream(path, { flags: 'wx', mode: 0o600 }), {
        signal,
      });
    const prepared = await driver.prepare?.(spec, { signal, write });
    return prepared === undefined ? NOT_HERE : prepared.problem;
  }

  async function failed(id: string, reason: string): Promise<void> {
    await driver.destroy(id).catch((err) => {
      log.warn({ err, dump: id }, 'what is left of a dump could not be removed; trying again');
    });
    await rows.dumpFailed(db, owner, id, reason);
  }

  return {
    start() {
      loop = openLoopWhenDue(take, {
        every: times.poll,
        what: 'preparing dumps',
        log,
        db,
        due: sql`exists (select from odoo_dump where state = 'preparing')`,
      });
      loop.start();
    },
    async close() {
      closing.abort();
      await loop?.stop();
      while (working.size > 0) await Promise.all(working);
    },
  };
}

const sentenceOf = (error: unknown): string =>
  error instanceof InstanceError && error.code === 'unavailable' ? error.sentence : UNKNOWN;
