import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { after, test } from 'node:test';
import { cloneDatabase } from '../api/testing/database.ts';
import { childrenOf } from '../api/testing/processes.ts';
import { serve } from '../api/testing/serve.ts';
import { replacement } from './single-threaded-gc.ts';

const FLAG = '--single-threaded-gc';
const node = (argv: string[], execArgv: string[] = []) => ({
  argv: ['/bin/node', '/app/cli/guildhall.ts', ...argv],
  execArgv,
  execPath: '/bin/node',
});

test('with two cores or fewer, a server collects garbage on one thread', () => {
  const expected = ['/bin/node', '--inspect', FLAG, '/app/cli/guildhall.ts', 'serve', '--json'];
  for (const cores of [1, 2])
    assert.deepEqual(replacement(node(['serve', '--json'], ['--inspect']), cores), expected);
  for (const cores of [3, 64]) assert.equal(replacement(node(['serve']), cores), undefined);
});

test('other commands, and a choice of the operator, are left alone', () => {
  for (const argv of [['keys', 'list'], ['audit', 'ledger'], ['--help'], []])
    assert.equal(replacement(node(argv), 1), undefined);
  for (const flag of [
    FLAG,
    '--single_threaded_gc',
    '--no-single-threaded-gc',
    '--nosingle_threaded_gc',
  ])
    assert.equal(replacement(node(['serve'], [flag]), 1), undefined);
});

test('the server and its workers really run with the flag, under the process id they began with', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  const clone = await cloneDatabase();
  after(clone.drop);
  const server = await serve({ DATABASE_URL: clone.url }, ['--workers', '2']);
  const pid = server.child.pid as number;
  for (const one of [pid, ...(await childrenOf(pid))]) {
    const line = (await readFile(`/proc/${one}/cmdline`, 'utf8')).split('\0');
    assert.equal(line.includes(FLAG), availableParallelism() <= 2, line.join(' '));
  }
  server.child.kill('SIGTERM');
  assert.deepEqual(await once(server.child, 'exit'), [0, null]);
});
