import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailable, openDatabase } from '../../db/database/database.ts';
import { migrate } from '../../db/migrate.ts';
import { sql } from '../../db/sql.ts';
import { makeTenant, requestSample, successOf } from '../contract/tenant.ts';
import { type Cluster, startCluster } from '../database/cluster.ts';
import { startProxy } from '../database/proxy.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { runCommand } from '../processes/command.ts';

// Streaming replication as it is run, with replicas that are behind, silent, killed and promoted.

/** Streams, and what is read as one snapshot for as long as its reader takes. */
const READ_FROM_PRIMARY = [
  'export_audit_events',
  'export_project_usage',
  'export_task_usage',
  'export_transactions',
  'export_usage',
  'export_workspace',
  'export_workspace_transactions',
  'export_workspace_usage',
  'list_task_changes',
  'list_task_events',
];

const REGISTERS = 8;
const OPERATIONS = Number(process.env.GUILDHALL_TEST_REPLICA_OPERATIONS ?? 20_000);

// A base backup ends with a checkpoint, after which a replica that was away would lack what it needs.
const settings = { synchronous_commit: 'on', wal_keep_size: '1GB' };
const primary = await startCluster({ settings });
await migrate(primary.url);
await primary.ask(`
  create table register (id integer primary key, value bigint not null default 0);
  insert into register select generate_series(0, ${REGISTERS - 1});
  grant select, update on register to guildhall_app`);
const standbys = [
  await startCluster({ standbyOf: primary.dataDir }),
  await startCluster({ standbyOf: primary.dataDir }),
] as const;
const [first, second] = standbys;
const toPrimary = await startProxy(primary.url);
const toSecond = await startProxy(second.url);
const changes: [string, string | undefined][] = [];
const db = openDatabase({
  url: toPrimary.url,
  replicaUrls: [first.url, toSecond.url],
  statementTimeout: 2_000,
  onReplica: (name, fault) => changes.push([name, fault]),
});
after(async () => {
  await db.close();
  await Promise.all([toPrimary.close(), toSecond.close()]);
  await Promise.all([...standbys, primary].map((each) => each.stop()));
});

const used = (which: Database = db) => which.replicas().map((each) => each.used);
const reads = () => db.replicas().reduce((sum, each) => sum + each.reads, 0);

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds()); await pause(20))
    assert.ok(Date.now() < end, `${what}: ${JSON.stringify({ used: used(), changes })}`);
}

const bothUsed = () => until('both are used', () => used().every(Boolean));

/**
 * What a read of each register may not be below any more: what was written, or read from the same kind of
 * server, before it began. PostgreSQL may show a commit on a standby a moment before the primary does
 * (decision 108), so a read that the primary answers may be older than one of a replica.
 */
const floors = {
  primary: Array.from({ length: REGISTERS }, () => 0n),
  replica: Array.from({ length: REGISTERS }, () => 0n),
};
const violations: string[] = [];

function note(id: number, value: bigint, who: readonly (keyof typeof floors)[]): void {
  for (const each of who) if (value > (floors[each][id] as bigint)) floors[each][id] = value;
}

async function write(): Promise<void> {
  const id = Math.floor(Math.random() * REGISTERS);
  const [row] = await db.write<{ value: bigint }>(
    sql`update register set value = value + 1 where id = ${id} returning value`,
  );
  note(id, row?.value ?? assert.fail(), ['primary', 'replica']);
}

async function read(): Promise<void> {
  const id = Math.floor(Math.random() * REGISTERS);
  const before = { primary: floors.primary[id] as bigint, replica: floors.replica[id] as bigint };
  const [row] = await db.readFromReplica<{ value: bigint; standby: boolean }>(
    sql`select value, pg_is_in_recovery() as standby from register where id = ${id}`,
  );
  const { value, standby } = row ?? assert.fail();
  const who = standby ? 'replica' : 'primary';
  if (value < before[who])
    violations.push(`register ${id} was ${before[who]}, and then ${value} by the ${who}`);
  // What the primary shows, a replica that has what is flushed shows as well.
  note(id, value, standby ? ['replica'] : ['primary', 'replica']);
}

/** Sixteen clients, of whose operations one in ten is a write, while `meanwhile` runs. */
async function work(operations: number, meanwhile: () => Promise<void> = async () => {}) {
  let left = operations;
  let over = false;
  const client = async () => {
    while (left-- > 0 || !over) await (Math.random() < 0.1 ? write() : read());
  };
  const before = reads();
  const clients = Promise.all(Array.from({ length: 16 }, client));
  await meanwhile().finally(() => {
    over = true;
  });
  await clients;
  assert.deepEqual(violations, []);
  return reads() - before;
}

