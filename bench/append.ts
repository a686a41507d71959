import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDatabase } from '../server/db/database/database.ts';
import { openEventLog } from '../server/tasks/events/open-event-log.ts';
import { appended } from '../server/tasks/events/statements.ts';
import { pgbenchVersion } from './floor.ts';

const PAYLOAD = { text: 'x'.repeat(200) };
const ROUNDS = 3;

/**
 * Events appended a second, one of each task in a statement: by the log, which sends a statement a
 * tick; by our client, one statement after the other; and by pgbench, the same statement on the
 * same rows. The last two take turns, and the ratio is the median of the rounds.
 */
export async function appends(url: string, seconds: number): Promise<string> {
  const pgbench = pgbenchVersion() !== undefined;
  const lines = [
    '| tasks in a statement | events a second, by the log | by our client | by pgbench | ratio |',
    '|---:|---:|---:|---:|---:|',
  ];
  for (const size of [1, 10, 50]) {
    const log = await byLog(url, size, seconds);
    const rounds: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push([
        await byClient(url, size, seconds / ROUNDS),
        pgbench ? await byPgbench(url, size, seconds / ROUNDS) : Number.NaN,
      ]);
    const ours = median(rounds.map(([client]) => client));
    const floor = median(rounds.map(([, bench]) => bench));
    const ratio = median(rounds.map(([client, bench]) => client / bench));
    const shown = pgbench ? `${floor.toFixed(0)} | ${ratio.toFixed(2)}` : '– | –';
    lines.push(`| ${size} | ${log.toFixed(0)} | ${ours.toFixed(0)} | ${shown} |`);
  }
  if (!pgbench) lines.push('', 'pgbench is not installed: nothing to compare with.');
  return lines.join('\n');
}

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** New tasks, in the order of their ids, that this process may append to. */
async function newTasks(url: string, size: number): Promise<string[]> {
  const log = openEventLog({ url });
  const tasks = Array.from({ length: size }, () => crypto.randomUUID()).sort();
  await Promise.all(tasks.map((task) => log.acquire(task, 1n, 'benchmark')));
  await log.close();
  return tasks;
}

/** Each append is confirmed before the next one of its task. */
async function byLog(url: string, size: number, seconds: number): Promise<number> {
  const log = openEventLog({ url });
  const tasks = await newTasks(url, size);
  await Promise.all(tasks.map((task) => log.acquire(task, 1n, 'benchmark')));
  let count = 0;
  const began = performance.now();
  await Promise.all(
    tasks.map(async (task) => {
      for (; performance.now() - began < seconds * 1000; count++)
        await log.append(task, 1n, [{ type: 'message', payload: PAYLOAD }]);
    }),
  );
  const each = (count * 1000) / (performance.now() - began);
  await log.close();
  return each;
}

const batchesOf = (tasks: string[], lastSeq: number) =>
  tasks.map((taskId) => ({
    taskId,
    fence: 1n,
    lastSeq,
    events: [{ type: 'message', payload: JSON.stringify(PAYLOAD), turnId: null }],
  }));

async function byClient(url: string, size: number, seconds: number): Promise<number> {
  const db = openDatabase({ url, readers: 1, writers: 1, poolSize: 1 });
  const tasks = await newTasks(url, size);
  let statements = 0;
  const began = performance.now();
  for (; performance.now() - began < seconds * 1000; statements++)
    if ((await db.write(appended(batchesOf(tasks, statements)))).length !== size)
      throw new Error('a statement did not append to all of its tasks');
  const each = (statements * size * 1000) / (performance.now() - began);
  await db.close();
  return each;
}

/** Stands for the number of the newest event while the script is written. */
const LAST = 7_654_321_000;

async function byPgbench(url: string, size: number, seconds: number): Promise<number> {
  const { strings, values } = appended(batchesOf(await newTasks(url, size), LAST));
  const literal = (value: unknown): string => {
    if (value === null) return 'null';
    const shown = String(value);
    if (shown === String(LAST)) return ':i';
    if (shown === String(LAST + 1)) return ':i + 1';
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : shown;
  };
  const given = (value: unknown) =>
    Array.isArray(value) ? `array[${value.map(literal).join(', ')}]` : literal(value);
  const statement = strings.reduce((all, part, i) => `${all}(${given(values[i - 1])})${part}`);
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  try {
    const file = join(folder, 'append.sql');
    const line = statement.replaceAll(/\s+/g, ' ').trim();
    await writeFile(file, `${line};\n\\set i :i + 1\n`);
    const args = ['-n', '-M', 'prepared', '-c', '1', '-T', String(Math.ceil(seconds))];
    const child = spawn('pgbench', [...args, '-D', 'i=0', '-f', file, url], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [, tps] = /^tps = ([\d.]+)/m.exec(out) ?? [];
    if (tps === undefined) throw new Error(`pgbench: ${err}`);
    return Number(tps) * size;
  } finally {
    await rm(folder, { recursive: true });
  }
}
