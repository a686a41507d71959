import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../api/db/database/database.ts';
import { migrate } from '../api/db/migrate.ts';
import { fixturesOn } from '../api/testing/fixtures.ts';
import { appends } from './append.ts';
import { quantile } from './load.ts';

const TASKS = 50;
const STREAMS = 1_000;
/** Milliseconds between two events of a task. */
const EVERY = 200;
const NAME = 'bench_streams';

/** Streams on active tasks, and how many events a second one process appends. */
export async function streams(adminUrl: string, seconds: number): Promise<void> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  await admin.query(`drop database if exists ${NAME} with (force)`);
  await admin.query(`create database ${NAME}`);
  const url = Object.assign(new URL(adminUrl), { pathname: `/${NAME}` }).href;
  try {
    await migrate(url);
    process.stdout.write(`${await readers(url, seconds)}\n\n${await appends(url, seconds)}\n`);
  } finally {
    await admin.query(`drop database if exists ${NAME} with (force)`);
    await admin.end();
  }
}

async function readers(url: string, seconds: number): Promise<string> {
  const db = openDatabase({ url });
  const fixtures = fixturesOn(db);
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const tasks: string[] = [];
  for (let i = 0; i < TASKS; i++) tasks.push(await fixtures.task(project, owner));
  // A user may have 200 streams.
  const users = [owner];
  while (users.length < STREAMS / 100) {
    const user = await fixtures.user();
    await fixtures.member(workspace, user, 'viewer');
    users.push(user);
  }
  await db.close();
  const server = fork(join(import.meta.dirname, 'stream-server.ts'), [url, tasks.join(',')]);
  try {
    const [{ address }] = (await once(server, 'message')) as [{ address: string }];
    const delays: number[] = [];
    const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
    const before = await asked(server, {});
    for (let i = 0; i < STREAMS; i++) {
      const { key } = users[i % users.length] as { key: string };
      await follow(agent, `${address}/api/tasks/${tasks[i % TASKS]}/events`, key, delays);
    }
    await pause(1_000);
    const open = await asked(server, {});
    const done = await asked(server, { append: { every: EVERY, seconds } });
    await pause(500);
    const together = delays.splice(0);
    const delivered = await elsewhere(server, [url, tasks.join(',')], { every: EVERY, seconds });
    agent.destroy();
    const sorted = Float64Array.from(together).sort();
    const perStream = (open.rss - before.rss) / STREAMS / 1024;
    const perFrame = (done.cpu - open.cpu) / together.length;
    return [
      `| ${STREAMS} streams on ${TASKS} active tasks | |`,
      '|---|---:|',
      `| frames received | ${together.length} |`,
      `| memory of the server for a stream, KB | ${perStream.toFixed(1)} |`,
      `| CPU of the server for a frame, µs | ${(delivered / delays.length).toFixed(1)} |`,
      `| the same when the server appends as well, µs | ${perFrame.toFixed(1)} |`,
      `| from append to frame, median, ms | ${quantile(sorted, 0.5).toFixed(0)} |`,
      `| from append to frame, p99, ms | ${quantile(sorted, 0.99).toFixed(0)} |`,
    ].join('\n');
  } finally {
    server.kill();
  }
}

/** Microseconds of the server's CPU while another process appends. */
async function elsewhere(
  server: ChildProcess,
  place: string[],
  append: { every: number; seconds: number },
): Promise<number> {
  const appender = fork(join(import.meta.dirname, 'stream-appender.ts'), place);
  try {
    await once(appender, 'message');
    const before = await asked(server, {});
    appender.send(append);
    await once(appender, 'message');
    await pause(500);
    return (await asked(server, {})).cpu - before.cpu;
  } finally {
    appender.kill();
  }
}

async function asked(server: ChildProcess, question: object) {
  server.send(question);
  const [usage] = (await once(server, 'message')) as [{ cpu: number; rss: number }];
  return usage;
}

/** Resolves when the stream is open; notes how old each frame is. */
async function follow(agent: Agent, url: string, key: string, delays: number[]): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const [reply] = await once(get(url, { agent, headers }), 'response');
  if (reply.statusCode !== 200) throw new Error(`a stream was answered ${reply.statusCode}`);
  reply.on('error', () => {});
  reply.on('data', (bytes: Buffer) => {
    const now = Date.now();
    for (const [, at] of String(bytes).matchAll(/"at":(\d+)/g)) delays.push(now - Number(at));
  });
}