test('every read sees what was written or read before it, by whomever', async (t) => {
  await bothUsed();
  const answered = await work(OPERATIONS);
  t.diagnostic(`${answered} of ${OPERATIONS} operations were reads that a replica has answered`);
  assert.ok(answered > OPERATIONS / 10);
  assert.deepEqual(
    changes.filter(([, fault]) => fault !== undefined),
    [],
  );
});

test('a replica that falls behind is left out until it has caught up', async () => {
  await bothUsed();
  const began = changes.length;
  await work(1_000, async () => {
    await second.set('recovery_min_apply_delay', '3s');
    await until('it is told', () => changes.length > began);
    await until('the other one is used', () => used()[0] === true);
    assert.equal(used()[1], false);
    await second.set('recovery_min_apply_delay', undefined);
    await bothUsed();
  });
  const [name] = db.replicas().slice(1);
  assert.deepEqual(changes.slice(began), [
    [name?.name, 'it is more than a second behind'],
    [name?.name, undefined],
  ]);
});

test('a replica is killed and comes back: no read fails', async () => {
  await bothUsed();
  await work(1_000, async () => {
    await second.kill();
    await until('it is left out', () => used()[1] === false);
    await second.start();
    toSecond.lead(second.url);
    await bothUsed();
  });
});

test('a replica whose cable is pulled delays the reads it has by a second, and fails none', async () => {
  await bothUsed();
  let slowest = 0;
  await work(1_000, async () => {
    toSecond.silence();
    const reading = async () => {
      const began = performance.now();
      await read();
      slowest = Math.max(slowest, performance.now() - began);
    };
    await Promise.all(Array.from({ length: 50 }, reading));
    await until('it is left out', () => used()[1] === false);
    toSecond.mend();
    await bothUsed();
  });
  // The statement itself would be given up after seven seconds.
  assert.ok(slowest < 5_000, `${slowest} ms`);
});

test('while the primary does not answer, a read fails after the time of one statement', async () => {
  await bothUsed();
  const began = performance.now();
  toPrimary.silence();
  await assert.rejects(read(), DatabaseUnavailable);
  const waited = performance.now() - began;
  toPrimary.mend();
  assert.ok(waited < 12_000, `${waited} ms`);
  await until('reads are answered again', () =>
    read().then(
      () => true,
      () => false,
    ),
  );
});

test('a read that finds only dead connections to the primary waits once, and the next ones go on', async () => {
  await bothUsed();
  // All three of those that read are open.
  await Promise.all(Array.from({ length: 30 }, () => db.read(sql`select pg_sleep(0.01)`)));
  toPrimary.strand();
  const waits: number[] = [];
  let answered = 0;
  const reading = async () => {
    const began = performance.now();
    await read().then(
      () => answered++,
      (error) => assert.ok(error instanceof DatabaseUnavailable),
    );
    waits.push(performance.now() - began);
  };
  const began = performance.now();
  const all: Promise<void>[] = [];
  for (; answered === 0; await pause(250)) all.push(reading());
  const outage = performance.now() - began;
  await Promise.all(all);
  // A statement takes up to 2 s, and is given up 5 s later.
  assert.ok(outage < 10_500, `${outage} ms`);
  assert.ok(Math.max(...waits) < 9_500, `${waits}`);
  toPrimary.cut();
  toPrimary.mend();
  await until('writes are answered again', () =>
    write().then(
      () => true,
      () => false,
    ),
  );
});

test('who closes the database while a replica is behind leaves no connection to it', async () => {
  await primary.ask(`create role passer_by login password 'passer-by'`);
  await primary.ask('grant guildhall_app to passer_by');
  await bothUsed();
  const address = new URL(second.url);
  address.username = 'passer_by';
  address.password = 'passer-by';
  const there = async () => {
    const [row] = await second.ask(
      `select count(*)::int as count from pg_stat_activity where usename = 'passer_by'`,
    );
    return row?.count as number;
  };
  const opened = Array.from({ length: 10 }, () =>
    openDatabase({ url: primary.url, replicaUrls: [address.href] }),
  );
  try {
    await until('all are used', () => opened.every((each) => used(each)[0]));
    assert.ok((await there()) >= opened.length);
    await second.set('recovery_min_apply_delay', '10min');
    await primary.ask('update register set value = value');
    await Promise.all(opened.map((each) => each.readFromReplica(sql`select 1`)));
    assert.ok(!opened.some((each) => used(each)[0]));
    // At every moment of the second in which they ask whether it has caught up.
    for (const each of opened) {
      await pause(200);
      await each.close();
    }
    await pause(2_000);
    assert.equal(await there(), 0);
  } finally {
    await second.set('recovery_min_apply_delay', undefined);
  }
});

