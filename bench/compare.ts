import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { hashKey } from '../server/identity/keys/key.ts';
import type { Sent } from '../server/testing/database/statements.ts';
import {
  FLOOR_CLIENTS,
  type Floor,
  freshApprovals,
  pgbenchVersion,
  plainFloor,
  topUpFloor,
} from './floor.ts';
import { type Measured, measureFloor, measureServer, type Pace } from './measure.ts';
import { type Operation, operations } from './operations.ts';
import { cpuOfPostgres } from './processes.ts';
import { type OperationResult, summarize, table, toJson } from './report.ts';
import { type Served, startBare, startGuildhall, startPeers } from './servers.ts';
import type { Setting } from './setting.ts';
import { recordStatements } from './statements.ts';
import { tail } from './tail.ts';
import { type Known, ONCE, prepare } from './world.ts';

const CONNECTIONS = 32;

/**
 * The operations of the server against the same statements run by pgbench (the floor), the same behind
 * nothing but the framework (bare), and every peer that is installed.
 */
export async function compare(setting: Setting): Promise<void> {
  const { adminUrl, directory, rounds, seconds, only, peers, json, say } = setting;
  const { url, known } = await prepare(adminUrl, directory, ONCE, say);
  const chosen = operations(known).filter(({ name }) => only.includes(name));
  const servers: Served[] = [];
  const owner = new pg.Client(url);
  await owner.connect();
  try {
    const { pid } = (await owner.query('select pg_backend_pid() as pid')).rows[0];
    const postgresCpu = cpuOfPostgres(pid);
    const fresh = await freshTasks(owner, known);
    const { floors, bare } = await prepareFloors(url, chosen);

    servers.push(await startGuildhall(url));
    const skipped: string[] =
      pgbenchVersion() === undefined ? ['pgbench is not installed: no floors'] : [];
    if (bare !== undefined) servers.push(await startBare(url, bare));
    if (peers) {
      const found = await startPeers(url, known);
      servers.push(...found.peers);
      skipped.push(...found.skipped);
    }
    const results: OperationResult[] = [];
    for (const operation of chosen) {
      results.push(
        await measureOperation(operation, {
          ...setting,
          url,
          servers,
          floor: floors.get(operation),
          postgresCpu,
          fresh,
        }),
      );
    }
    const p = results.find(({ name }) => name === 'P');
    const tails =
      p === undefined
        ? undefined
        : await tail(
            servers[0] as Served,
            chosen.find(({ name }) => name === 'P') as Operation,
            p,
            seconds,
            say,
          );
    say('');
    process.stdout.write(table(results, tails, skipped, { rounds, seconds }));
    if (json !== undefined)
      await writeFile(json, `${JSON.stringify(toJson(results, tails), null, 2)}\n`);
  } finally {
    for (const server of servers) await server.stop();
    await owner.end();
  }
}

interface Variants extends Setting {
  url: string;
  servers: Served[];
  floor: Floor | undefined;
  postgresCpu: () => number;
  fresh: (count: number) => Promise<number>;
}

/** All variants of one operation, in turn in each round, after one round to warm them up. */
async function measureOperation(operation: Operation, setting: Variants): Promise<OperationResult> {
  const { url, servers, floor, postgresCpu, fresh, quick, rounds, seconds, say } = setting;
  const variants: { name: string; run: (pace: Pace) => Promise<Measured> }[] = [];
  if (floor !== undefined) {
    variants.push({ name: 'floor', run: (pace) => measureFloor(url, floor, operation, pace) });
    if (operation.once === undefined && !quick)
      variants.push({
        name: 'floor, 32 clients',
        run: (pace) => measureFloor(url, floor, operation, { ...pace, clients: 32 }),
      });
  }
  for (const server of servers.filter(({ operations }) => operations.includes(operation.name)))
    variants.push({ name: server.name, run: (pace) => measureServer(server, operation, pace) });

  const measured = new Map<string, Measured[]>(variants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of variants) {
      say(`${operation.name}: round ${round} of ${rounds}, ${name}`);
      const from =
        operation.once === undefined || operation.name === 'F'
          ? round
          : await fresh(operation.once);
      const pace = {
        seconds: round === 0 ? Math.min(1, seconds) : seconds,
        connections: CONNECTIONS,
        postgresCpu,
        from,
      };
      const result = await run(pace);
      if (round > 0) measured.get(name)?.push(result);
    }
  }
  return summarize(operation, measured);
}

