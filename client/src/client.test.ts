import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { createClient, GuildhallError } from './index.ts';

const { fixtures, url, unchanged } = await startHarness({ own: true });
const owner = await fixtures.user();
const org_id = await fixtures.workspace(owner);
const guildhall = createClient({ baseUrl: url, key: owner.key });

const failing = (work: Promise<unknown>): Promise<GuildhallError> =>
  work.then(
    () => assert.fail('it succeeded'),
    (error) => {
      assert.ok(error instanceof GuildhallError, String(error));
      return error;
    },
  );

test('a read returns the data, and by withResponse what its headers say', async () => {
  const workspace = await guildhall.get('/api/organizations/{org_id}', { org_id });
  assert.equal(workspace.id, org_id);
  const answer = await guildhall.get('/api/account').withResponse();
  assert.equal(answer.data.id, owner.id);
  assert.equal(answer.status, 200);
  assert.match(answer.etag ?? '', /^"/);
  assert.match(answer.requestId ?? '', /./);
});

test('a write sends its body, and returns what was created', async () => {
  const body = { name: 'Core', can_create_projects: true };
  const made = await guildhall
    .post('/api/organizations/{org_id}/teams', { org_id, body })
    .withResponse();
  assert.deepEqual([made.status, made.data.name], [201, 'Core']);
  assert.equal(made.location, `/api/organizations/${org_id}/teams/${made.data.id}`);
});

test('a deletion without a receipt returns nothing', async () => {
  const team_id = await fixtures.team(org_id);
  const path = '/api/organizations/{org_id}/teams/{team_id}';
  assert.equal(await guildhall.delete(path, { org_id, team_id }), undefined);
});

test('parameters of a query are sent, and those that are undefined are not', async () => {
  const { id } = owner;
  const args = { org_id, q: 'no such person & nothing' };
  assert.deepEqual(await guildhall.get('/api/organizations/{org_id}/members', args), []);
  const all = await guildhall.get('/api/organizations/{org_id}/members', {
    org_id,
    q: undefined as never,
  });
  assert.deepEqual(
    all.map(({ user_id }) => user_id),
    [id],
  );
});

test('a list in a query is sent as one parameter for each of its items', async () => {
  const project = await fixtures.project({ organizationId: org_id });
  const ready = await fixtures.task(project, owner);
  const cancelled = await fixtures.task(project, owner);
  await fixtures.taskStatus(cancelled, 'cancelled');
  const of = async (...status: ('ready' | 'cancelled' | 'paused')[]) =>
    (await guildhall.get('/api/tasks', { status })).map(({ id }) => id);
  assert.deepEqual(await of('ready', 'paused'), [ready]);
  assert.deepEqual(await of('ready', 'cancelled'), [cancelled, ready]);
});

test('an empty parameter of the path is an error here: it would be another operation', async () => {
  const call = guildhall.delete('/api/organizations/{org_id}', { org_id: '' });
  await assert.rejects(call, new TypeError('/api/organizations/{org_id} needs org_id'));
});

test('ifMatch takes what was read, and refuses a change of another version', async () => {
  const path = '/api/organizations/{org_id}';
  const read = await guildhall.get(path, { org_id });
  const changed = await guildhall.put(path, { org_id, body: { name: 'New' } }, { ifMatch: read });
  assert.equal(changed.name, 'New');
  const again = await unchanged(() =>
    guildhall.put(path, { org_id, body: { name: 'Newer' } }, { ifMatch: read }).result(),
  );
  assert.deepEqual([again.error?.status, again.error?.code], [412, 'workspace_changed']);
  const copy = { ...read };
  const blind = guildhall.put(path, { org_id, body: { name: 'Newest' } }, { ifMatch: copy });
  await assert.rejects(blind, TypeError);
});

/** A part of web/auth-openapi.json. */
interface AuthPaths {
  '/auth/session': {
    get: { responses: { 200: { content: { 'application/json': { signed_in: boolean } } } } };
  };
  '/auth/sessions': {
    get: { responses: { 200: { content: { 'application/json': unknown[] } } } };
  };
}

test('a client of another document: the paths are its own, the manners the same', async () => {
  const auth = createClient<AuthPaths>({ baseUrl: url, idempotencyKeys: false });
  assert.equal((await auth.get('/auth/session')).signed_in, false);
  const { error } = await auth.get('/auth/sessions').result();
  assert.deepEqual([error?.status, error?.code], [401, 'not_authenticated']);
});

test('401: a key that does not exist', async () => {
  const error = await failing(createClient({ baseUrl: url, key: 'gh_none' }).get('/api/account'));
  assert.deepEqual([error.status, error.code], [401, 'invalid_api_key']);
});

test('404, by result: the code is one of those that the operation declares', async () => {
  const { data, error } = await guildhall
    .get('/api/tasks/{task_id}', { task_id: crypto.randomUUID() })
    .result();
  assert.equal(data, undefined);
  assert.deepEqual([error?.status, error?.code, error?.detail], [404, 'not_found', 'Not Found']);
  assert.match(error?.message ?? '', /^Not Found \(not_found, GET \/api\/tasks\/\{task_id\}, req/);
});

test('422: every refused field, by its name', async () => {
  const body = { name: '', color: 'blue' };
  const error = await failing(guildhall.post('/api/organizations', { body }));
  assert.ok(GuildhallError.is(error, 'validation_error', 'forbidden'));
  assert.equal(error.status, 422);
  assert.equal(error.field('color')?.loc[0], 'body');
  assert.equal(error.fields.length, 2);
  assert.match(error.detail, /^body\.name: /);
});
