import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { passwords } from '../server/identity/sign-in/passwords.ts';
import { fixturesOn, type User } from '../server/testing/fixtures/tenants.ts';
import { type LoadRequest, load, quantile } from './load.ts';
import { spread } from './measure.ts';
import { toBytes } from './operations.ts';
import { cpuOf, cpuOfThread } from './processes.ts';
import { onScratchDatabase } from './scratch.ts';
import { type Served, startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';
import { type Flood, type Flooded, wrongSignIn } from './sign-in-flood.ts';

const PASSWORD = 'vexing-lamp-otter-41';
/** Connections of clients of the API, and of the flood. */
const CLIENTS = 32;
const FLOOD = 64;
/** Sign-ins a second that the flood sends. */
const RATE = 300;
/** Seconds of the flood before the measurement: what was saved for honest people is used up. */
const LEAD = 3;
/** Seconds after which all of it is saved again. */
const QUIET = 15;

/** One measurement: requests a second, and CPU in shares of one core. */
interface Measured {
  perSecond: number;
  /** The thread that serves requests, and all others of the server: those that hash among them. */
  serving: number;
  hashing: number;
  postgres: number;
  /** The clients of the API, and the flood. */
  clients: number;
  flood: number;
  statuses: Record<number, number>;
}

/**
 * What a flood of sign-ins costs the requests of others, without the limits that end most floods
 * before a password is hashed; and what the time of a refusal tells. Rounds with and without the
 * flood alternate.
 */
export async function signIns({ adminUrl, rounds, seconds, say }: Setting): Promise<void> {
  await onScratchDatabase(adminUrl, 'bench_sign_ins', async (url, postgres) => {
    const user = await userWithPassword(url);
    const server = await startGuildhall(url, {
      RATE_LIMIT_SIGN_IN_PER_MINUTE: '1000000000',
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '1000000000',
    });
    try {
      const measure = (flood?: Flood) => measured(server, user, { seconds, postgres, flood });
      const flood = { url: server.url, seconds: LEAD + seconds, rate: RATE, connections: FLOOD };
      await measure();
      const alone = [await measure()];
      const during: Measured[] = [];
      for (let round = 1; round <= rounds; round++) {
        say(`sign-ins: round ${round} of ${rounds}`);
        during.push(await measure(flood));
        alone.push(await measure());
      }
      say('');
      process.stdout.write(`${table(alone, during, seconds)}\n${await refusals(server, user)}\n`);
    } finally {
      await server.stop();
    }
  });
}

async function userWithPassword(url: string): Promise<User> {
  const db = openDatabase({ url });
  const user = await fixturesOn(db).user();
  const phc = await passwords().hash(PASSWORD);
  await db.many(sql`insert into password (user_id, phc) values (${user.id}, ${phc})`);
  await db.close();
  return user;
}

async function measured(
  { url, pid }: Served,
  user: User,
  options: { seconds: number; postgres: () => number; flood?: Flood | undefined },
): Promise<Measured> {
  const { seconds, postgres, flood } = options;
  const check = (body: string) => (JSON.parse(body).id === user.id ? undefined : body);
  const asks: LoadRequest = {
    bytes: toBytes({ method: 'GET', path: '/api/account', key: user.key, check }),
    check,
  };
  const cpu = () => ({ server: cpuOf(pid), serving: cpuOfThread(pid, pid), postgres: postgres() });
  const flooding = flood && begin(flood);
  if (flood !== undefined) await pause(LEAD * 1_000);
  const before = cpu();
  const own = process.threadCpuUsage();
  const result = await load({ url, connections: CLIENTS, next: () => asks, seconds });
  const { user: ownUser, system } = process.threadCpuUsage(own);
  const after = cpu();
  const flooded = await flooding;
  if (result.wrong.length > 0) throw new Error(result.wrong.join('\n'));
  const share = (microseconds: number) => microseconds / 1e6 / result.seconds;
  const serving = after.serving - before.serving;
  return {
    perSecond: result.requests / result.seconds,
    serving: share(serving),
    hashing: share(after.server - before.server - serving),
    postgres: share(after.postgres - before.postgres),
    clients: share(ownUser + system),
    flood: (flooded?.cpu ?? 0) / 1e6 / (LEAD + seconds),
    statuses: flooded?.statuses ?? {},
  };
}

async function begin(flood: Flood): Promise<Flooded> {
  const file = join(import.meta.dirname, 'sign-in-flood.ts');
  const [flooded] = await once(new Worker(file, { workerData: flood }), 'message');
  return flooded as Flooded;
}

function table(alone: Measured[], during: Measured[], seconds: number): string {
  const ratios = during.map(({ perSecond }, at) => {
    const [before, after] = alone.slice(at) as [Measured, Measured];
    return (2 * perSecond) / (before.perSecond + after.perSecond);
  });
  const row = (what: string, of: (one: Measured) => number, digits: number) =>
    `| ${what} | ${[alone, during].map((list) => spread(list.map(of)).median.toFixed(digits)).join(' | ')} |`;
  const { median, min, max } = spread(ratios);
  const statuses = [...new Set(during.flatMap(({ statuses }) => Object.keys(statuses)))];
  return [
    `| ${during.length} times ${seconds} s, medians | alone | during ${RATE} sign-ins a second |`,
    '|---|---:|---:|',
    row('requests a second', ({ perSecond }) => perSecond, 0),
    `| ratio | 1 | ${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)}) |`,
    ...statuses.map((status) =>
      row(
        `sign-ins a second answered ${status}`,
        (one) => (one.statuses[Number(status)] ?? 0) / (LEAD + seconds),
        1,
      ),
    ),
    row('cores taken by the thread that serves requests', ({ serving }) => serving, 2),
    row('by the other threads of the server', ({ hashing }) => hashing, 2),
    row('by PostgreSQL', ({ postgres }) => postgres, 2),
    row('by the clients', ({ clients }) => clients, 2),
    row('by the flood', ({ flood }) => flood, 2),
  ].join('\n');
}

/** How long a refusal takes, one at a time, of an address that has a user and of those without. */
async function refusals({ url }: Served, user: User): Promise<string> {
  const known: number[] = [];
  const unknown: number[] = [];
  const timed = async (email: string, times: number[]) => {
    const next = () => wrongSignIn(email);
    times.push(...(await load({ url, connections: 1, next, requests: 1 })).latencies);
  };
  // The flood has left nothing for a burst, and these are as many as one may have.
  await pause(QUIET * 1_000);
  for (let round = 0; round < 5; round++) {
    await timed(user.email, known);
    await timed(`no-one-${round}@example.com`, unknown);
  }
  const median = (values: number[]) => quantile(Float64Array.from(values).sort(), 0.5).toFixed(1);
  return `A sign-in alone is refused in ${median(known)} ms for a known address, and in ${median(unknown)} ms for an unknown one.`;
}
