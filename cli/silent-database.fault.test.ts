import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { runCommand, runProcess } from '../server/testing/processes/command.ts';

/**
 * A PostgreSQL that accepts connections and never answers, as behind a load balancer whose target
 * is gone: every command that needs it says so within DATABASE_CONNECT_TIMEOUT_MS.
 */

const silent = createServer(() => {}).listen(0, '127.0.0.1');
await once(silent, 'listening');
after(() => silent.close());
const { port } = silent.address() as { port: number };
const DATABASE_URL = `postgres://somebody:not-to-be-shown@127.0.0.1:${port}/somewhere`;
const BASE = { DATABASE_CONNECT_TIMEOUT_MS: '300', PORT: '0' };
const reason = (ms: number) => `no answer from 127.0.0.1:${port} within ${ms} ms`;

for (const [args, run] of [
  [['serve'], runProcess],
  [['serve', '--workers', '1'], runProcess],
  [['migrate'], runCommand],
  [['migrate', '--status'], runCommand],
  [['users', 'list'], runCommand],
  [['audit', 'ledger'], runCommand],
] as const) {
  test(`${args.join(' ')}: says where no PostgreSQL answered, and ends`, {
    timeout: 30_000,
  }, async () => {
    const { code, out, err } = await run([...args], { env: { ...BASE, DATABASE_URL } });
    assert.deepEqual(
      { code, out, err },
      {
        code: 1,
        out: '',
        err:
          `PostgreSQL cannot be reached (${reason(300)}): ` +
          'check that it is running, and check DATABASE_URL.\n',
      },
    );
  });
}

test('serve: says that the database of EVENT_DATABASE_URL did not answer', {
  timeout: 30_000,
}, async () => {
  const clone = await cloneDatabase();
  const env = {
    ...BASE,
    DATABASE_URL: clone.url,
    EVENT_DATABASE_URL: DATABASE_URL,
    // Enough for the first database on a busy machine, too.
    DATABASE_CONNECT_TIMEOUT_MS: '3000',
  };
  const { code, out, err } = await runProcess(['serve'], { env });
  assert.deepEqual(
    { code, out, err },
    {
      code: 1,
      out: '',
      err:
        `The database of EVENT_DATABASE_URL cannot be reached (${reason(3_000)}): ` +
        'check that it is running, and check its address.\n',
    },
  );
  await clone.drop();
});
