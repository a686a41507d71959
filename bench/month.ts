import { join } from 'node:path';
import pg from 'pg';
import { audited, removeByRules, type Size, sizesOf, vacuum } from './month/keep.ts';
import { addressOf, carryOutSome, copyDatabase, KEPT, makeMonth } from './month/make.ts';
import { type Round, requestLines, round, statementLines } from './month/measure.ts';
import type { Place } from './month/template.ts';
import type { Setting } from './setting.ts';
import { prepare } from './world.ts';

/** 200 workspaces with 2,000 projects, as they are before the month. */
const WORLD = { name: 'bench_month_world', workspaces: 200, transfers: 10_000, large: [] };
/** Rules without a number of days keep what they are about for ever; here, all of them have a week. */
const A_WEEK = Object.fromEntries(
  [
    'EVENTS',
    'LOGS',
    'CONVERSATIONS',
    'FILES',
    'IDEMPOTENCY',
    'WEBHOOKS',
    'MAIL',
    'NOTIFICATIONS',
    'ROUTINE_RUNS',
    'SIGN_INS',
    'INVITATIONS',
  ].map((name) => [`RETENTION_${name}_DAYS`, '7']),
);
const TABLES = 25;

/**
 * A month of so many tasks a day, beside the same place with a few tasks: the size of each table, the
 * statements of a server, its pages, retention, vacuum and the audit of the ledger. Both databases are
 * dropped afterwards.
 */
export async function month({
  adminUrl,
  directory,
  perDay,
  rounds,
  say,
}: Pick<Setting, 'adminUrl' | 'directory' | 'perDay' | 'rounds' | 'say'>): Promise<void> {
  const { known } = await prepare(adminUrl, directory, WORLD, say);
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  const dataDir = join(directory, 'month');
  const placeOf = (name: string): Place => ({ name, url: addressOf(adminUrl, name), dataDir });
  const [few, many] = [placeOf('bench_month_few'), placeOf('bench_month')];
  try {
    await admin.query('create extension if not exists pg_stat_statements');
    say('a few tasks are carried out');
    const rows = await carryOutSome(admin, WORLD.name, few, known);
    await copyDatabase(admin, few.name, many.name);
    const owner = new pg.Client(many.url);
    await owner.connect();
    try {
      const began = performance.now();
      await makeMonth(owner, rows, perDay, say);
      const minutes = (performance.now() - began) / 60_000;
      const print = (...lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);
      print(`${perDay * KEPT.days} tasks, made in ${minutes.toFixed(0)} minutes`, '');
      print(...sizeLines(await sizesOf(owner), perDay * KEPT.days));
      const found: [Round[], Round[]] = [[], []];
      for (let at = 1; at <= rounds; at++)
        for (const [which, place] of [few, many].entries()) {
          say(`round ${at} of ${rounds}: ${which === 0 ? 'few tasks' : 'the month'}`);
          found[which]?.push(await round(admin, place, known));
        }
      print(...requestLines(...found), ...statementLines(...found));
      await owner.query('vacuum analyze');
      say('the audit of the ledger');
      print('', `The hourly audit of the ledger: ${(await audited(many.url)).toFixed(1)} s`);
      for (const [name, env] of [
        ['retention of a day, by default', {}],
        ['of nothing, an hour later', {}],
        ['then of all but the last week', A_WEEK],
      ] as const) {
        say(name);
        print(...removedLines(name, await removeByRules(owner, many.url, env)));
        print(...vacuumLines(await vacuum(owner)));
      }
    } finally {
      await owner.end();
    }
  } finally {
    for (const { name } of [few, many])
      await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

function sizeLines(sizes: Size[], tasks: number): string[] {
  const mb = (bytes: number) => (bytes / 1e6).toFixed(0);
  const sum = (of: (size: Size) => number) => sizes.reduce((all, size) => all + of(size), 0);
  const row = (
    name: string,
    rows: number,
    { heap, indexes, toast }: Omit<Size, 'table' | 'rows'>,
  ) =>
    `| ${name} | ${rows} | ${(rows / tasks).toFixed(1)} | ${mb(heap)} | ${mb(indexes)} | ${mb(toast)} |`;
  return [
    '| table | rows | a task | MB | of indexes | of long values |',
    '|---|---:|---:|---:|---:|---:|',
    ...sizes.slice(0, TABLES).map((size) => row(size.table, size.rows, size)),
    row(
      'all',
      sum(({ rows }) => rows),
      {
        heap: sum(({ heap }) => heap),
        indexes: sum(({ indexes }) => indexes),
        toast: sum(({ toast }) => toast),
      },
    ),
  ];
}

const removedLines = (name: string, removed: Awaited<ReturnType<typeof removeByRules>>) => [
  '',
  `| ${name} | rows | s | MB of WAL | longest call, ms |`,
  '|---|---:|---:|---:|---:|',
  ...removed
    .filter(({ rows, seconds }) => rows > 0 || seconds > 0.1)
    .map(
      ({ rule, rows, seconds, walMb, longestMs }) =>
        `| ${rule} | ${rows} | ${seconds.toFixed(1)} | ${walMb.toFixed(0)} | ${longestMs.toFixed(0)} |`,
    ),
];

const vacuumLines = (vacuumed: Awaited<ReturnType<typeof vacuum>>) => [
  '',
  '| vacuum | dead rows | autovacuum waits for | s |',
  '|---|---:|---:|---:|',
  ...vacuumed.map(
    ({ table, dead, waitsFor, seconds }) =>
      `| ${table} | ${dead} | ${waitsFor.toFixed(0)} | ${seconds.toFixed(1)} |`,
  ),
];
