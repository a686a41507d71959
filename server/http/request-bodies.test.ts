import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mintKey } from '../identity/keys/key.ts';
import { openClient } from '../testing/clients/sockets.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';

// Bodies that are announced and never come: whom they keep waiting.

const { url, request, fixtures, unchanged } = await startHarness({
  env: { MAX_CONCURRENT_REQUESTS: '1' },
});

const user = await fixtures.user();
const workspace = await fixtures.workspace(user);
const team = await fixtures.team(workspace);
const project = await fixtures.project({ organizationId: workspace });
const task = await fixtures.task(project, user);
await fixtures.revision(task);

const APPROVE = `POST /api/tasks/${task}/plan/approve`;
const READ = 'GET /api/billing/balance';
const DELETE = `DELETE /api/organizations/${workspace}`;
const UPDATE = `PUT /api/organizations/${workspace}/teams/${team}`;

/** Sends a request whose body never comes. */
const announce = (line: string, key?: string) => {
  const credential = key === undefined ? '' : `authorization: Bearer ${key}\r\n`;
  const headers = `host: x\r\ncontent-type: application/json\r\n${credential}content-length: 100\r\n`;
  return openClient(url, { bytes: `${line} HTTP/1.1\r\n${headers}\r\n` });
};
const statusAtOnce = async (line: string, key?: string): Promise<number> => {
  const client = await announce(line, key);
  await until(`an answer to ${line}`, () => client.text() !== '');
  return Number(client.text().slice(9, 12));
};

test('401: without a key or with an invented one no body is waited for', async () => {
  await unchanged(async () => {
    for (const line of [APPROVE, DELETE, UPDATE, 'POST /api/billing/add-funds', READ])
      for (const key of [undefined, mintKey()])
        assert.equal(await statusAtOnce(line, key), 401, `${line} ${key ? 'invented key' : ''}`);
  });
});

test('a body that the operation does not read is not waited for', async () => {
  assert.equal(await statusAtOnce(READ, user.key), 200);
  assert.equal(await statusAtOnce(APPROVE, user.key), 200);
  const own = await fixtures.user();
  const deleted = await fixtures.workspace(own);
  assert.equal(await statusAtOnce(`DELETE /api/organizations/${deleted}`, own.key), 200);
});

test('a request whose body is still to come takes no slot, not even with a good key', async () => {
  const waiting = await Promise.all(Array.from({ length: 20 }, () => announce(UPDATE, user.key)));
  for (let i = 0; i < 5; i++)
    assert.equal((await request('GET', '/api/billing/balance', { key: user.key })).status, 200);
  assert.deepEqual(
    waiting.map(({ text }) => text()),
    Array(20).fill(''),
  );
});
