import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { auditLedger } from '../../server/billing/audit/ledger-audit.ts';
import { openDatabase } from '../../server/db/database/database.ts';
import { sql } from '../../server/db/sql.ts';
import { worldFile } from '../../server/organizations/workspaces/world-file.ts';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import type { WorldError } from './faults.ts';
import { importWorld } from './load.ts';

// What export writes, import reads, and the same workspace is there again.

const clones = [await cloneDatabase(), await cloneDatabase()];
const [here, elsewhere] = clones.map(({ url }) => openDatabase({ url })) as [
  ReturnType<typeof openDatabase>,
  ReturnType<typeof openDatabase>,
];
after(async () => {
  await Promise.all([here.close(), elsewhere.close()]);
  await Promise.all(clones.map(({ drop }) => drop()));
});

// biome-ignore lint/suspicious/noExplicitAny: a file is JSON of any form.
type Any = any;

async function exported(db: typeof here, id: string): Promise<Any> {
  let text = '';
  for await (const chunk of db.snapshot((tx) => worldFile(tx, id))) text += chunk;
  return JSON.parse(text);
}

/** The file with names in place of its ids, in an order that does not depend on them. */
function withoutIds(world: Any): unknown {
  const names = new Map<string, string>();
  const [workspace] = world.organizations;
  const invitations = [workspace, ...world.projects].flatMap((each) => each.invitations ?? []);
  for (const { handle, email, name, title } of [
    ...world.users,
    ...world.organizations,
    ...workspace.teams,
    ...world.projects,
    ...world.tasks,
    ...invitations,
  ])
    names.set(handle, email ?? name ?? title);
  const named = JSON.parse(JSON.stringify(world), (key, value) => {
    if (!Array.isArray(value)) return names.get(value) ?? value;
    if (key === 'revisions') return value;
    return value.map((each) => JSON.stringify(each)).toSorted();
  });
  assert.doesNotMatch(JSON.stringify(named), /[0-9a-f]{8}-[0-9a-f]{4}-/);
  return named;
}

let run = 0;
const time = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
/** When an invitation was created and when it expires: not seven days later if it was renewed. */
const period = fc.record({ created_at: time, expires_at: time });
const word = fc.string({ unit: fc.constantFrom(...'aZ9 ß語👩,"\'\\='), maxLength: 12 });
const flags = (names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, fc.boolean()])));
const PEOPLE = 6;

/**
 * A workspace with everything that a file can say of one. Person 0 owns it, 4 and 5 are outside.
 */