test('what is a server of its own, or is not ready for the settings of connections, is not used', async () => {
  const heard: [string, string | undefined][] = [];
  const own = new URL(primary.url);
  own.hostname = 'localhost';
  const nowhere = new URL(primary.url);
  nowhere.port = '9';
  const stranger = new URL(first.url);
  stranger.username = 'nobody';
  const other = openDatabase({
    url: primary.url,
    replicaUrls: [own.href, nowhere.href, stranger.href],
    onReplica: (name, fault) => heard.push([name, fault]),
  });
  try {
    await until('all are told', () => heard.length === 3);
    const faultOf = (url: URL) => heard.find(([name]) => name.startsWith(url.host))?.[1] ?? '';
    assert.equal(faultOf(own), 'it is no standby');
    assert.match(faultOf(nowhere), /ECONNREFUSED/);
    assert.match(faultOf(stranger), /password authentication failed|does not exist/);
    assert.deepEqual(used(other), [false, false, false]);
    assert.deepEqual(await other.readFromReplica(sql`select 1 as one`), [{ one: 1 }]);
  } finally {
    await other.close();
  }
});

test('a standby of a copy of the database, mark and all, is not used, however far it is', async () => {
  await bothUsed();
  const copy = await startCluster();
  const ofCopy = await startCluster({ standbyOf: copy.dataDir });
  try {
    await migrate(copy.url);
    for (const { system_identifier: system, timeline, id } of await primary.ask(
      'select system_identifier::text, timeline, id from database_timeline',
    ))
      await copy.ask(`insert into database_timeline values (${system}, ${timeline}, '${id}')`);
    const end = async (cluster: Cluster) =>
      BigInt(await positionOf(cluster, 'pg_current_wal_flush_lsn()'));
    while ((await end(copy)) < (await end(primary)) + 2n ** 25n) {
      await copy.ask('create table if not exists filler ()');
      await copy.ask('select pg_switch_wal()');
      await copy.ask('drop table filler');
    }
    const heard: (string | undefined)[] = [];
    const other = openDatabase({
      url: primary.url,
      replicaUrls: [ofCopy.url],
      onReplica: (_, fault) => heard.push(fault),
    });
    try {
      await until('it is told', () => heard.length > 0 || used(other)[0] === true);
      assert.match(heard[0] ?? 'it is used', /follows another primary/);
    } finally {
      await other.close();
    }
  } finally {
    await ofCopy.stop();
    await copy.stop();
  }
});

test('guildhall doctor tells of one that no longer follows, or follows another server', async () => {
  await bothUsed();
  const stranger = await startCluster();
  const clusters = [
    await startCluster({ standbyOf: primary.dataDir }),
    await startCluster({ standbyOf: stranger.dataDir }),
    stranger,
  ] as const;
  const [left, other] = clusters;
  try {
    await left.set('primary_conninfo', '');
    await until('it no longer follows', async () => {
      const [row] = await left.ask('select count(*)::int as count from pg_stat_wal_receiver');
      return row?.count === 0;
    });
    await primary.ask('update register set value = value');
    const { out } = await runCommand(['doctor', '--json'], {
      env: {
        DATABASE_URL: primary.url,
        DATABASE_REPLICA_URLS: [first, left, other].map(({ url }) => url).join(','),
      },
    });
    const { checks } = JSON.parse(out) as {
      checks: { name: string; level: string; text: string }[];
    };
    const of = ({ url }: Cluster) =>
      checks.flatMap(({ name, level, text }) =>
        name === `replica ${new URL(url).host}` ? [`${level} ${text}`] : [],
      );
    assert.match(of(first).join(), /^ok PostgreSQL [^,]*, [^,]*, migrated$/);
    assert.match(of(left).join(), /warning it is (\d+\.\d s|more than a second) behind/);
    assert.match(of(other).join(), /^failure it is a standby of another PostgreSQL/);
  } finally {
    await Promise.all(clusters.map((each) => each.stop()));
  }
});

