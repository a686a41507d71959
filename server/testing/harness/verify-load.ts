import assert from 'node:assert/strict';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sandbox } from '../../billing/cards/sandbox.ts';
import { reconcile } from '../../billing/top-ups/reconcile.ts';
import { topUps } from '../../billing/top-ups/top-ups.ts';
import { sql } from '../../db/sql.ts';
import type { Harness } from './harness.ts';
import type { Load } from './load.ts';
import { until } from './until.ts';

/**
 * Asserts that everything acknowledged to the clients of a load is there, that nothing is half
 * done, and that the money adds up. First it finishes charges that the fault left open, as a server
 * does by itself.
 */
export async function verifyLoad(
  harness: Harness,
  { acknowledged, changes, counts }: Load,
): Promise<string> {
  const { request } = harness;
  await until('the client that follows tasks was told of each change', () =>
    acknowledged.changed.every(({ taskId, from }) =>
      changes.seen.slice(from).some((each) => each === taskId || each === 'reset'),
    ),
  );
  await changes.stop();
  const resumed = await verifyMoney(harness);
  assert.deepEqual(await lost(harness, acknowledged), []);
  assert.deepEqual(await halves(harness), []);
  // Repeating the last requests returns the same answers, because each was stored with the change
  // it reports.
  for (const { path, sent, answer } of acknowledged.teams.slice(-5)) {
    const again = await request('PUT', path, sent);
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [answer, 'true']);
  }
  const resets = changes.seen.filter((each) => each === 'reset').length;
  return (
    `${counts.acknowledged} writes acknowledged, 0 lost; ${acknowledged.changed.length} changes ` +
    `followed, with ${resets} resets; ${counts.read} reads; ` +
    `${counts.refused} answers of 503; ${resumed} open charges ended`
  );
}

/** Finishes open charges and audits the ledger. Returns how many there were. */
export async function verifyMoney({ db }: Harness): Promise<number> {
  await db.many(
    sql`update top_up set next_check_at = now() where status in ('created', 'processing')`,
  );
  const resumed = await reconcile(db, topUps(db, sandbox(db)), [3_600_000]);
  assert.equal(resumed.open, 0);
  assert.deepEqual((await auditLedger(db)).violations, []);
  return resumed.checked;
}

/** What was acknowledged but is not there. */
const lost = ({ db }: Harness, { approvals, teams, topUps: charges }: Load['acknowledged']) =>
  db.many(sql`
    select 'approval' as lost, task_id::text as id
      from unnest(${approvals.map(({ taskId }) => taskId)}::uuid[],
        ${approvals.map(({ version }) => version)}::int[]) a(task_id, version)
     where not exists (select from plan p
       where p.task_id = a.task_id and p.approved_version = a.version)
    union all
    select 'rename', team_id || ' ' || name
      from unnest(${teams.map(({ teamId }) => teamId)}::text[],
        ${teams.map(({ sent }) => sent.body.name)}::text[]) t(team_id, name)
     where not exists (select from audit_event e
       where e.target_id = t.team_id and e.after->>'name' = t.name)
    union all
    select 'charge', id::text
      from unnest(${charges.map(({ id }) => id)}::uuid[],
        ${charges.map(({ amount }) => String(amount))}::numeric[],
                  ${charges.map(({ userId }) => userId)}::uuid[]) c(id, usd, user_id)
     where not exists (
       select from ledger_transfer l join billing_account a on a.id = l.account_id
        where l.reference_id = c.id and l.kind = 'top_up' and l.amount = c.usd * 1000000
          and a.user_id = c.user_id)`);

/** Changes that are only partly there: approvals, renames, charges. Each table is read once. */
const halves = ({ db }: Harness) =>
  db.many(sql`
    select 'approval' as half, p.task_id::text as id
      from plan p
      left join (select task_id, count(*) as count from plan_approval group by task_id) a
             using (task_id)
      left join (select key, count(*) as count from outbox where topic = 'agent_start'
                  group by key) o
             on o.key = p.task_id || ':' || p.version
      left join (select target_id, count(*) as count from audit_event
                  where action = 'plan.approve' group by target_id) e
             on e.target_id = p.task_id::text
     where (case when p.approved_version is null then 0 else 1 end) <> any (array[
             coalesce(a.count, 0), coalesce(o.count, 0), coalesce(e.count, 0)])
    union all
    select 'rename', e.target_id
      from (select target_id, before->>'name' as before, after->>'name' as after, t.name as now,
                   lag(after->>'name') over line as last, lead(target_id) over line as next
              from audit_event join team t on t.id::text = target_id where action = 'team.update'
            window line as (partition by target_id order by occurred_at)) e
     where e.before <> e.last or (e.next is null and e.after <> e.now)
    union all
    select 'charge', t.id::text
      from top_up t
      left join sandbox_intent i on i.idempotency_key = 'topup:' || t.id || ':create'
     where (t.status = 'succeeded') <> any (array[
             i.status is not distinct from 'succeeded',
             t.id in (select reference_id from ledger_transfer where reference_id is not null),
             t.id::text in (select key from outbox where topic = 'top_up_succeeded'),
             t.id::text in (select target_id from audit_event where action = 'funds.add')])`);
