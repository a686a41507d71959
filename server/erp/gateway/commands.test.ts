import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeErpGateway } from '../../testing/fixtures/erp/erp-gateway.ts';
import { InstanceError } from '../instances/instance-driver.ts';
import type { ErpCommand } from './target.ts';

/** Commands of an agent in the throwaway Odoo of its task. */

const ran: ErpCommand[] = [];
const of = (access: 'read' | 'write', own = true) =>
  makeErpGateway({
    kind: 'instance',
    access,
    ...(own && {
      run: async (command) => {
        ran.push(command);
        return { code: 0, log: `${'x'.repeat(70_000)}done` };
      },
    }),
  });
const build = await of('write');
const plan = await of('read');
const none = await of('write', false);

const asked = async (
  { send, calls }: typeof build,
  what: string,
  body: unknown,
  token?: string,
) => {
  const before = ran.length;
  const { status, text } = await send({
    path: `/command/${what}`,
    body,
    ...(token !== undefined && { token }),
  });
  return { status, text, ran: ran.slice(before), logged: calls.at(-1) };
};

test('they are run, counted and logged as calls are, without their data', async () => {
  const { status, text, ran, logged } = await asked(build, 'shell', { script: 'print(1)' });
  assert.deepEqual([status, ran], [200, [{ what: 'shell', script: 'print(1)' }]]);
  const { exit_code, output } = JSON.parse(text);
  assert.deepEqual([exit_code, output.length, output.endsWith('done')], [0, 65_536, true]);
  assert.deepEqual(
    [logged?.model, logged?.method, logged?.allowed, logged?.status],
    ['odoo', 'shell', true, 200],
  );
  assert.equal(JSON.stringify(build.calls).includes('print'), false);
  const modules = ['books'];
  for (const what of ['update', 'test'])
    assert.deepEqual((await asked(build, what, { modules })).ran, [{ what, modules }]);
});

test('one that comes while another runs is told so', async () => {
  const busy = await makeErpGateway({
    kind: 'instance',
    access: 'write',
    run: async () => {
      throw new InstanceError('unavailable', 'it runs a command already');
    },
  });
  const { status, text, logged } = await asked(busy, 'shell', { script: 'x' });
  assert.deepEqual([status, logged?.status], [409, 409]);
  assert.match(text, /wait until that has ended/);
});

test('while a plan is written, tests are run and nothing that writes', async () => {
  for (const [what, body] of [
    ['shell', { script: 'x' }],
    ['update', { modules: ['books'] }],
  ] as const) {
    const { status, ran, logged } = await asked(plan, what, body);
    assert.deepEqual([status, ran, logged?.allowed, logged?.status], [403, [], false, 403]);
  }
  assert.equal((await asked(plan, 'test', { modules: ['books'] })).status, 200);
});

test('a connection has none, and strangers and what is no command are refused', async () => {
  assert.equal((await asked(none, 'shell', { script: 'x' })).status, 404);
  assert.equal((await asked(build, 'shell', { script: 'x' }, 'wrong')).status, 401);
  const wrong: [string, unknown][] = [
    ['shell', {}],
    ['shell', { script: 'x'.repeat(65_537) }],
    ['update', { modules: [] }],
    ['update', { modules: ['--help'] }],
    ['test', { modules: ['a,/b'] }],
    ['test', null],
  ];
  for (const [what, body] of wrong) {
    const { status, ran } = await asked(build, what, body);
    assert.deepEqual([status, ran], [422, []], what);
  }
  assert.equal((await asked(build, 'drop', {})).status, 404);
});