const world = fc
  .record({
    people: fc.array(flags(['is_active', 'two_factor']), { minLength: PEOPLE, maxLength: PEOPLE }),
    workspace: flags(['require_2fa', 'admins_manage_admins']),
    memberRoles: fc.array(fc.constantFrom('admin', 'member', 'viewer', 'captain'), {
      minLength: 3,
      maxLength: 3,
    }),
    teamFlags: flags([
      'add_to_new_projects',
      'can_create_projects',
      'can_merge_production',
      'can_merge_staging',
    ]),
    projects: fc.array(
      fc.record({
        name: word,
        archived_at: fc.option(time, { nil: undefined }),
        plan_approval: fc.constantFrom('required', 'automatic'),
        direct_push: fc.constantFrom('nobody', 'admins'),
        spend_cap: fc.option(fc.constantFrom('0.000001', '12.50'), { nil: undefined }),
        default_model: fc.option(fc.constantFrom('sonnet', 'a/b'), { nil: undefined }),
        created_at: time,
        settings: fc.record(
          {
            instructions: fc.constantFrom('Tabs.\n\nNo ß "x".', 'x'),
            environment: fc.constantFrom(
              { setup: 'npm ci\n', cache: ['a/package-lock.json'] },
              { image: 'node-22', setup_timeout_minutes: 60, cache: [] },
            ),
            network: fc.constantFrom(
              { deploy: ['b.example'], setup: ['*.example.com', 'a.example:443'] },
              { checks: ['a.example'] },
            ),
            variables: fc.constantFrom([
              { name: 'A', purposes: ['setup', 'agent', 'checks'], value: '' },
              { name: 'A', stage: 'staging', purposes: ['deploy'], value: 'line\n\tß' },
            ]),
            mcp_servers: fc.constantFrom([
              {
                name: 'docs',
                url: 'https://mcp.example.com/mcp',
                headers: [{ name: 'Authorization', value: `Bearer \${TOKEN}` }],
                turns: ['build'],
                read_only: false,
              },
              {
                name: 'tool',
                command: '/usr/bin/tool',
                args: ['-x', 'ß'],
                env: [{ name: 'LEVEL', value: '2' }],
                turns: ['plan', 'build'],
                read_only: true,
              },
            ]),
          },
          { requiredKeys: [] },
        ),
        role: fc.constantFrom('admin', 'member', 'viewer', 'guest'),
        invited: fc.boolean(),
        validity: period,
      }),
      { minLength: 1, maxLength: 4 },
    ),
    tasks: fc.array(
      fc.record({
        title: word,
        created_at: time,
        creator: fc.nat(PEOPLE - 1),
        archived_at: fc.option(time, { nil: undefined }),
        own: fc.record(
          {
            model: fc.constantFrom('sonnet', 'a/b'),
            spend_cap: fc.constantFrom('0.000001', '2.00'),
            base: fc.constantFrom('release/18', 'ß'),
          },
          { requiredKeys: [] },
        ),
        revisions: fc.array(
          word.filter((text) => text !== ''),
          { maxLength: 3 },
        ),
        approvedAt: fc.option(time, { nil: undefined }),
        approver: fc.nat(PEOPLE - 1),
        source: fc.constantFrom('person', 'policy'),
        author: fc.option(fc.nat(PEOPLE - 1), { nil: undefined }),
        moved: fc.option(fc.nat(), { nil: undefined }),
        resolved: fc.boolean(),
      }),
      { maxLength: 8 },
    ),
    validity: period,
  })
  .map((drawn) => fileOf(drawn as Any, `r${run++}`));

/** Who wrote and approved the last version, and what was said about it. */
function planOf(drawn: Any, version: number): Any {
  const { approvedAt, approver, source, author, moved, resolved } = drawn;
  const by = `u${approver}`;
  const at = approvedAt ?? '2026-01-02T03:04:05.678Z';
  return {
    ...(author !== undefined && { authors: [{ version, by: `u${author}` }] }),
    ...(approvedAt !== undefined && {
      approved_version: version,
      approvals: [{ version, by, at, ...(source === 'policy' && { source }) }],
    }),
    ...(moved !== undefined && {
      comments: [
        {
          version,
          start_line: 1,
          end_line: 2,
          text: 'Why?\n',
          by,
          at,
          ...(moved > 0 && { current_start_line: moved }),
          ...(resolved && { resolved_by: 'u5', resolved_at: at }),
        },
      ],
    }),
  };
}

