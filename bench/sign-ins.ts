import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import pg from 'pg';
import { openDatabase } from '../api/db/database/database.ts';
import { migrate } from '../api/db/migrate.ts';
import { sql } from '../api/db/sql.ts';
import { passwords } from '../api/sign-in/passwords.ts';
import { fixturesOn, type User } from '../api/testing/fixtures.ts';
import { quantile } from './load.ts';
import { startGuildhall } from './servers.ts';

const NAME = 'bench_sign_ins';
const PASSWORD = 'vexing-lamp-otter-41';
/** Clients of the API. */
const CLIENTS = 8;
/** Sign-ins at once, from as many networks as they like. */
const FLOOD = 64;

/**
 * What a flood of sign-ins costs the requests of others, without the limits that end most floods
 * before a password is hashed; and what the time of a refusal tells. The flood comes from a thread
 * of its own.
 */
export async function signIns(adminUrl: string, seconds: number): Promise<void> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  await admin.query(`drop database if exists ${NAME} with (force)`);
  await admin.query(`create database ${NAME}`);
  const url = Object.assign(new URL(adminUrl), { pathname: `/${NAME}` }).href;
  try {
    await migrate(url);
    const user = await userWithPassword(url);
    const server = await startGuildhall(url, {
      ...{ RATE_LIMIT_SIGN_IN_PER_MINUTE: '1000000000', TRUSTED_PROXIES: '127.0.0.1' },
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '1000000000',
    });
    try {
      process.stdout.write(`${await measured(server.url, user, seconds)}\n`);
    } finally {
      await server.stop();
    }
  } finally {
    await admin.query(`drop database if exists ${NAME} with (force)`);
    await admin.end();
  }
}

async function userWithPassword(url: string): Promise<User> {
  const db = openDatabase({ url });
  const user = await fixturesOn(db).user();
  const phc = await passwords().hash(PASSWORD);
  await db.many(sql`insert into password (user_id, phc) values (${user.id}, ${phc})`);
  await db.close();
  return user;
}

async function measured(url: string, user: User, seconds: number): Promise<string> {
  const requests = () =>
    repeated(CLIENTS, seconds, async () => {
      const headers = { authorization: `Bearer ${user.key}` };
      await (await fetch(`${url}/api/account`, { headers })).text();
    });
  await requests();
  const before = await requests();
  const flood = new Worker(new URL(import.meta.url), { workerData: { url, seconds } });
  const [[answers], during] = await Promise.all([
    once(flood, 'message') as Promise<[Record<number, number>]>,
    requests(),
  ]);
  const after = await requests();
  const alone = (before + after) / 2;
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < 60; round++) {
    known.push(await timed(url, user.email));
    unknown.push(await timed(url, `no-one-${round}@example.com`));
  }
  const median = (values: number[]) =>
    `${quantile(Float64Array.from(values).sort(), 0.5).toFixed(1)} ms`;
  const rows: [string, string][] = [
    ['API requests a second, alone (before and after)', alone.toFixed(0)],
    [`the same during ${FLOOD} sign-ins at once`, during.toFixed(0)],
    ['ratio', (during / alone).toFixed(2)],
    ...Object.entries(answers).map(([status, count]): [string, string] => [
      `sign-ins a second answered ${status}`,
      (count / seconds).toFixed(1),
    ]),
    ['a refused sign-in of a known address, median', median(known)],
    ['a refused sign-in of an unknown address, median', median(unknown)],
  ];
  return ['| Sign-ins | |', '|---|---:|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join(
    '\n',
  );
}

async function timed(url: string, email: string): Promise<number> {
  const begun = performance.now();
  await signIn(url, email);
  return performance.now() - begun;
}

let tried = 0;
async function signIn(url: string, email: string): Promise<number> {
  const network = `${(tried >> 16).toString(16)}:${(tried++ & 65_535).toString(16)}`;
  const reply = await fetch(`${url}/auth/sign-in`, {
    method: 'POST',
    headers: {
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      // Another network each time, so that no limit ends the flood.
      'x-forwarded-for': `2001:db8:${network}::1`,
    },
    body: JSON.stringify({ email, password: 'not this one' }),
  });
  await reply.text();
  return reply.status;
}

/** How often a second `work` is done by so many at once. */
async function repeated(
  atOnce: number,
  seconds: number,
  work: () => Promise<void>,
): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  const one = async () => {
    for (; performance.now() < end; done++) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return done / seconds;
}

if (!isMainThread && parentPort !== null) {
  const { url, seconds } = workerData as { url: string; seconds: number };
  const answers: Record<number, number> = {};
  await repeated(FLOOD, seconds, async () => {
    const status = await signIn(url, `no-one-${tried}@example.com`);
    answers[status] = (answers[status] ?? 0) + 1;
    // As `Retry-After` asks, but for the second of it.
    if (status === 503) await pause(100);
  });
  parentPort.postMessage(answers);
}
