import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { importWorld } from '../cli/world/load.ts';
import { HOURLY_AUDIT, HOURLY_WORK } from '../server/billing/background.ts';
import { type Database, openDatabase } from '../server/db/database/database.ts';
import { migrate } from '../server/db/migrate.ts';
import { post } from './post.ts';

/** What requests need to know about the data. Lists of the same length correspond by index. */
export interface Known {
  workspaces: {
    id: string;
    /** The owner's. */
    key: string;
    userId: string;
    card: string;
    projects: string[];
    tasks: string[];
    teams: string[];
  }[];
  /**
   * Workspaces of one size each, to measure how a list grows: number of people → a project of
   * theirs.
   */
  sizes: Record<number, { key: string; project: string }>;
}

interface Sizes {
  name: string;
  workspaces: number;
  transfers: number;
  /** Additional workspaces of these many people. */
  large: number[];
}

/**
 * bench.md's data: 200 workspaces of 20 people, 2,000 projects, 20,000 tasks, 1,000,000 transfers.
 */
export const ONCE: Sizes = { name: 'bench_once', workspaces: 200, transfers: 1_000_000, large: [] };
/** Ten times the people, projects and tasks; no measured read uses transfers. */
export const TENFOLD: Sizes = {
  name: 'bench_tenfold',
  workspaces: 2_000,
  transfers: 100_000,
  large: [1_000, 10_000],
};

const PEOPLE = 20;
const PROJECTS = 10;
const TASKS = 10;
const INVITATIONS = 10;
const TEAMS = 3;

// Increased whenever the generated data changes, so that an existing database is created again.
const EDITION = 1;

/**
 * The database of these sizes on the server at `adminUrl`: an existing one, or created. `directory`
 * stores the keys. `say` reports progress.
 */
export async function prepare(
  adminUrl: string,
  directory: string,
  sizes: Sizes,
  say: (line: string) => void,
): Promise<{ url: string; known: Known }> {
  const url = new URL(adminUrl);
  url.pathname = `/${sizes.name}`;
  const file = join(directory, `${sizes.name}.${EDITION}.json`);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) {
    await migrate(url.href);
    await putOffTheAudit(url.href);
    return { url: url.href, known: JSON.parse(kept) };
  }
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  await admin.query(`drop database if exists ${sizes.name} with (force)`);
  await admin.query(`create database ${sizes.name}`);
  await admin.end();
  await migrate(url.href);
  const db = openDatabase({ url: url.href });
  try {
    const known = await fill(db, sizes, say);
    const owner = new pg.Client(url.href);
    await owner.connect();
    say(`${sizes.transfers} transfers`);
    await post(owner, sizes.transfers);
    say('analyzing');
    await owner.query('vacuum analyze');
    await owner.query('checkpoint');
    await owner.end();
    await mkdir(directory, { recursive: true });
    // It gets its final name only when it is complete.
    await writeFile(`${file}.part`, JSON.stringify(known), { mode: 0o600 });
    await rename(`${file}.part`, file);
    await putOffTheAudit(url.href);
    return { url: url.href, known };
  } finally {
    await db.close();
  }
}

/** The hourly audit reads every row of the ledger, which must not happen during a measurement. */
async function putOffTheAudit(url: string): Promise<void> {
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query(
    `insert into hourly_work (name, next_at)
     select name, now() + interval '1 day' from unnest($1::text[]) name
     on conflict (name) do update set next_at = excluded.next_at`,
    [[HOURLY_AUDIT, HOURLY_WORK]],
  );
  await owner.end();
}

