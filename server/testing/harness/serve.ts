import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { until } from './until.ts';

export const GUILDHALL = join(import.meta.dirname, '../../../cli/guildhall.ts');

/** The real command, serving in a separate process. */
export interface Served {
  child: ChildProcess;
  url: string;
  metrics: string;
  /** Waits until this many log lines contain this text. */
  logged(part: string, times?: number): Promise<void>;
}

/**
 * Starts `guildhall serve` on free ports and without rate limits, unless `env` says otherwise. It
 * carries out tasks only with `work`: the agents of a test about something else would disturb it.
 * The caller has to end it. `program` is the command line of another release.
 */
export async function serve(
  env: Record<string, string>,
  args: string[] = [],
  { work = false, program = GUILDHALL }: { work?: boolean; program?: string } = {},
): Promise<Served> {
  const all = ['serve', '--json', ...(work ? [] : ['--no-work']), ...args];
  const child = spawn(process.execPath, [program, ...all], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      METRICS_PORT: '0',
      SERVER_SECRET: 'a secret for tests that is long enough',
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '1000000',
      RATE_LIMIT_INVITATIONS_PER_MINUTE: '1000000',
      RATE_LIMIT_UPLOADS_PER_MINUTE: '1000000',
      RATE_LIMIT_PROBES_PER_MINUTE: '1000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  let announced = '';
  for await (const line of createInterface({ input: child.stdout })) {
    announced += line;
    if (line === '}') break;
  }
  if (announced === '') throw new Error(`the server did not start: ${lines.join('\n')}`);
  const logged = async (part: string, times = 1) => {
    for (let i = 0; i < 2_400; i++) {
      if (lines.filter((one) => one.includes(part)).length >= times) return;
      await pause(50);
    }
    throw new Error(`never logged: ${part}`);
  };
  return { child, ...JSON.parse(announced), logged };
}

/** Ends it as a crash does, and waits until it is gone. */
export async function endNow({ child }: Pick<Served, 'child'>): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The same database for the test itself, so that `statementsEnded` does not wait for the test. */
export function observerUrl(url: string): string {
  const observed = new URL(url);
  observed.searchParams.set('application_name', 'test');
  return observed.href;
}

/**
 * Waits until PostgreSQL has left the servers that were ended: it still carries out what one of
 * them had sent, which may take a lease. `db` is open at `observerUrl`.
 */
export const statementsEnded = (db: Pick<Database, 'many'>): Promise<void> =>
  until('no connection of a server is left', async () => {
    const left = await db.many(sql`
      select pid from pg_stat_activity
       where datname = current_database() and application_name = 'guildhall'`);
    return left.length === 0;
  });