function fileOf(drawn: Any, tag: string): Any {
  const users = drawn.people.map((flags: object, i: number) => ({
    handle: `u${i}`,
    email: `${tag}-u${i}@Example.com`,
    ...flags,
    ...(i % 2 === 0 && { name: `Person ${i} of ${tag}` }),
    ...(i === 0 && { is_active: true, two_factor: true }),
  }));
  const handles = drawn.projects.map((_: unknown, i: number) => `p${i}`);
  return {
    users,
    organizations: [
      {
        handle: 'o',
        name: `Workspace ${tag}`,
        owner: 'u0',
        color: '#3355aa',
        icon: 'rocket',
        ...drawn.workspace,
        roles: [
          { slug: 'captain', name: 'Captain', color: '#aabbcc', acts_as: 'member' },
          { slug: 'guest', scope: 'project', name: 'Guest', color: '#112233', acts_as: 'viewer' },
        ],
        members: drawn.memberRoles.map((role: string, i: number) => ({ user: `u${i + 1}`, role })),
        teams: [
          {
            handle: 't0',
            name: 'Core',
            ...drawn.teamFlags,
            members: ['u0', 'u2'],
            projects: handles,
          },
          { handle: 't1', name: 'Night' },
        ],
        invitations: [
          {
            handle: 'i0',
            email: `${tag}-i0@x.com`,
            role: 'captain',
            teams: ['t0', 't1'],
            invited_by: 'u1',
            ...drawn.validity,
          },
          { handle: 'i1', email: `${tag}-i1@x.com`, role: 'viewer', ...drawn.validity },
          {
            handle: 'i2',
            email: `${tag}-i2@x.com`,
            role: 'admin',
            invited_by_name: 'Gone',
            ...drawn.validity,
          },
        ],
      },
    ],
    projects: drawn.projects.map(
      (
        { role, invited, validity, name, archived_at, settings: more, ...settings }: Any,
        i: number,
      ) => ({
        ...more,
        handle: `p${i}`,
        name: `Project ${i} ${name}`.trim(),
        organization: 'o',
        ...settings,
        erp_version: '18.0',
        erp_edition: i % 2 === 0 ? 'community' : 'enterprise',
        ...(archived_at !== undefined && { archived: true, archived_at }),
        overrides: [{ user: 'u2', role }],
        collaborators: [{ user: 'u4', role }],
        invitations: invited
          ? [
              {
                handle: `pi${i}`,
                email: `${tag}-pi${i}@x.com`,
                role,
                invited_by: 'u5',
                ...validity,
              },
            ]
          : [],
      }),
    ),
    tasks: drawn.tasks.map(
      ({ title, creator, created_at, archived_at, own, revisions, ...plan }: Any, i: number) => ({
        ...own,
        handle: `k${i}`,
        project: handles[i % handles.length],
        created_at,
        title: `Task ${i} ${title}`.trim(),
        created_by: `u${creator}`,
        ...(archived_at !== undefined && { archived: true, archived_at }),
        ...(revisions.length > 0 && {
          plan: {
            revisions,
            ...planOf(plan, revisions.length),
          },
        }),
      }),
    ),
  };
}

test('property: an export that is imported elsewhere and exported again is the same file but for ids', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (file) => {
      const first = await exported(here, (await importWorld(here, file)).organizations.o as string);
      const [workspace] = first.organizations;
      const ids = await importWorld(elsewhere, first);
      const second = await exported(elsewhere, ids.organizations[workspace.handle] as string);
      assert.deepEqual(withoutIds(second), withoutIds(first));
      // And nothing was lost on the way into the first database.
      assert.equal(first.tasks.length, file.tasks.length);
      assert.equal(first.projects.length, file.projects.length);
      for (const name of ['instructions', 'environment', 'network', 'variables', 'mcp_servers']) {
        const of = ({ projects }: Any) =>
          projects.map((each: Any) => JSON.stringify(each[name])).toSorted();
        assert.deepEqual(of(first), of(file), name);
      }
      const ofTasks = ({ tasks }: Any) =>
        tasks
          .map(({ title, model, spend_cap, base, archived_at }: Any) =>
            JSON.stringify([title, model, spend_cap, base, archived_at]),
          )
          .toSorted();
      assert.deepEqual(ofTasks(first), ofTasks(file));
      const pushes = ({ projects }: Any) =>
        projects.map(({ name, direct_push = 'nobody' }: Any) => `${name} ${direct_push}`);
      assert.deepEqual(pushes(first).sort(), pushes(file).sort());
      const said = ({ tasks }: Any, name: string) =>
        tasks.flatMap(({ plan }: Any) => plan?.[name] ?? []).length;
      for (const name of ['authors', 'approvals', 'comments'])
        assert.equal(said(first, name), said(file, name), name);
      assert.equal(workspace.members.length, 3);
      const times = ({ organizations, projects }: Any) => [
        ...[...organizations, ...projects].flatMap(({ invitations = [] }: Any) =>
          invitations.map(({ email, created_at, expires_at }: Any) =>
            [email, created_at, expires_at].join(' '),
          ),
        ),
        ...projects.map(({ name, archived_at }: Any) => `${name} ${archived_at}`),
      ];
      assert.deepEqual(times(first).sort(), times(file).sort());
    }),
    { numRuns: 40 },
  );
});

