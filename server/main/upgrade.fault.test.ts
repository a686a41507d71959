import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { listMigrations } from '../db/migrate/files.ts';
import { previousProgram } from '../testing/database/previous-release.ts';
import { emptyPlace, type Settings } from '../testing/fixtures/backup.ts';
import { temporaryFolder } from '../testing/fixtures/tasks/file-stores.ts';
import { endNow, GUILDHALL, type Served, serve } from '../testing/harness/serve.ts';
import { until } from '../testing/harness/until.ts';
import { type Outcome, runProgram } from '../testing/processes/command.ts';
import { versionOf } from '../testing/processes/programs.ts';

/**
 * docs/operations/upgrade.md, followed with the tree of the previous release: its servers go on, with a turn
 * at work and people who pay and write, while the database is migrated and this release is put beside them.
 */

const previous = previousProgram();
const skip = 'missing' in previous ? previous.missing : false;
const PREVIOUS = 'program' in previous ? previous.program : '';
const PATIENCE = 120_000;

const servers: Served[] = [];
after(async () => {
  for (const each of servers)
    if (each.child.exitCode === null && each.child.signalCode === null) await endNow(each);
});

async function begin(program: string, settings: Settings, work = false): Promise<Served> {
  const served = await serve({ ...settings, LOG_LEVEL: 'info' }, [], { work, program });
  servers.push(served);
  return served;
}

/** Lets it finish, as the manager of services does. */
async function end({ child }: Served): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [status] = await ended;
  return status;
}

/** What the page lets a server answer: a lock did not come in time. Nothing was done. */
class Later extends Error {}

