import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../platform/config/config.ts';
import { diskStore } from '../platform/files/disk-store.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';
import { freePort } from '../testing/processes/programs.ts';
import { openInstanceKeeper } from './open-instance-keeper.ts';

const { db } = await startHarness();

const connected = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket.on('error', () => undefined);
};

/** Where a worker with these settings lets people in. */
async function startEntry(t: TestContext, env: Record<string, string>): Promise<number> {
  const port = await freePort();
  const directory = await temporaryFolder();
  const config = readConfig({
    DATA_DIR: directory,
    SERVER_SECRET: 'a secret of servers that is long enough',
    ERP_INSTANCES: 'sandbox',
    ERP_INSTANCES_LISTEN: `127.0.0.1:${port}`,
    ERP_INSTANCES_URL: 'http://{id}.erp.test',
    ...env,
  });
  const [log, owner] = [pino({ level: 'silent' }), crypto.randomUUID()];
  const files = diskStore(directory);
  const code = { db, directory };
  const instances = await openInstanceKeeper(config, { db, log, owner, code, files });
  const entry = instances?.entry;
  assert.ok(entry !== undefined);
  t.after(entry.close);
  entry.start();
  await until('it listens', async () => {
    const socket = await connected(port).catch(() => undefined);
    return socket?.destroy() !== undefined;
  });
  return port;
}

/** Of so many connections at once, how many are answered. */
async function answered(t: TestContext, port: number, count: number): Promise<number> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) sockets.push(await connected(port));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const answers = sockets.map((socket) => {
    if (socket.closed) return false;
    socket.write('GET / HTTP/1.1\r\nHost: nobody\r\n\r\n');
    return new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    });
  });
  return (await Promise.all(answers)).filter(Boolean).length;
}

test('the connections of one address are limited, but not those of a trusted proxy', async (t) => {
  const limit = { MAX_CONNECTIONS_PER_ADDRESS: '1' };
  assert.ok((await answered(t, await startEntry(t, limit), 5)) < 5);
  const behind = await startEntry(t, { ...limit, TRUSTED_PROXIES: '127.0.0.0/8' });
  assert.equal(await answered(t, behind, 5), 5);
});