test('the log says that the primary may not report its position', async () => {
  const heard: (string | undefined)[] = [];
  const forbid = 'revoke execute on function pg_control_system() from public';
  await primary.ask(forbid);
  const other = openDatabase({
    url: primary.url,
    replicaUrls: [first.url],
    onReplica: (_name, fault) => heard.push(fault),
  });
  try {
    await until('it is told', () => heard.length > 0);
    assert.deepEqual(heard, ['the primary says: permission denied for function pg_control_system']);
    assert.deepEqual(await other.readFromReplica(sql`select 1 as one`), [{ one: 1 }]);
  } finally {
    await other.close();
    await primary.ask(forbid.replace('revoke', 'grant').replace(' from ', ' to '));
  }
});

test('every operation that reads is answered by a replica, which refuses a key that was just revoked', async () => {
  const harness = await startHarness({
    databaseUrl: primary.url,
    github: await startGithub(),
    env: { DATABASE_URL: primary.url, DATABASE_REPLICA_URLS: first.url },
  });
  await until('it is used', () => used(harness.db).every(Boolean));
  const [replica] = harness.db.replicas();
  const { operatorRoutes, fixtures } = harness;
  const all = [...harness.routes, ...operatorRoutes].filter(
    ({ method, credential }) => method === 'GET' && credential === undefined,
  );
  for (const route of all) {
    const caller = route.area === 'Operation' ? await fixtures.operator() : undefined;
    const tenant = await makeTenant(harness, 'owner', { caller, only: [route] });
    const isAnswered = async () => {
      const before = replica?.reads;
      const reply = await requestSample(harness, route, tenant, { key: tenant.caller.key });
      assert.equal(reply.status, successOf(route), `${route.operationId}: ${reply.text}`);
      return replica?.reads !== before;
    };
    if (READ_FROM_PRIMARY.includes(route.operationId)) assert.equal(await isAnswered(), false);
    // One that is more than 20 ms behind for a moment leaves a read to the primary.
    else await until(`${route.operationId} is answered`, isAnswered);
  }
  await until('it is used', () => used(harness.db).every(Boolean));
  for (let i = 0; i < 50; i++) {
    const { id, key } = await fixtures.user();
    assert.equal((await harness.request('GET', '/api/account', { key })).status, 200);
    await harness.db.write(sql`update api_key set revoked_at = now() where user_id = ${id}`);
    assert.equal((await harness.request('GET', '/api/account', { key })).status, 401);
  }
});

test('a replica that is promoted is not a replica any more', async () => {
  await bothUsed();
  // Without a write on the primary, it has all that the primary has, and more.
  await second.ask('select pg_promote()');
  await second.ask('update register set value = -1');
  while (used()[1] === true) await read();
  assert.deepEqual(violations, []);
  await work(1_000);
  assert.deepEqual(used(), [true, false]);
});

/** Where the log of a server ends. */
const positionOf = async (cluster: Cluster, text: string) =>
  (await cluster.ask(`select (${text} - '0/0'::pg_lsn)::bigint as bytes`))[0]?.bytes as string;

test('after a fail-over, a replica that has more than the new primary is not used', async () => {
  const third = await startCluster({ standbyOf: primary.dataDir });
  try {
    const replayed = async (cluster: Cluster) =>
      BigInt(await positionOf(cluster, 'pg_last_wal_replay_lsn()'));
    const flushed = async () => BigInt(await positionOf(primary, 'pg_current_wal_flush_lsn()'));
    await until('the third has followed', async () => (await replayed(third)) >= (await flushed()));
    await third.set('primary_conninfo', '');
    await until('it no longer follows', async () => {
      const [row] = await third.ask('select count(*)::int as count from pg_stat_wal_receiver');
      return row?.count === 0;
    });
    // Only the first replica gets to know of this.
    await primary.ask(`select pg_logical_emit_message(false, 'lost', repeat('x', 1000000))`);
    await primary.ask('update register set value = value + 1000000');
    await until('the first has followed', async () => (await replayed(first)) >= (await flushed()));
    await primary.kill();
    await third.ask('select pg_promote()');
    toPrimary.lead(third.url);
    for (const each of Object.values(floors)) each.fill(0n);
    await until('the new primary answers', () =>
      read().then(
        () => true,
        () => false,
      ),
    );
    const lost = await replayed(first);
    assert.ok(BigInt(await positionOf(third, 'pg_current_wal_flush_lsn()')) < lost);
    for (let i = 0; i < 50; i++) {
      await write();
      await read();
    }
    assert.ok(
      floors.replica.every((value) => value < 1_000_000n),
      'a read has seen what was lost',
    );
    assert.deepEqual(used(), [false, false]);
    const [name] = db.replicas();
    await until('it is told', () =>
      changes.some(([of, fault]) => of === name?.name && /follows another/.test(fault ?? '')),
    );
  } finally {
    await third.stop();
  }
});
