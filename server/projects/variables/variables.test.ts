import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { openSealing } from '../../platform/sealing/sealing.ts';
import { contextOf } from '../../platform/variables/sealed-variables.ts';
import { SERVER_SECRET } from '../../testing/fixtures/erp/odoo-connections.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** Variables of a project: who may set them, what they hold, and what is never shown. */

const harness = await startHarness();
const { db, fixtures, request, unchanged, log } = harness;
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const newProject = () => fixtures.project({ organizationId: workspace });
const plain = { value: 'https://x.example', secret: false, purposes: ['checks'] };
const SECRET = 'correct horse battery';
const hidden = { value: SECRET, secret: true, purposes: ['deploy'] };

const at = (project: string, name?: string) =>
  `/api/projects/${project}/variables${name === undefined ? '' : `/${name}`}`;
const put = (project: string, name: string, body: object, key = owner.key) =>
  request('PUT', at(project, name), { key, body });
const list = async (project: string) =>
  (await request('GET', at(project), { key: owner.key })).body;

test('200: set, listed by name and stage, replaced as a whole; 204: removed by name and stage', async () => {
  const project = await newProject();
  const set = await put(project, 'URL', { ...plain, purposes: ['checks', 'setup'] });
  assert.equal(set.status, 200, set.text);
  const { updated_at, ...shown } = set.body;
  assert.ok(Date.parse(updated_at) > 0);
  assert.deepEqual(shown, {
    name: 'URL',
    purposes: ['setup', 'checks'],
    secret: false,
    value: 'https://x.example',
    updated_by_user_id: owner.id,
  });
  await put(project, 'TOKEN', { ...hidden, stage: 'staging' });
  await put(project, 'TOKEN', hidden);
  await put(project, 'lower', { ...plain, value: '' });
  const places = async () =>
    (await list(project)).map(({ name, stage, value }: Record<string, string>) =>
      [name, stage, value].join(' '),
    );
  assert.deepEqual(await places(), [
    'TOKEN  ',
    'TOKEN staging ',
    'URL  https://x.example',
    'lower  ',
  ]);
  const replaced = await put(project, 'URL', { ...hidden, purposes: ['agent'] });
  assert.deepEqual(
    [replaced.body.secret, replaced.body.value, replaced.body.purposes],
    [true, undefined, ['agent']],
  );
  const removed = await request('DELETE', `${at(project, 'TOKEN')}?stage=staging`, {
    key: owner.key,
  });
  assert.equal(removed.status, 204);
  assert.deepEqual(await places(), ['TOKEN  ', 'URL  ', 'lower  ']);
});

test('404: a name or stage that is not there, and a name of another project', async () => {
  const [project, other] = [await newProject(), await newProject()];
  await put(project, 'A', plain);
  await unchanged(async () => {
    for (const path of [at(project, 'B'), `${at(project, 'A')}?stage=staging`, at(other, 'A')])
      assert.equal((await request('DELETE', path, { key: owner.key })).status, 404);
  });
});

test('422: names that are none, or that change how processes are started', async () => {
  const project = await newProject();
  const refused = (name: string) => unchanged(() => put(project, name, plain));
  for (const name of ['1A', 'A-B', 'A.B', `A${'b'.repeat(100)}`, '%C3%84', 'A%0A'])
    assert.ok([404, 422].includes((await refused(name)).status), name);
  for (const name of ['PATH', 'HOME', 'CI', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'GCONV_PATH']) {
    const { status, body } = await refused(name);
    assert.deepEqual([status, body.detail[0].type], [422, 'variable_name_reserved'], name);
  }
  assert.equal((await refused('GUILDHALL_X')).status, 422);
  for (const name of ['NODE_OPTIONS', 'npm_config_registry', 'LANG', 'LD_SDK_KEY', '_'])
    assert.equal((await put(project, name, plain)).status, 200, name);
});