test('an export holds no secret and no money, and its import makes none', async () => {
  const { keys, organizations } = await importWorld(here, {
    users: [
      {
        handle: 'u',
        email: 'rich@example.com',
        balance: '50.00',
        keys: [{ handle: 'k', name: 'laptop' }],
        cards: [{ handle: 'c', token: 'pm_card_visa', brand: 'visa', last4: '4242' }],
      },
    ],
    organizations: [{ handle: 'o', name: 'Rich', owner: 'u', balance: '120.00' }],
  });
  const file = await exported(here, organizations.o as string);
  const text = JSON.stringify(file);
  for (const secret of [keys.k as string, 'gld_', 'pm_', '4242', 'balance', 'token', 'hash'])
    assert.ok(!text.includes(secret), secret);
  await importWorld(elsewhere, file);
  const { n } = await elsewhere.one<{ n: number }>(
    sql`select count(*)::int as n from ledger_transfer`,
  );
  assert.equal(n, 0);
  assert.deepEqual((await auditLedger(here)).violations, []);
});

test('secrets of projects are named without their values, and are set again after the import', async () => {
  const file = {
    users: [{ handle: 'u', email: 'secretive@example.com' }],
    organizations: [{ handle: 'o', name: 'Secretive', owner: 'u', instructions: 'Be brief.' }],
    projects: [
      {
        handle: 'p',
        name: 'Shop',
        organization: 'o',
        erp_version: '18.0',
        erp_edition: 'community',
      },
    ],
  };
  const { users, organizations, projects } = await importWorld(here, file);
  const sealed = Buffer.alloc(40, 'hunter2');
  for (const [name, stage, purposes] of [
    ['NPM_TOKEN', null, ['setup', 'agent']],
    ['NPM_TOKEN', 'production', ['deploy']],
  ] as const)
    await here.many(sql`
      insert into project_variable (project_id, name, stage, purposes, sealed, sealed_key_id,
                                    updated_by_user_id)
      values (${projects.p}, ${name}, ${stage}, ${purposes}::text[], ${sealed}, ${'k'.repeat(16)},
              ${users.u?.id})`);
  const first = await exported(here, organizations.o as string);
  assert.equal(first.organizations[0].instructions, 'Be brief.');
  assert.deepEqual(first.projects[0].secrets, [
    { name: 'NPM_TOKEN', purposes: ['setup', 'agent'] },
    { name: 'NPM_TOKEN', stage: 'production', purposes: ['deploy'] },
  ]);
  const text = JSON.stringify(first);
  for (const secret of ['hunter2', 'kkkk', sealed.toString('hex'), sealed.toString('base64')])
    assert.ok(!text.includes(secret), secret);
  const made = await importWorld(elsewhere, first);
  assert.deepEqual(made.secrets, {
    [projects.p as string]: ['NPM_TOKEN', 'NPM_TOKEN (production)'],
  });
  const id = made.projects[projects.p as string];
  assert.deepEqual(
    await elsewhere.many(sql`select name from project_variable where project_id = ${id}`),
    [],
  );
});

test('users who exist are refused, or matched by their address and left as they are', async () => {
  const file = {
    users: [
      { handle: 'a', email: 'Match@example.com', name: 'New name', two_factor: true },
      { handle: 'b', email: 'new@example.com' },
    ],
    organizations: [
      { handle: 'o', name: 'Matched', owner: 'a', members: [{ user: 'b', role: 'admin' }] },
    ],
  };
  const old = await importWorld(here, {
    users: [{ handle: 'x', email: 'match@EXAMPLE.com', name: 'Old name' }],
  });
  await assert.rejects(importWorld(here, file), /\/users\/0\/email: .* already exists/);
  const made = await importWorld(here, file, { existingUsers: 'match' });
  assert.equal(made.users.a?.id, old.users.x?.id);
  const user = await here.one(
    sql`select email, name, two_factor from app_user where id = ${old.users.x?.id}`,
  );
  assert.deepEqual(user, { email: 'match@EXAMPLE.com', name: 'Old name', two_factor: false });
  const faults = (world: object) =>
    importWorld(here, world, { existingUsers: 'match' }).then(
      () => [],
      (error) => (error as WorldError).faults.map(({ pointer }) => pointer),
    );
  // What the file says of them does not count: the policy asks for a second factor that is missing.
  const strict = [{ ...file.organizations[0], members: [], require_2fa: true }];
  assert.deepEqual(await faults({ ...file, organizations: strict }), ['/organizations/0/owner']);
  const paid = [{ ...file.users[0], balance: '5.00' }];
  assert.deepEqual(await faults({ users: paid }), ['/users/0']);
});