/** A client of some server: `of` may be another one for each call. */
function callerWith(key: string) {
  return async <Answer>(
    { url }: Pick<Served, 'url'>,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = await answer.text();
    if (answer.status === 503 && answer.headers.has('retry-after')) throw new Later(said);
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${said}`);
    return JSON.parse(said);
  };
}
type Call = ReturnType<typeof callerWith>;

interface World {
  keys: Record<string, string>;
  organizations: Record<string, string>;
  projects: Record<string, string>;
  teams: Record<string, string>;
  cards: Record<string, string>;
}

/** People who read, rename a team and pay without a pause. A request that fails otherwise ends the test. */
function people(call: Call, at: () => Pick<Served, 'url'>, world: World) {
  const paid: string[] = [];
  const counts = { read: 0, renamed: 0, paid: 0, later: 0 };
  let longest = 0;
  let over = false;
  let name = '';
  const repeat = async (act: (turn: number) => Promise<void>) => {
    for (let turn = 0; !over; turn++) {
      const began = performance.now();
      await act(turn).catch((error) => {
        if (!(error instanceof Later)) throw error;
        counts.later++;
      });
      longest = Math.max(longest, performance.now() - began);
      await pause(10);
    }
  };
  const team = `/api/organizations/${world.organizations.acme}/teams/${world.teams.core}`;
  const loops = [
    repeat(async () => {
      await call(at(), 'GET', `/api/projects/${world.projects.shop}/people`);
      await call(at(), 'GET', `/api/projects/${world.projects.shop}/tasks`);
      counts.read += 2;
    }),
    repeat(async (turn) => {
      const wanted = `Core ${turn}`;
      await call(at(), 'PUT', team, { name: wanted }, { 'idempotency-key': randomUUID() });
      name = wanted;
      counts.renamed++;
    }),
    repeat(async () => {
      const body = { amount: 7, payment_method_id: world.cards['ada/visa'] };
      const key = { 'idempotency-key': randomUUID() };
      const { top_up_id: id } = await call<{ top_up_id: string }>(
        at(),
        'POST',
        '/api/billing/add-funds',
        body,
        key,
      );
      paid.push(id);
      counts.paid++;
    }),
  ];
  let fault: unknown;
  const ended = Promise.all(loops).catch((error) => {
    fault ??= error;
    over = true;
  });
  return {
    counts,
    check() {
      if (fault !== undefined) throw fault;
    },
    async stop() {
      over = true;
      await ended;
      if (fault !== undefined) throw fault;
      return { ...counts, paid, name, longest: Math.round(longest) };
    },
  };
}

const run = (program: string, args: string[], settings: Settings): Promise<Outcome> =>
  runProgram(program, args, { env: { ...settings } });

async function holds(program: string, settings: Settings): Promise<void> {
  const { code, out, err } = await run(program, ['audit', 'ledger'], settings);
  assert.equal(code, 0, `${out}${err}`);
}

/** Whether the newest programs of PostgreSQL here can dump this server. */
async function canDump(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  const said = (await versionOf('pg_dump', ['--version'])) ?? '';
  return Number(/(\d+)\.\d/.exec(said)?.[1] ?? 0) >= rows[0].major;
}

async function program(command: string, ...args: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  assert.equal(code, 0, said);
}

test('the upgrade as it is documented, with servers of the previous release at work', {
  skip,
}, async (t) => {
  const settings = await emptyPlace();
  const client = new pg.Client(settings.DATABASE_URL);
  // Its database is dropped before it could be told to end.
  client.on('error', () => {});
  await client.connect();

  const imported = await run(
    PREVIOUS,
    ['import', join(dirname(PREVIOUS), '../demo/world.json')],
    settings,
  );
  assert.equal(imported.code, 0, imported.err);
  const world: World = JSON.parse(imported.out);
  const call = callerWith(world.keys['ada-laptop'] as string);
  const [old, working] = [await begin(PREVIOUS, settings), await begin(PREVIOUS, settings, true)];
  const status = async (id: string) =>
    (await client.query('select status from task where id = $1', [id])).rows[0]?.status;
  const reaches = (id: string, wanted: string) =>
    until(wanted, async () => (await status(id)) === wanted, PATIENCE);
  const create = async (at: Served, message: string) =>
    (
      await call<{ id: string }>(at, 'POST', `/api/projects/${world.projects.shop}/tasks`, {
        message,
      })
    ).id;
  const applied = async (): Promise<string[]> =>
    (await client.query('select name from schema_migration order by name')).rows.map(
      ({ name }) => name,
    );
  const ready = async (...of: Served[]) => {
    for (const { url } of of)
      await until(
        `${url} is ready`,
        async () => (await fetch(`${url}/readyz`)).status === 200,
        PATIENCE,
      );
  };

  // One task has everything behind it, one asks, and one is at work while all of it happens.
  const planned = await create(working, 'Write notes/before.md');
  await reaches(planned, 'awaiting_approval');
  const asking = await create(working, 'Which one? [[ask]]');
  await reaches(asking, 'awaiting_answer');
  const before = await applied();
  const dump = join(await temporaryFolder(), 'guildhall.dump');
  const dumps = await canDump(client);
  const copied = await temporaryFolder();
  await holds(PREVIOUS, settings);

  const load = people(call, () => old, world);

  await t.test('step 1: a dump and the folders, while people write', async (u) => {
    if (!dumps) return u.skip('pg_dump is missing, or older than this PostgreSQL');
    await program('pg_dump', '--format=custom', `--file=${dump}`, settings.DATABASE_URL);
    for (const name of ['files', 'repositories'])
      if (existsSync(join(settings.DATA_DIR, name)))
        await cp(join(settings.DATA_DIR, name), join(copied, name), { recursive: true });
    load.check();
  });

  await t.test('steps 2 and 3: the ledger holds; --status lists, and changes nothing', async () => {
    await holds(PREVIOUS, settings);
    const { code, out } = await run(GUILDHALL, ['migrate', '--status'], settings);
    assert.equal(code, 0);
    assert.match(out, /Missing: 0002-imports\.sql/);
    assert.deepEqual(await applied(), before);
    load.check();
  });

  const all = await listMigrations(join(import.meta.dirname, '../db'));
  await t.test(
    '`migrate` killed again and again leaves what a whole number of files makes',
    async () => {
      for (const at of [2, 6, 9, 14, all.length - 2, all.length]) {
        const child = spawn(process.execPath, [GUILDHALL, 'migrate'], {
          env: { PATH: process.env.PATH ?? '', ...settings },
          stdio: 'ignore',
        });
        const gone = once(child, 'exit');
        await until(
          `${at} files`,
          async () => (await applied()).length >= at || child.exitCode !== null,
          PATIENCE,
        );
        child.kill('SIGKILL');
        await gone;
        await until(
          'its transaction has ended',
          async () =>
            (
              await client.query(
                "select from pg_stat_activity where application_name = 'guildhall migrate'",
              )
            ).rowCount === 0,
          PATIENCE,
        );
        const now = await applied();
        assert.deepEqual(now, all.slice(0, now.length));
        await ready(old);
        load.check();
      }
    },
  );

  const next = await begin(GUILDHALL, settings, true);
  await t.test('the new release migrates the rest, and both are ready', async () => {
    assert.deepEqual(await applied(), all);
    await ready(next, old, working);
    load.check();
  });

  await t.test('both serve beside each other', async () => {
    const before = { ...load.counts };
    let turn = 0;
    const both = people(call, () => (turn++ % 2 === 0 ? next : old), world);
    const done = () =>
      Math.min(...(['read', 'renamed', 'paid'] as const).map((each) => both.counts[each])) > 20;
    await until('twenty of each', done, PATIENCE);
    const { longest } = await both.stop();
    load.check();
    t.diagnostic(`requests of one release since: ${JSON.stringify(before)}; longest ${longest} ms`);
  });

  await t.test(
    'the turn that asked in the old release goes on with an answer to the new one',
    async () => {
      const requests = await call<{ items: { id: string; options: { id: string }[] }[] }>(
        next,
        'GET',
        `/api/tasks/${asking}/requests`,
      );
      const [open] = Array.isArray(requests) ? requests : requests.items;
      await call(next, 'POST', `/api/tasks/${asking}/requests/${open.id}/answer`, {
        option_id: open.options[0].id,
      });
      await reaches(asking, 'awaiting_approval');
    },
  );

  await t.test('what was planned before is approved and built after', async () => {
    await call(next, 'POST', `/api/tasks/${planned}/plan/approve`);
    await reaches(planned, 'ready');
  });

  await t.test(
    'a turn of the old release is done by the new one when that one is stopped',
    async () => {
      const slow = await create(working, 'Take your time. [[slow 40]]');
      await reaches(slow, 'planning');
      assert.equal(await end(working), 0);
      await reaches(slow, 'awaiting_approval');
    },
  );

  const did = await load.stop();
  t.diagnostic(`old release under load: ${JSON.stringify({ ...did, paid: did.paid.length })}`);

  await t.test('nothing that was acknowledged is lost, and the ledger holds', async () => {
    const { rowCount } = await client.query(
      "select from top_up where id = any ($1) and status = 'succeeded'",
      [did.paid],
    );
    assert.equal(rowCount, did.paid.length);
    const { rows } = await client.query('select name from team where id = $1', [world.teams.core]);
    assert.equal(rows[0].name, did.name);
    // A request that PostgreSQL ends as the victim of a deadlock would be answered 503 as well.
    const deadlocks = await client.query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    assert.deepEqual(deadlocks.rows, [{ deadlocks: 0 }]);
    await holds(GUILDHALL, settings);
    await holds(PREVIOUS, settings).then(
      () => assert.fail('a command of the previous release works on the new schema'),
      (error) => assert.match(error.message, /The database is newer than this Guildhall/),
    );
  });

  await t.test('an old server that restarts is refused with a sentence', async () => {
    assert.equal(await end(old), 0);
    await assert.rejects(
      begin(PREVIOUS, settings),
      /The database is newer than this Guildhall: \S+ was applied to it/,
    );
  });

  await t.test('back to the previous release with what step 1 has kept', async (u) => {
    if (!dumps) return u.skip('pg_dump is missing, or older than this PostgreSQL');
    await end(next);
    const back = await emptyPlace();
    await program(
      'pg_restore',
      '--exit-on-error',
      '--single-transaction',
      '--clean',
      '--if-exists',
      `--dbname=${back.DATABASE_URL}`,
      dump,
    );
    await cp(copied, back.DATA_DIR, { recursive: true });
    await holds(PREVIOUS, back);
    const again = await begin(PREVIOUS, back, true);
    const { status: was } = await call<{ status: string }>(again, 'GET', `/api/tasks/${planned}`);
    assert.equal(was, 'awaiting_approval');
    await call(again, 'POST', `/api/tasks/${planned}/plan/approve`);
    const other = new pg.Client(back.DATABASE_URL);
    await other.connect();
    await until(
      'built by the previous release',
      async () =>
        (await other.query('select status from task where id = $1', [planned])).rows[0].status ===
        'ready',
      PATIENCE,
    );
    await other.end();
    await endNow(again);
  });
});