test('422: purposes, stages and values that do not fit; the value is never repeated', async () => {
  const project = await newProject();
  const wrong: [object, string][] = [
    [{ ...plain, purposes: [] }, 'too_short'],
    [{ ...plain, purposes: ['tests'] }, 'literal_error'],
    [{ ...plain, purposes: ['checks', 'checks'] }, 'variable_purpose_repeated'],
    [{ ...plain, stage: 'staging' }, 'variable_stage_needs_deploy'],
    [{ ...plain, purposes: ['deploy', 'agent'], stage: 'staging' }, 'variable_stage_needs_deploy'],
    [{ ...plain, value: 'a\0b' }, 'control_characters'],
    [{ ...plain, value: 'é'.repeat(16_385) }, 'variable_value_too_large'],
    [{ ...plain, value: 'a'.repeat(32_769) }, 'string_too_long'],
    [{ ...hidden, value: 'abc' }, 'variable_secret_too_short'],
    [{ ...hidden, value: '  abc  ' }, 'variable_secret_too_short'],
    [{ ...hidden, value: 'a\n\nb' }, 'variable_secret_too_short'],
    [{ ...hidden, value: SECRET, purposes: ['nothing'] }, 'literal_error'],
    [{ ...hidden, value: 17 }, 'string_type'],
    [{ ...hidden, value: undefined }, 'missing'],
  ];
  for (const [body, type] of wrong) {
    const reply = await unchanged(() => put(project, 'A', body));
    assert.deepEqual([reply.status, reply.body.detail?.[0].type], [422, type], reply.text);
    assert.ok(!reply.text.includes(SECRET) && !reply.text.includes('abc'));
  }
  for (const value of ['abcd', 'a\nb\tc\r\nd', 'x'.repeat(32_768), '😀'.repeat(8_192)])
    assert.equal((await put(project, 'A', { ...hidden, value })).status, 200);
});

test('a secret is stored sealed, for its project, name and stage alone, and shown nowhere', async () => {
  const project = await newProject();
  const headers = { 'idempotency-key': `secret ${project}` };
  const sent = { key: owner.key, body: hidden, headers };
  const first = await request('PUT', at(project, 'TOKEN'), sent);
  const again = await request('PUT', at(project, 'TOKEN'), sent);
  assert.deepEqual([again.status, again.text], [200, first.text]);
  await request('DELETE', at(project, 'TOKEN'), { key: owner.key });
  await put(project, 'TOKEN', { ...hidden, stage: 'production' });
  const row = await db.one<{ sealed: Buffer; keyId: string; value: null }>(sql`
    select sealed, sealed_key_id as "keyId", value from project_variable
     where project_id = ${project}`);
  assert.equal(row.value, null);
  const sealing = openSealing({ current: SERVER_SECRET }, 'variables');
  const place = { project_id: project, name: 'TOKEN', stage: 'production' };
  assert.equal(sealing.open(row, contextOf(place)).toString(), SECRET);
  for (const moved of [{ name: 'OTHER' }, { stage: 'staging' }, { project_id: workspace }])
    assert.throws(() => sealing.open(row, contextOf({ ...place, ...moved })), /does not open/);
  const trail = await db.many<{ text: string; action: string; before: object; after: object }>(sql`
    select action, before, after, to_jsonb(e)::text as text from audit_event e
     where project_id = ${project} order by occurred_at`);
  const was = { name: 'TOKEN', stage: null, purposes: 'deploy', sealed: true };
  assert.deepEqual(
    trail.map(({ action, before, after }) => [action, before, after]),
    [
      ['variable.set', null, was],
      ['variable.removed', was, null],
      ['variable.set', null, { ...was, stage: 'production' }],
    ],
  );
  const stored = await db.many<{ text: string }>(sql`
    select to_jsonb(k)::text as text from idempotency_key k where user_id = ${owner.id}`);
  const shown = [first, await request('GET', at(project), { key: owner.key })];
  for (const text of [...trail, ...stored, ...shown].map((each) => each.text).concat(log))
    assert.ok(!text.includes(SECRET) && !text.includes(Buffer.from(SECRET).toString('hex')));
});

