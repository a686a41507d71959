import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { raw } from '../../testing/clients/raw.ts';
import {
  addressOf,
  folder,
  git,
  gitIn,
  repositoriesIn,
} from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { branchOf } from '../repositories/git.ts';
import { LIMITS } from './settings.ts';

/** The processes of Git: how many there are, for whom, and that they end. */

const home = await folder();
const env = {
  DATA_DIR: join(home, 'data'),
  MAX_CONNECTIONS_PER_ADDRESS: '500',
  SEND_TIMEOUT_MS: '60000',
  SHUTDOWN_TIMEOUT_MS: '300',
};
const { url, db, fixtures, metrics, databaseUrl } = await startHarness({ env });
await repositoriesIn(env.DATA_DIR, db);
after(() => rm(home, { recursive: true, force: true }));
const ada = await fixtures.user();
const bob = await fixtures.user();
const workspace = await fixtures.workspace(ada);
await fixtures.member(workspace, bob);
const id = await fixtures.project({ organizationId: workspace });
const branch = branchOf(await fixtures.task(id, ada));
const mine = join(home, 'mine');
await git(home, 'clone', addressOf(url, id, ada.key), mine);
// More than connections and pipes hold, so that Git has to wait for a reader.
await writeFile(join(mine, 'large.bin'), randomBytes(24 * 1024 * 1024));
await git(mine, 'add', '.');
await git(mine, 'commit', '-m', 'Large');
await git(mine, 'push', 'origin', `HEAD:${branch}`);
const head = await git(mine, 'rev-parse', 'HEAD');

/** The groups of processes that this process has started for Git, with their members. */
function groups(): Map<number, number> {
  const found = new Map<number, number>();
  const ps = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  const rows = ps.split('\n').map((row) => row.trim().split(/\s+/));
  for (const [pid, parent, group] of rows)
    if (Number(parent) === process.pid && pid === group && !others.has(Number(group)))
      found.set(Number(group), 0);
  for (const [, , group, stat = 'Z'] of rows) {
    const count = found.get(Number(group));
    if (count !== undefined && !stat.startsWith('Z')) found.set(Number(group), count + 1);
  }
  return found;
}

// The database server of the tests may be one.
const others = new Set<number>();
for (const group of groups().keys()) others.add(group);

const running = () => [...groups().values()].reduce((sum, count) => sum + count, 0);

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
const WANTS = `${line(`want ${head} side-band-64k\n`)}0000${line('done\n')}`;

/** A connection with a request to fetch everything, which is sent in part or completely. */
async function client(to: string, key: string | undefined, sent = WANTS.length): Promise<Socket> {
  const { hostname, port } = new URL(to);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  socket.pause();
  socket.write(
    `POST /git/${id}/main.git/git-upload-pack HTTP/1.1\r\nHost: x\r\n${authorization}` +
      'Content-Type: application/x-git-upload-pack-request\r\n' +
      `Content-Length: ${WANTS.length}\r\n\r\n${WANTS.slice(0, sent)}`,
  );
  return socket;
}

const places = async () => {
  const text = await metrics.getSingleMetricAsString('guildhall_file_transfers');
  return Number(/direction="git"\} (\d+)/.exec(text)?.[1]);
};

test('nothing is left of a fetch whose client has gone', async () => {
  const socket = await client(url, ada.key);
  await until('git packs the objects', () => running() >= 2);
  socket.destroy();
  await until('all of it has ended', async () => running() === 0 && (await places()) === 0);
});

test('a person who has all places of theirs is asked to wait, and no one else is', async () => {
  const { perUser } = LIMITS.atOnce;
  const sockets = await Promise.all(Array.from({ length: perUser }, () => client(url, ada.key)));
  await until('all have begun', async () => (await places()) === perUser);
  const { ok, text } = await gitIn(home, 'ls-remote', addressOf(url, id, ada.key));
  assert.equal(ok, false);
  assert.match(text, /remote: Too many clones, fetches and pushes are under way/);
  const path = `${url}/git/${id}/main.git/info/refs?service=git-upload-pack`;
  const busy = await fetch(path, { headers: { authorization: `Bearer ${ada.key}` } });
  assert.deepEqual([busy.status, busy.headers.get('retry-after')], [503, '5']);
  assert.match(await git(home, 'ls-remote', addressOf(url, id, bob.key)), /refs\/heads\/main/);
  for (const socket of sockets) socket.destroy();
  await until('all have ended', async () => (await places()) === 0);
});

test('a hundred slow clients have no process, and another one clones beside them', async (t) => {
  const slow = await Promise.all([
    ...Array.from({ length: 40 }, () => client(url, undefined, 10)),
    ...Array.from({ length: 60 }, () => client(url, ada.key, 10)),
  ]);
  assert.equal(await places(), 0);
  const began = performance.now();
  await git(home, 'clone', '--branch', branch, addressOf(url, id, ada.key), 'beside');
  t.diagnostic(`24 MiB cloned in ${Math.round(performance.now() - began)} ms`);
  assert.equal(await git(join(home, 'beside'), 'rev-parse', 'HEAD'), head);
  await until('only the honest one had places', async () => (await places()) === 0);
  assert.equal(running(), 0);
  for (const socket of slow) socket.destroy();
});

test('a sender that stalls in a pack gets 408, and its push has no process left', async () => {
  const commands = line(
    `${'0'.repeat(40)} ${head} refs/heads/${branch}\0report-status side-band-64k`,
  );
  // The beginning of the first of three objects: Git reads the pack, and waits for the rest.
  const begun = `PACK\0\0\0\x02\0\0\0\x03\x3a\x78\x9c`;
  const answering = raw(
    url,
    `POST /git/${id}/main.git/git-receive-pack HTTP/1.1\r\nHost: x\r\n` +
      `Authorization: Bearer ${ada.key}\r\nContent-Length: 100000\r\n` +
      `Content-Type: application/x-git-receive-pack-request\r\n\r\n${commands}0000${begun}`,
  );
  await until('Git reads the pack', () => running() >= 3);
  const answer = await answering;
  assert.match(answer, /^HTTP\/1.1 408 [\s\S]*took too long to arrive: send it again\n$/);
  await until('all of it has ended', async () => running() === 0 && (await places()) === 0);
});

test('a server that stops ends what is under way', async () => {
  const other = await startHarness({ env, databaseUrl });
  const socket = await client(other.url, ada.key);
  await until('git packs the objects', () => running() >= 2);
  await other.shutdown();
  await until('all of it has ended', () => running() === 0);
  socket.destroy();
});
