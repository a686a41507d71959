import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../server/db/database/database.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { appends } from './append.ts';
import { quantile } from './load.ts';
import { onScratchDatabase } from './scratch.ts';
import type { Setting } from './setting.ts';

const TASKS = 50;
const STREAMS = 1_000;
/** Milliseconds between two events of a task. */
const EVERY = 200;
const NAME = 'bench_streams';

/** Streams on active tasks, and how many events a second one process appends. */
export async function streams({ adminUrl, seconds }: Setting): Promise<void> {
  await onScratchDatabase(adminUrl, NAME, async (url) => {
    const where = await world(url);
    const tables = [
      [
        `| ${STREAMS} streams on ${TASKS} active tasks | |\n|---|---:|`,
        await memory(where),
        await readers(where, seconds),
      ].join('\n'),
      await appends(url, seconds),
    ];
    process.stdout.write(`${tables.join('\n\n')}\n`);
  });
}

interface World {
  url: string;
  tasks: string[];
  keys: string[];
}

/** Tasks, and enough people for twice as many streams: one may have 200. */
async function world(url: string): Promise<World> {
  const db = openDatabase({ url });
  const fixtures = fixturesOn(db);
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const tasks: string[] = [];
  for (let i = 0; i < TASKS; i++) tasks.push(await fixtures.task(project, owner));
  const keys = [owner.key];
  while (keys.length < STREAMS / 50) {
    const user = await fixtures.user();
    await fixtures.member(workspace, user, 'viewer');
    keys.push(user.key);
  }
  await db.close();
  return { url, tasks, keys };
}

/** Runs `work` with a new server, and a function that opens its next streams. */
async function onServer<Result>(
  { url, tasks, keys }: World,
  work: (
    server: ChildProcess,
    follow: (count: number, delays?: number[]) => Promise<void>,
    read: (count: number) => Promise<void>,
  ) => Promise<Result>,
): Promise<Result> {
  const place = [url, tasks.join(',')];
  const server = fork(join(import.meta.dirname, 'stream-server.ts'), place, {
    execArgv: ['--expose-gc'],
  });
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  try {
    const [{ address }] = (await once(server, 'message')) as [{ address: string }];
    let opened = 0;
    const request = (i: number, accept: string) =>
      ask(agent, `${address}/api/tasks/${tasks[i % TASKS]}/events`, keys[i % keys.length], accept);
    return await work(
      server,
      async (count, delays = []) => {
        for (const until = opened + count; opened < until; opened++)
          noteDelays(await request(opened, 'text/event-stream'), delays);
      },
      async (count) => {
        for (let i = 0; i < count; i++) await text(await request(i, 'application/json'));
      },
    );
  } finally {
    agent.destroy();
    server.kill();
  }
}

/**
 * What streams add to the memory of a server. Its first requests add more than streams do, whatever
 * they are: compiled code, and room for young objects. So it has answered others before.
 */
async function memory(where: World): Promise<string> {
  return onServer(where, async (server, follow, read) => {
    const fresh = await asked(server, { collect: true });
    await read(STREAMS);
    await asked(server, { collect: true });
    await follow(STREAMS);
    const first = await asked(server, { collect: true });
    await follow(STREAMS);
    const second = await asked(server, { collect: true });
    const each = (bytes: number) => (bytes / STREAMS / 1024).toFixed(1);
    return [
      `| memory of the server for one of ${STREAMS} more streams, KB | ${each(second.rss - first.rss)} |`,
      `| of that in V8's heap, KB | ${each(second.heap - first.heap)} |`,
      `| added since its start by ${STREAMS} reads and as many streams, MB | ${((first.rss - fresh.rss) / 1024 / 1024).toFixed(0)} |`,
    ].join('\n');
  });
}

async function readers(where: World, seconds: number): Promise<string> {
  return onServer(where, async (server, follow) => {
    const delays: number[] = [];
    await follow(STREAMS, delays);
    await pause(1_000);
    const open = await asked(server, {});
    const done = await asked(server, { append: { every: EVERY, seconds } });
    await pause(500);
    const together = delays.splice(0);
    const place = [where.url, where.tasks.join(',')];
    const delivered = await elsewhere(server, place, { every: EVERY, seconds });
    const sorted = Float64Array.from(together).sort();
    const perFrame = (done.cpu - open.cpu) / together.length;
    return [
      `| frames received | ${together.length} |`,
      `| CPU of the server for a frame, µs | ${(delivered / delays.length).toFixed(1)} |`,
      `| the same when the server appends as well, µs | ${perFrame.toFixed(1)} |`,
      `| from append to frame, median, ms | ${quantile(sorted, 0.5).toFixed(0)} |`,
      `| from append to frame, p99, ms | ${quantile(sorted, 0.99).toFixed(0)} |`,
    ].join('\n');
  });
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
  const [usage] = (await once(server, 'message')) as [{ cpu: number; rss: number; heap: number }];
  return usage;
}

/** Resolves when the answer begins. */
async function ask(agent: Agent, url: string, key = '', accept = ''): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, accept };
  const [reply] = await once(get(url, { agent, headers }), 'response');
  if (reply.statusCode !== 200) throw new Error(`events were answered ${reply.statusCode}`);
  return reply;
}

/** Notes how old each frame is, in milliseconds. */
function noteDelays(reply: IncomingMessage, delays: number[]): void {
  reply.on('error', () => {});
  reply.on('data', (bytes: Buffer) => {
    const now = Date.now();
    for (const [, at] of String(bytes).matchAll(/"at":(\d+)/g)) delays.push(now - Number(at));
  });
}