test('409: more than a project may have; what is there can still be replaced and removed', async () => {
  const project = await newProject();
  await db.many(sql`
    insert into project_variable (project_id, name, purposes, value, updated_by_user_id)
    select ${project}, 'N' || n, array['checks'], 'v', ${owner.id} from generate_series(1, 100) n`);
  const refused = await unchanged(() => put(project, 'ONE_MORE', plain));
  assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_variables']);
  assert.equal((await put(project, 'N7', hidden)).status, 200);
  await request('DELETE', at(project, 'N8'), { key: owner.key });
  assert.equal((await put(project, 'ONE_MORE', plain)).status, 200);

  const large = await newProject();
  const value = 'x'.repeat(32_768);
  for (let n = 0; n < 8; n++) await put(large, `N${n}`, { ...hidden, value });
  const full = await unchanged(() => put(large, 'A', { ...plain, value: 'y' }));
  assert.deepEqual([full.status, full.body.code], [409, 'variables_too_large']);
  assert.equal((await put(large, 'N0', { ...hidden, value: value.slice(1) })).status, 200);
  assert.equal((await put(large, 'A', { ...plain, value: 'y' })).status, 200);
});

test('race: many at once never exceed the bounds of a project', async () => {
  const project = await newProject();
  await db.many(sql`
    insert into project_variable (project_id, name, purposes, value, updated_by_user_id)
    select ${project}, 'N' || n, array['checks'], 'v', ${owner.id} from generate_series(1, 95) n`);
  const many = await Promise.all(
    Array.from({ length: 12 }, (_, n) => put(project, `RACE_${n}`, plain)),
  );
  const statuses = many.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(7).fill(409)]);

  const large = await newProject();
  const value = 'x'.repeat(32_768);
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, n) => put(large, `RACE_${n}`, { ...plain, value })),
  );
  assert.equal(all.filter(({ status }) => status === 200).length, 8);
  // Of one name, all succeed, one after the other.
  const one = await newProject();
  const same = await Promise.all(Array.from({ length: 8 }, () => put(one, 'SAME', hidden)));
  assert.deepEqual(new Set(same.map(({ status }) => status)), new Set([200]));
  assert.equal((await list(one)).length, 1);
});

test('the table refuses what the operation would', async () => {
  const project = await newProject();
  const insert = (columns: Record<string, unknown>) => {
    const row = {
      project_id: project,
      name: 'A',
      purposes: ['deploy'],
      value: 'v',
      updated_by_user_id: owner.id,
      ...columns,
    };
    return db.many(sql`
      insert into project_variable
             (project_id, name, stage, purposes, value, sealed, sealed_key_id, updated_by_user_id)
      select r.project_id, r.name, r.stage, r.purposes, r.value, r.sealed, r.sealed_key_id,
             r.updated_by_user_id
        from jsonb_populate_record(null::project_variable, ${JSON.stringify(row)}::jsonb) r`);
  };
  for (const columns of [
    { name: 'A-B' },
    { purposes: [] },
    { purposes: ['deploy', 'deploy'] },
    { purposes: ['deploy', null] },
    { purposes: ['other'] },
    { purposes: ['deploy', 'agent'], stage: 'staging' },
    { value: null },
    { sealed: `\\x${'00'.repeat(40)}`, sealed_key_id: 'a'.repeat(16) },
    { value: null, sealed: `\\x${'00'.repeat(40)}` },
    { value: 'x'.repeat(32_769) },
  ])
    await assert.rejects(insert(columns), { code: '23514' }, JSON.stringify(columns));
  await insert({});
  await assert.rejects(insert({}), { code: '23505' });
});
