import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load, quantile } from './load.ts';
import { spread } from './measure.ts';
import { mix, type Operation, type OperationName, operations, toBytes } from './operations.ts';
import { plot } from './plot.ts';
import { residentMb } from './processes.ts';
import { type Served, startGuildhall } from './servers.ts';
import type { Setting } from './setting.ts';
import { ONCE, prepare, TENFOLD } from './world.ts';

const ROUNDS = 5;
const SECONDS = 2;
const NAMES: OperationName[] = ['P', 'I', 'A'];
const DOCS = join(import.meta.dirname, '../docs');

/** P, I and A at ten times the data, and P of one workspace of 20, 1,000 and 10,000 people. */
export async function growth({ adminUrl, directory, say }: Setting): Promise<void> {
  const once = await prepare(adminUrl, directory, ONCE, say);
  const tenfold = await prepare(adminUrl, directory, TENFOLD, say);
  const servers = [await startGuildhall(once.url), await startGuildhall(tenfold.url)] as const;
  try {
    const lines = await byData(servers, [operations(once.known), operations(tenfold.known)], say);
    const people = await bySize(servers[1], tenfold.known.sizes, operations(tenfold.known), say);
    say('');
    process.stdout.write([...lines, '', ...people, ''].join('\n'));
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function byData(
  servers: readonly Served[],
  lists: Operation[][],
  say: (line: string) => void,
) {
  const lines = [
    '| operation | µs a request, once | tenfold | tenfold ÷ once |',
    '|---|---:|---:|---:|',
  ];
  for (const name of NAMES) {
    const times: number[][] = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [at, server] of servers.entries()) {
        say(`${name}: round ${round} of ${ROUNDS}, ${at === 0 ? 'once' : 'tenfold'}`);
        const operation = lists[at]?.find((one) => one.name === name) as Operation;
        const result = await load({
          url: server.url,
          connections: 32,
          next: mix(operation),
          seconds: SECONDS,
        });
        if (result.wrong.length > 0) throw new Error(result.wrong.join('\n'));
        if (round > 0) times[at]?.push((result.seconds / result.requests) * 1e6);
      }
    }
    const [before, after] = times as [number[], number[]];
    const ratio = spread(after.map((time, round) => time / (before[round] as number)));
    lines.push(
      `| ${name} | ${spread(before).median.toFixed(0)} | ${spread(after).median.toFixed(0)} | ${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}) |`,
    );
  }
  return lines;
}

async function bySize(
  server: Served,
  sizes: Record<number, { key: string; project: string }>,
  [small]: Operation[],
  say: (line: string) => void,
) {
  const lines = [
    '| people listed | ms, median of single requests | × the row before | resident MB after |',
    '|---:|---:|---:|---:|',
  ];
  const points: [number, number][] = [];
  const twenty = { people: 20, next: mix(small as Operation) };
  const large = Object.entries(sizes).map(([people, { key, project }]) => {
    const check = (body: string) =>
      JSON.parse(body).length === Number(people) ? undefined : `${people} people expected`;
    const bytes = toBytes({ method: 'GET', path: `/api/projects/${project}/people`, key, check });
    return { people: Number(people), next: () => ({ bytes, check }) };
  });
  for (const { people, next } of [twenty, ...large]) {
    say(`P: ${people} people`);
    const { latencies, wrong } = await load({
      url: server.url,
      connections: 1,
      next,
      requests: 100,
    });
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    const time = quantile(latencies, 0.5);
    const before = points.at(-1)?.[1];
    points.push([people, time]);
    const factor = before === undefined ? '–' : (time / before).toFixed(1);
    lines.push(
      `| ${people} | ${time.toFixed(2)} | ${factor} | ${residentMb(server.pid).toFixed(0)} |`,
    );
  }
  await mkdir(DOCS, { recursive: true });
  await writeFile(
    join(DOCS, 'growth.svg'),
    plot(points, { x: 'people listed', y: 'milliseconds' }),
  );
  return lines;
}