/** The floors and the bare server run the statements that the server itself sends. */
async function prepareFloors(url: string, chosen: Operation[]) {
  const samples = chosen.map((operation) => ({
    operation,
    list: Array.from({ length: operation.name === 'A*' ? 1 : FLOOR_CLIENTS }, (_, n) =>
      operation.undo === undefined
        ? [operation.request(n)]
        : [operation.request(n), operation.request(n + operation.undo)],
    ).flat(),
  }));
  const recorded = await recordStatements(url, samples);
  const floors = new Map<Operation, Floor>();
  if (pgbenchVersion() !== undefined) {
    for (const [operation, sent] of recorded) {
      if (operation.name === 'A*') {
        const taskId = operation.request(0).path.split('/')[3] as string;
        floors.set(
          operation,
          freshApprovals(sent[0] as Sent[], taskId, (operation.once as number) / FLOOR_CLIENTS),
        );
      } else if (operation.name === 'F') floors.set(operation, topUpFloor(sent));
      else floors.set(operation, plainFloor(pairs(operation, sent)));
    }
  }
  const bare = Object.fromEntries(
    [...recorded].flatMap(([{ name, request }, [sent]]) => {
      const statement = sent?.at(-1);
      if ((name !== 'P' && name !== 'I') || statement === undefined) return [];
      const id = request(0).path.split('/')[3];
      const key = statement.values.findIndex((value) => Buffer.isBuffer(value));
      const ids = statement.values.flatMap((value, i) => (value === id ? [i] : []));
      return [[name, { ...statement, key, id: ids }]];
    }),
  );
  return { floors, bare: 'P' in bare && 'I' in bare ? bare : undefined };
}

/** The requests of one client: one, or a change and its reversal. */
function pairs({ undo }: Operation, sent: Sent[][]): Sent[][][] {
  if (undo === undefined) return sent.map((one) => [one]);
  return sent.flatMap((one, n) => (n % 2 === 0 ? [[one, sent[n + 1] as Sent[]]] : []));
}

/**
 * Provides tasks whose plan has an unapproved version; when they run out, every plan gets a new
 * version.
 */
async function freshTasks(
  owner: pg.Client,
  { workspaces }: Known,
): Promise<(count: number) => Promise<number>> {
  const tasks = workspaces.flatMap(({ key, tasks }) =>
    tasks.map((id) => ({ id, secret: hashKey(key) })),
  );
  await owner.query('drop table if exists bench_task');
  await owner.query(
    'create table bench_task (n integer primary key, id uuid not null, secret_hash bytea not null)',
  );
  await owner.query('grant select on bench_task to guildhall_app');
  await owner.query(
    'insert into bench_task select n - 1, id, hash from unnest($1::uuid[], $2::bytea[]) with ' +
      'ordinality t(id, hash, n)',
    [tasks.map(({ id }) => id), tasks.map(({ secret }) => secret)],
  );
  let next = tasks.length;
  return async (count) => {
    if (next + count > tasks.length) {
      await owner.query(`
        with newer as (
          insert into plan_revision (task_id, version, body)
          select task_id, version + 1, 'Another plan' from plan returning task_id, version)
        update plan p set version = newer.version from newer where newer.task_id = p.task_id`);
      await owner.query('vacuum analyze plan');
      next = 0;
    }
    next += count;
    return next - count;
  };
}
