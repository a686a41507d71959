import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../../server/db/database/database.ts';
import { sql } from '../../server/db/sql.ts';
import { worldFile } from '../../server/organizations/workspaces/world-file.ts';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import type { WorldError } from './faults.ts';
import { importWorld } from './load.ts';

// What a world file says of the repositories of projects, and of where their tasks are merged.

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
after(async () => {
  await db.close();
  await clone.drop();
});

interface Project {
  repositories?: { full_name: string; default_branch?: string }[] | undefined;
  merge_targets?: { branch: string; stage: string }[] | undefined;
}

let run = 0;

function fileOf(projects: Project[]) {
  const tag = `w${run++}`;
  return {
    users: [{ handle: 'u', email: `${tag}@example.com` }],
    organizations: [{ handle: 'o', name: tag, owner: 'u' }],
    projects: projects.map((lists, i) => ({
      handle: `p${i}`,
      name: `Project ${i}`,
      organization: 'o',
      erp_version: '18.0',
      erp_edition: 'community',
      ...lists,
    })),
  };
}

/** What an export says of the projects of an imported file. */
async function exported(file: object): Promise<Project[]> {
  const { organizations } = await importWorld(db, file);
  let text = '';
  const chunks = db.snapshot((tx) => worldFile(tx, organizations.o as string));
  for await (const chunk of chunks) text += chunk;
  return JSON.parse(text)
    .projects.toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1))
    .map(({ repositories, merge_targets }: Project) => ({ repositories, merge_targets }));
}

const MAIN = { full_name: 'main' };
const BEGUN = {
  repositories: [MAIN],
  merge_targets: [{ branch: 'main', stage: 'production' }],
};

const NAMES = ['main', 'library', 'a.b_c-d', '0'];

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const project: fc.Arbitrary<Project> = fc.record({
  repositories: optional(
    fc.uniqueArray(
      fc
        .record(
          {
            full_name: fc.constantFrom(...NAMES),
            default_branch: fc.constantFrom('17.0', 'é/ß'),
          },
          { requiredKeys: ['full_name'], noNullPrototype: true },
        )
        .map((each) => (each.full_name === 'main' ? MAIN : each)),
      { selector: ({ full_name }) => full_name },
    ),
  ),
  merge_targets: optional(
    fc.uniqueArray(
      fc.record(
        {
          branch: fc.constantFrom('main', '17.0', 'é/ß', 'a"b', 'Main'),
          stage: fc.constantFrom('staging', 'production'),
        },
        { noNullPrototype: true },
      ),
      { selector: ({ branch }) => branch },
    ),
  ),
});

test('property: what a file says comes back, and comes back again from its export', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(project, { minLength: 1, maxLength: 5 }), async (projects) => {
      const expected = projects.map(
        ({ repositories = [], merge_targets = BEGUN.merge_targets }) => ({
          repositories: repositories.some(({ full_name }) => full_name === 'main')
            ? repositories
            : [...BEGUN.repositories, ...repositories],
          merge_targets: merge_targets.toSorted((a, b) =>
            Buffer.compare(Buffer.from(a.branch), Buffer.from(b.branch)),
          ),
        }),
      );
      const first = await exported(fileOf(projects));
      assert.deepEqual(first, expected);
      assert.deepEqual(await exported(fileOf(first)), expected);
    }),
    { numRuns: 30 },
  );
});

test('a project without these lists begins as every other, also when thousands are imported', async () => {
  const projects = Array.from({ length: 3_000 }, (_, i) =>
    i % 3 === 0
      ? {}
      : {
          repositories: ['b', 'a'].map((name) => ({ full_name: `${name}${i}` })),
          merge_targets: [],
        },
  );
  const { organizations } = await importWorld(db, fileOf(projects));
  const found = await db.many(sql`
    select count(*)::int as projects, n.names, n.targets
      from project p
      cross join lateral (
        select (select string_agg(rtrim(full_name, '0123456789'), ' ' order by created_at, id)
                  from repository where project_id = p.id) as names,
               (select string_agg(branch, ' ') from merge_target
                 where project_id = p.id) as targets) n
     where p.organization_id = ${organizations.o} group by 2, 3 order by 1`);
  assert.deepEqual(found, [
    { projects: 1_000, names: 'main', targets: 'main' },
    { projects: 2_000, names: 'main b a', targets: null },
  ]);
});

test('faults: names that none can have, repeated ones, and too many', async () => {
  const faults = (lists: object) =>
    importWorld(db, fileOf([lists as Project])).then(
      () => [],
      (error) =>
        (error as WorldError).faults.map(({ pointer, message }) => `${pointer} ${message}`),
    );
  const branch = (name: string) => ({ merge_targets: [{ branch: name, stage: 'staging' }] });
  const many = (length: number) => Array.from({ length }, (_, i) => ({ full_name: `r${i}` }));
  const read = () =>
    db.many(sql`select (select count(*) from project), (select count(*) from repository)`);
  const before = await read();
  for (const [lists, fault] of [
    [{ repositories: [{ full_name: '../x' }] }, /repositories\/0\/full_name must be the name/],
    [{ repositories: [{ full_name: 'a', default_branch: '-o' }] }, /default_branch must be/],
    [
      { repositories: [{ full_name: 'a' }, { full_name: 'a' }] },
      /repositories\/1\/full_name repeats/,
    ],
    [{ repositories: many(21) }, /repositories must have at most 20 entries/],
    [{ repositories: many(20) }, /repositories must have at most 19 entries beside "main"/],
    [
      { repositories: [{ full_name: 'a' }, { full_name: 'main', default_branch: '17.0' }] },
      /^\/projects\/0\/repositories\/1\/default_branch must be "main" or left out/,
    ],
    [branch('a..b'), /merge_targets\/0\/branch must be the name of a branch/],
    [branch('task/0a1b2c3d'), /merge_targets\/0\/branch must not be of a task/],
    [branch('a\u0000'), /merge_targets\/0\/branch must be the name of a branch/],
    [
      { merge_targets: [{ branch: 'a', stage: 'dev' }] },
      /stage must be one of staging, production/,
    ],
  ] as const) {
    const found = await faults(lists);
    assert.equal(found.length, 1, JSON.stringify(found));
    assert.match(found[0] ?? '', fault);
  }
  assert.deepEqual(await read(), before);
  // As many as there may be, with `main` in the list, said in full, and without it.
  for (const repositories of [[...many(19), { ...MAIN, default_branch: 'main' }], many(19)])
    assert.deepEqual(await faults({ repositories }), []);
});
