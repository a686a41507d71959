import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { until } from '../../testing/harness/until.ts';
import { isAlive, postmasterOf } from '../../testing/processes/processes.ts';
import { untilAccepted } from '../until-accepted.ts';
import { startEmbedded } from './embedded.ts';

/** A PostgreSQL that runs and refuses every connection: it is not waited for in silence, nor for ever. */

const root = await fs.mkdtemp(join(tmpdir(), 'guildhall-refusing-'));
await fs.chmod(root, 0o755);
after(() => fs.rm(root, { recursive: true, force: true }));
const dataDir = join(root, 'data');
const cluster = join(dataDir, 'postgres');
const settings = { fsync: 'off', max_connections: '4', superuser_reserved_connections: '0' };
const first = await startEmbedded({ dataDir, settings });
await first.stop();
const hba = join(cluster, 'pg_hba.conf');
const rules = await fs.readFile(hba, 'utf8');
const refuse = () => fs.writeFile(hba, 'host all all all reject\n');
const accept = () => fs.writeFile(hba, rules);

test('after a while it is given up, with the end of its log, and stopped', async () => {
  await refuse();
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const timeouts = { say: 200, refused: 1_000 };
  await assert.rejects(
    startEmbedded({ dataDir, settings, log, timeouts }),
    /refused every connection for \d+ s \(.*pg_hba\.conf.*\)[\s\S]*DATABASE_URL[\s\S]*\] FATAL: .*pg_hba\.conf/,
  );
  assert.match(lines.join('\n'), /accepts no connection yet \(.*pg_hba\.conf.*\): waiting\.$/);
  await assert.rejects(fs.access(join(cluster, 'postmaster.pid')));
  await accept();
});

test('a signal ends the wait, and PostgreSQL with it', async () => {
  await refuse();
  const stop = new AbortController();
  const starting = startEmbedded({ dataDir, settings, signal: stop.signal });
  starting.catch(() => {});
  await until('it runs', () =>
    fs.access(join(cluster, 'postmaster.pid')).then(
      () => true,
      () => false,
    ),
  );
  const postmaster = await postmasterOf(cluster);
  stop.abort(new Error('stopped'));
  await assert.rejects(starting, /^Error: stopped$/);
  assert.equal(await isAlive(postmaster), false);
  await accept();
});

test('one without a connection left is waited for, until it has one', async () => {
  const { url, stop } = await startEmbedded({ dataDir, settings });
  const clients = Array.from({ length: 4 }, () => new pg.Client(url));
  for (const client of clients) await client.connect();
  const timeouts = { say: 100, refused: 700 };
  await assert.rejects(untilAccepted(url, { timeouts }), { code: '53300' });
  const said: string[] = [];
  const waiting = untilAccepted(url, {
    timeouts: { say: 100, refused: 30_000 },
    say: (line) => said.push(line),
  });
  await until('it says so', () => said.length > 0);
  assert.match(said[0] ?? '', /accepts no connection yet \(.*too many clients.*\): waiting\.$/);
  await clients[0]?.end();
  await waiting;
  for (const client of clients.slice(1)) await client.end();
  await stop();
});