async function fill(db: Database, sizes: Sizes, say: (line: string) => void): Promise<Known> {
  const workspaces = Array.from({ length: sizes.workspaces }, (_, w) =>
    workspace(`w${w}`, PEOPLE, PROJECTS),
  );
  const large = sizes.large.map((people) => workspace(`large${people}`, people, 1));
  const all = [...workspaces, ...large];
  const world = {
    users: all.flatMap(({ users }) => users),
    organizations: all.map(({ organization }) => organization),
    projects: all.flatMap(({ projects }) => projects),
    tasks: all.flatMap(({ tasks }) => tasks),
  };
  const ids = await importWorld(db, world, {
    onProgress: (done, total) =>
      say(`${sizes.name}: ${Math.floor((100 * done) / total)} % of ${total} rows`),
  });
  const id = (of: Record<string, string>, handle: string) => of[handle] as string;
  return {
    workspaces: workspaces.map(({ organization: { handle: w, teams }, projects, tasks }) => ({
      id: id(ids.organizations, w),
      key: id(ids.keys, `${w}-key`),
      userId: (ids.users[`${w}-0`] as { id: string }).id,
      card: id(ids.cards, `${w}-0/visa`),
      projects: projects.map(({ handle }) => id(ids.projects, handle)),
      tasks: tasks.map(({ handle }) => id(ids.tasks, handle)),
      teams: teams.map(({ handle }) => id(ids.teams, handle)),
    })),
    sizes: Object.fromEntries(
      sizes.large.map((people) => [
        people,
        {
          key: id(ids.keys, `large${people}-key`),
          project: id(ids.projects, `large${people}-p0`),
        },
      ]),
    ),
  };
}

const FIRST = [
  'Ada',
  'Bob',
  'Carol',
  'Dan',
  'Eve',
  'Frida',
  'Grace',
  'Hugo',
  'Iris',
  'Jan',
  'Karin',
  'Lou',
];
const LAST = [
  'Byron',
  'Hopper',
  'Noether',
  'Turing',
  'Liskov',
  'Knuth',
  'Hamilton',
  'Ritchie',
  'Perlman',
  'Dijkstra',
];

/** A workspace with its people, projects and tasks, all derived from its handle. */
function workspace(w: string, people: number, projectCount: number) {
  const person = (i: number) => `${w}-${i}`;
  const chosen = <Item>(list: readonly Item[], what: string) =>
    list[drawn(`${w} ${what}`) % list.length] as Item;
  const users = Array.from({ length: people }, (_, i) => ({
    handle: person(i),
    email: `${person(i)}@example.com`,
    name: `${chosen(FIRST, `first ${i}`)} ${chosen(LAST, `last ${i}`)}`,
    two_factor: drawn(`${w} 2fa ${i}`) % 2 === 0,
    balance: '100.00',
    keys: i === 0 ? [{ handle: `${w}-key`, name: 'bench' }] : [],
    cards: i === 0 ? [{ handle: 'visa', token: 'pm_card_visa', brand: 'visa', last4: '4242' }] : [],
  }));
  const projects = Array.from({ length: projectCount }, (_, p) => ({
    handle: `${w}-p${p}`,
    name: `Project ${p}`,
    organization: w,
    erp_version: '18.0',
    erp_edition: 'community',
    overrides: [
      {
        user: person(1 + (p % (people - 1))),
        role: chosen(['admin', 'member', 'viewer'], `override ${p}`),
      },
    ],
  }));
  return {
    users,
    projects,
    organization: {
      handle: w,
      name: `Workspace ${w}`,
      owner: person(0),
      color: '#3355AA',
      icon: 'rocket',
      balance: '1000.00',
      members: Array.from({ length: people - 1 }, (_, i) => ({
        user: person(i + 1),
        role: i === 0 ? 'admin' : chosen(['member', 'member', 'viewer'], `role ${i}`),
      })),
      teams: Array.from({ length: TEAMS }, (_, t) => ({
        handle: `${w}-t${t}`,
        name: `Team ${t}`,
        members: [person(1 + t), person(4 + t)],
        projects: [`${w}-p0`],
      })),
      invitations: Array.from({ length: INVITATIONS }, (_, i) => ({
        handle: `${w}-i${i}`,
        email: `guest-${i}@${w}.example.com`,
        role: chosen(['admin', 'member', 'viewer'], `invitation ${i}`),
        invited_by: person(0),
        expires_in_hours: 87_000 - i,
      })),
    },
    tasks: projects.flatMap(({ handle }) =>
      Array.from({ length: TASKS }, (_, t) => ({
        handle: `${handle}-t${t}`,
        project: handle,
        title: `Task ${t}`,
        created_by: person(0),
        plan: { revisions: ['First plan', 'Second plan'], approved_version: 2 },
      })),
    ),
  };
}

/** A number that depends only on the text: the same data on every machine. */
const drawn = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);
