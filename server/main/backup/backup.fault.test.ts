import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { gitDirOf } from '../../code/repositories/git.ts';
import { openDatabase } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { readConfig } from '../../platform/config/config.ts';
import { migrateEventLog } from '../../tasks/events/migrate-event-log.ts';
import { archiveIn, emptyPlace, placeInUse, type Settings } from '../../testing/fixtures/backup.ts';
import { git } from '../../testing/fixtures/code/git-client.ts';
import { taskServers } from '../../testing/fixtures/runner/task-servers.ts';
import { serve } from '../../testing/harness/serve.ts';
import { until } from '../../testing/harness/until.ts';
import { runCommand } from '../../testing/processes/command.ts';
import { connect } from '../open-database.ts';

const DYING = join(import.meta.dirname, '../../testing/processes/dying-backup.ts');

/** Runs a backup or a restore; returns the kinds of its steps, or undefined if it was killed. */
async function run(
  command: 'backup' | 'restore',
  file: string,
  settings: Partial<Settings>,
  dieBefore = '',
): Promise<string[] | undefined> {
  const child = spawn(process.execPath, [DYING, command, file, dieBefore], {
    env: { PATH: process.env.PATH ?? '', ...settings },
  });
  const [out, err, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (signal === 'SIGKILL') return undefined;
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

test('a backup that is killed at any step leaves no archive, and nothing that is in the way of the next', async () => {
  const { settings } = await placeInUse();
  const file = await archiveIn();
  const kinds = (await run('backup', await archiveIn(), settings)) ?? [];
  assert.ok(kinds.length >= 8, kinds.join());
  for (const kind of kinds) {
    assert.equal(await run('backup', file, settings, kind), undefined, kind);
    const left = await readdir(dirname(file));
    if (kind === 'end') assert.deepEqual(left, ['all.guildhall']);
    else assert.ok(!left.includes('all.guildhall'), kind);
  }
  await run('backup', file, settings);
  assert.deepEqual(await readdir(dirname(file)), ['all.guildhall']);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('a restore that is killed at any step lets no server start, and the next one ends it', async () => {
  const place = await placeInUse();
  const file = await archiveIn();
  await run('backup', file, place.settings);
  const to = await emptyPlace();
  const config = readConfig({ ...to });
  const kinds = (await run('restore', file, await emptyPlace())) ?? [];
  assert.ok(kinds.includes('write objects-1') && kinds.includes('write database'), kinds.join());
  for (const kind of kinds) {
    assert.equal(await run('restore', file, to, kind), undefined, kind);
    const begun = kinds.indexOf(kind) > kinds.indexOf('mark');
    if (kind === 'done') break;
    if (begun)
      await assert.rejects(connect(config), /is half restored: .*Run that command again/, kind);
    if (begun) {
      // Also on another machine, which has another DATA_DIR, as soon as there are tables.
      const elsewhere = { ...config, dataDir: '/nonexistent', repositories: '/nonexistent/r' };
      if (kind !== 'empty the database' && kind !== 'free the folder')
        await assert.rejects(connect(elsewhere), /half restored/, `${kind}, elsewhere`);
    }
    if (kind === 'free the folder') {
      const { code, out } = await runCommand(['restore', file], { env: { ...to } });
      assert.match(out, /An earlier restore had written .*Its last step is done now/);
      assert.equal(code, 0);
      const ended = await connect(config);
      await ended.close();
      break;
    }
  }
  const { code, err } = await runCommand(['restore', file], { env: { ...to } });
  assert.equal(code, 1);
  assert.match(err, /must be an empty/);
  const audit = await runCommand(['audit', 'ledger'], { env: { ...to } });
  assert.match(audit.out, /The ledger holds/);
  const copy = gitDirOf(join(to.DATA_DIR, 'repositories'), place.project);
  assert.equal(await git(copy, 'cat-file', '-t', place.left), 'commit');
});

test('a running server with a merged task is backed up while it is written to; elsewhere, its money, files and code are there, and a task is carried out', async () => {
  const source = await taskServers();
  const server = await source.serve();
  const headers = { authorization: `Bearer ${source.owner.key}` };

  /** From a message to a merge. */
  async function carryOut(at: { url: string }, db: typeof source.db, message: string) {
    const status = async (id: string) =>
      (await db.one<{ status: string }>(sql`select status from task where id = ${id}`)).status;
    const path = `projects/${source.project}/tasks`;
    const { id } = await source.call<{ id: string }>(at, 'POST', path, { message });
    await until('a plan', async () => (await status(id)) === 'awaiting_approval', 300_000);
    await source.call(at, 'POST', `tasks/${id}/plan/approve`);
    await until('built', async () => (await status(id)) === 'ready', 300_000);
    await source.call(at, 'POST', `tasks/${id}/pull-request`);
    type Pull = { head_sha: string; checks: { state: string } };
    const pull = () => source.call<Pull>(at, 'GET', `tasks/${id}/pull-request`);
    await until(
      'no checks are open',
      async () => ['none', 'passed'].includes((await pull()).checks.state),
      60_000,
    );
    const { head_sha } = await pull();
    await source.call(at, 'POST', `tasks/${id}/merge`, { expected_head_sha: head_sha });
    type Merge = { state: string; merge_commit_sha: string };
    const merge = () => source.call<Merge>(at, 'GET', `tasks/${id}/merge`);
    await until('merged', async () => (await merge()).state === 'merged', 60_000);
    return { id, commit: (await merge()).merge_commit_sha };
  }

  const merged = await carryOut(
    server,
    source.db,
    'Write notes/first.md [[artifact]] [[cost 0.40]]',
  );

  const bytes = Buffer.alloc(200_000, 'attached');
  const files = (at: { url: string }) => `${at.url}/api/tasks/${merged.id}/attachments`;
  const upload = await fetch(`${files(server)}?filename=notes.txt`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: bytes,
  });
  assert.equal(upload.status, 201, await upload.clone().text());
  const { id: attachment } = (await upload.json()) as { id: string };

  // Concurrent writes, until the backup has ended.
  const archive = await archiveIn();
  let writing = true;
  let written = 0;
  const write = async () => {
    while (writing) {
      // Few: they are carried out before the one below.
      if (++written <= 3) await source.create(server, `Write notes/${written}.md`);
      else await source.call(server, 'PUT', `tasks/${merged.id}`, { title: `Title ${written}` });
      await source.fixtures.fund({ organizationId: source.workspace }, '1.00');
    }
  };
  const writers = [write(), write()];
  const env = {
    DATABASE_URL: source.databaseUrl,
    DATA_DIR: source.dataDir,
    SERVER_SECRET: 'a secret for tests that is long enough',
  };
  const backedUp = await runCommand(['backup', archive, '--json'], { env });
  writing = false;
  await Promise.all(writers);
  assert.equal(backedUp.code, 0, backedUp.err);
  assert.ok(written > 2);

  const to = { ...(await emptyPlace()), SERVER_SECRET: env.SERVER_SECRET };
  const restored = await runCommand(['restore', archive, '--json'], { env: to });
  assert.equal(restored.code, 0, restored.err);
  const said = JSON.parse(restored.out);
  assert.deepEqual([said.ledger_holds, said.faulty_repositories], [true, []]);
  const repository = gitDirOf(join(to.DATA_DIR, 'repositories'), source.project);
  assert.equal(await git(repository, 'cat-file', '-t', merged.commit), 'commit');
  await git(repository, 'fsck', '--strict');

  const config = readConfig({ ...to });
  const db = openDatabase({ url: to.DATABASE_URL, ...config.database });
  const elsewhere = await serve(to, [], { work: true });
  try {
    const at = { url: elsewhere.url };
    const content = await fetch(`${files(at)}/${attachment}/content`, { headers });
    assert.equal(content.status, 200);
    assert.deepEqual(Buffer.from(await content.arrayBuffer()), bytes);
    // The conversation goes on where it was, in a new pod.
    await carryOut(at, db, 'Write notes/elsewhere.md');
    const audit = await runCommand(['audit', 'ledger'], { env: to });
    assert.match(audit.out, /The ledger holds/);
    const code = await git(repository, 'ls-tree', '-r', '--name-only', 'main');
    assert.match(code, /notes\/first\.md/);
    assert.match(code, /notes\/elsewhere\.md/);
  } finally {
    elsewhere.child.kill('SIGKILL');
    await once(elsewhere.child, 'exit');
    await db.close();
  }
});

test('events in a database of their own come back into one', async () => {
  const place = await placeInUse();
  const log = await emptyPlace();
  const settings = { ...place.settings, EVENT_DATABASE_URL: log.DATABASE_URL };
  await migrateEventLog(log.DATABASE_URL);
  const events = openDatabase({ url: log.DATABASE_URL, ...place.config.database });
  await events.many(sql`
    insert into task_log (task_id, last_seq, fence, owner) values (${place.task}, 1, 1, 'test')`);
  await events.many(sql`
    insert into task_event (task_id, seq, type, payload)
    values (${place.task}, 1, 'message', ${'{"text":"a\\tb\\\\n\\u0000 ü"}'})`);
  const rows = (db: typeof events) => db.many(sql`select * from task_event`);
  const file = await archiveIn();
  await run('backup', file, settings);

  const to = await emptyPlace();
  const without = await runCommand(['restore', file], { env: { ...to } });
  assert.equal(without.code, 1);
  assert.match(without.err, /EVENT_DATABASE_URL must name an empty database/);
  const otherLog = (await emptyPlace()).DATABASE_URL;
  const { code, err } = await runCommand(['restore', file], {
    env: { ...to, EVENT_DATABASE_URL: otherLog },
  });
  assert.equal(code, 0, err);
  const restored = openDatabase({ url: otherLog, ...place.config.database });
  assert.deepEqual(await rows(restored), await rows(events));
  await restored.close();
  await events.close();
});
