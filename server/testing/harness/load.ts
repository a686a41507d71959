import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { type ChangeReader, followChanges } from '../clients/change-reader.ts';
import type { Harness, Reply } from './harness.ts';

/** What clients were told had been done. */
interface Acknowledged {
  approvals: { taskId: string; version: number }[];
  teams: { path: string; teamId: string; key: string; sent: Sent; answer: string }[];
  topUps: { id: string; userId: string; amount: number }[];
  /** Tasks of the first client, and how many frames `changes` had when the request was sent. */
  changed: { taskId: string; from: number }[];
}
type Sent = { key: string; body: { name: string }; headers: { 'idempotency-key': string } };

/**
 * Clients that approve plans, rename teams, add funds and read continuously, pausing only after a
 * 503.
 */
export interface Load {
  acknowledged: Acknowledged;
  /** What the first client is told of the tasks that it changes. */
  changes: ChangeReader;
  counts: { acknowledged: number; read: number; refused: number };
  /**
   * Milliseconds until each client has had a success again with each of its four kinds of requests.
   */
  recovery(): Promise<number>;
  /**
   * Stops the clients but for the one that follows changes; rejects if one of them got an answer
   * that is neither a success nor a 503.
   */
  stop(): Promise<void>;
}

const TASKS = 1500;
const PATIENCE = 30_000;

/** Starts `clients` people, each in a workspace of their own, each doing four things at once. */
export async function startLoad(
  { fixtures, request, db, url }: Harness,
  clients = 3,
): Promise<Load> {
  const acknowledged: Acknowledged = { approvals: [], teams: [], topUps: [], changed: [] };
  const counts = { acknowledged: 0, read: 0, refused: 0 };
  /** When the last request that succeeded was sent, of each client and kind. */
  const reached = new Map<string, number>();
  const running: Promise<void>[] = [];
  let changes: ChangeReader | undefined;
  let over = false;
  let fault: unknown;

  const repeat = (
    name: string,
    act: (turn: number) => Promise<Reply>,
    done: (reply: Reply, turn: number) => void,
  ) => {
    const loop = async () => {
      for (let turn = 0; !over; turn++) {
        const sent = Date.now();
        const reply = await act(turn);
        if (reply.status === 503) {
          assert.equal(reply.body.code, 'database_unavailable');
          assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
          counts.refused++;
          await pause(20);
          continue;
        }
        assert.equal(reply.status, 200, `${name}: ${reply.text}`);
        done(reply, turn);
        reached.set(name, sent);
        await pause(2);
      }
    };
    reached.set(name, 0);
    running.push(
      loop().catch((error) => {
        fault ??= error;
        over = true;
      }),
    );
  };

  for (let client = 0; client < clients; client++) {
    const user = await fixtures.user();
    const workspace = await fixtures.workspace(user);
    const team = await fixtures.team(workspace);
    const project = await fixtures.project({ organizationId: workspace });
    const tasks = await manyTasks(project, user.id);
    const payment_method_id = await fixtures.card(user);
    const follows = changes === undefined;
    changes ??= await followChanges(url, user.key);
    const { seen } = changes;
    let from = 0;
    const path = `/api/organizations/${workspace}/teams/${team}`;
    const rename = (turn: number): Sent => {
      return {
        key: user.key,
        body: { name: `Name ${turn}` },
        headers: { 'idempotency-key': `${team} ${turn}` },
      };
    };
    repeat(
      `client ${client} approves`,
      (turn) => {
        from = seen.length;
        return request('POST', `/api/tasks/${tasks[turn % TASKS]}/plan/approve`, { key: user.key });
      },
      ({ body }, turn) => {
        counts.acknowledged++;
        // Another approval of the same version changes nothing.
        if (follows && turn < TASKS) acknowledged.changed.push({ taskId: body.task_id, from });
        acknowledged.approvals.push({ taskId: body.task_id, version: body.approved_version });
      },
    );
    repeat(
      `client ${client} renames`,
      (turn) => request('PUT', path, rename(turn)),
      ({ text }, turn) => {
        counts.acknowledged++;
        const sent = rename(turn);
        acknowledged.teams.push({ path, teamId: team, key: user.key, sent, answer: text });
      },
    );
    repeat(
      `client ${client} adds funds`,
      (turn) =>
        request('POST', '/api/billing/add-funds', {
          key: user.key,
          body: { amount: (100 + (turn % 99_000)) / 100, payment_method_id },
          headers: { 'idempotency-key': randomUUID() },
        }),
      ({ body }) => {
        counts.acknowledged++;
        acknowledged.topUps.push({
          id: body.top_up_id,
          userId: user.id,
          amount: body.amount_charged,
        });
      },
    );
    repeat(
      `client ${client} reads`,
      () => request('GET', `/api/projects/${project}/people`, { key: user.key }),
      () => {
        counts.read++;
      },
    );
  }

  async function manyTasks(projectId: string, userId: string): Promise<string[]> {
    const rows = await db.many<{ id: string }>(sql`
      with made as (
        insert into task (project_id, title, created_by_user_id)
        select ${projectId}, 'A task', ${userId} from generate_series(1, ${TASKS}) returning id),
      revised as (insert into plan_revision (task_id, version, body) select id, 1, 'a plan'
        from made),
      planned as (insert into plan (task_id, version) select id, 1 from made)
      select id from made`);
    return rows.map(({ id }) => id);
  }

  return {
    acknowledged,
    changes: changes as ChangeReader,
    counts,
    recovery: async () => {
      const start = Date.now();
      while ([...reached.values()].some((sent) => sent < start)) {
        if (fault !== undefined) throw fault;
        const late = [...reached].filter(([, sent]) => sent < start).map(([name]) => name);
        assert.ok(Date.now() - start < PATIENCE, `not recovered: ${late}`);
        await pause(5);
      }
      return Date.now() - start;
    },
    stop: async () => {
      over = true;
      await Promise.all(running);
      if (fault !== undefined) throw fault;
    },
  };
}
