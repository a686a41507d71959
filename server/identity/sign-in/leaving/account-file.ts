import type { Snapshot } from '../../../db/database/database.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import { usdSql } from '../../../http/resource.ts';
import { timestampSql } from '../../../http/timestamps.ts';

/**
 * What the server knows of a person, part by part, as one JSON document. A part is a list, of which
 * no more than a batch is in memory. It names ids, not the content of others; no secret is in it.
 */
export async function* accountFile(
  { rows }: Snapshot,
  userId: string,
): AsyncGenerator<string, void> {
  yield `{"version":1,\n"exported_at":${JSON.stringify(new Date().toISOString())}`;
  for (const [name, part] of Object.entries(partsOf(sql`${userId}::uuid`))) {
    yield `,\n"${name}":[`;
    let separator = '';
    for await (const batch of rows<{ item: string }>(part)) {
      yield separator + batch.map(({ item }) => item).join(',\n');
      separator = ',\n';
    }
    yield ']';
  }
  yield '}\n';
}

/** An object without the fields that are null. */
const item = (fields: Sql): Sql =>
  sql`json_strip_nulls(json_build_object(${fields}))::text as item`;

const at = (column: Sql) => timestampSql(column);

const partsOf = (me: Sql): Record<string, Sql> => ({
  profile: sql`
    select ${item(sql`
             'id', u.id, 'email', u.email, 'name', u.name, 'mail_warnings', u.mail_warnings,
             'two_factor_enabled', u.two_factor, 'created_at', ${at(sql`u.created_at`)}`)}
      from app_user u where u.id = ${me}`,
  ways_to_sign_in: sql`
    select ${item(sql`'kind', way.kind, 'name', way.name, 'email', way.email, 'since', ${at(sql`way.since`)}`)}
      from (select 'password' as kind, null as name, null as email, set_at as since
              from password where user_id = ${me}
            union all
            select 'authenticator_app', null, null, confirmed_at from totp
             where user_id = ${me} and confirmed_at is not null
            union all
            select 'passkey', name, null, created_at from passkey where user_id = ${me}
            union all
            select provider, null, email, created_at from identity where user_id = ${me}) way
     order by way.since`,
  sessions: sql`
    select ${item(sql`
             'id', s.id, 'created_at', ${at(sql`s.created_at`)},
             'last_seen_at', ${at(sql`s.last_seen_at`)}, 'ended_at', ${at(sql`s.ended_at`)},
             'user_agent', s.user_agent, 'network', s.network`)}
      from session s where s.user_id = ${me} order by s.created_at, s.id`,
  api_keys: sql`
    select ${item(sql`
             'id', k.id, 'name', k.name, 'read_only', k.read_only,
             'organization_id', k.organization_id, 'created_at', ${at(sql`k.created_at`)},
             'expires_at', ${at(sql`k.expires_at`)}, 'last_used_at', ${at(sql`k.last_used_at`)},
             'revoked_at', ${at(sql`k.revoked_at`)}`)}
      from api_key k where k.user_id = ${me} order by k.created_at, k.id`,
  workspaces: sql`
    select ${item(sql`
             'organization_id', o.id, 'name', o.name,
             'role', case when o.owner_user_id = m.user_id then 'owner' else r.slug end,
             'since', ${at(sql`m.created_at`)},
             'teams', (select json_agg(t.name order by t.name)
                         from team_member tm join team t on t.id = tm.team_id
                        where tm.organization_id = o.id and tm.user_id = m.user_id)`)}
      from membership m join organization o on o.id = m.organization_id
      join role r on r.id = m.role_id
     where m.user_id = ${me} order by m.created_at, o.id`,
  projects: sql`
    select ${item(sql`
             'project_id', p.id, 'name', p.name,
             'role', case when p.owner_user_id = ${me} then 'owner' else r.slug end,
             'since', ${at(sql`coalesce(g.created_at, p.created_at)`)}`)}
      from project p
      left join project_grant g on g.project_id = p.id and g.user_id = ${me}
      left join role r on r.id = g.role_id
     where p.owner_user_id = ${me} or g.user_id is not null order by p.created_at, p.id`,
  invitations: sql`
    select ${item(sql`
             'id', i.id, 'organization_id', i.organization_id, 'project_id', i.project_id,
             'status', i.status, 'created_at', ${at(sql`i.created_at`)}`)}
      from invitation i
     where mailbox(i.email) = (select mailbox(email) from app_user where id = ${me})
     order by i.created_at, i.id`,
  notification_settings: sql`
    select ${item(sql`
             'mail', n.mail, 'push', n.push, 'events_off', n.events_off,
             'quiet_from', n.quiet_from, 'quiet_until', n.quiet_until, 'daily_at', n.daily_at,
             'time_zone', n.time_zone`)}
      from notification_setting n where n.user_id = ${me}`,
  followed_tasks: sql`
    select ${item(sql`'task_id', s.task_id, 'state', s.state`)}
      from task_subscription s where s.user_id = ${me} order by s.task_id`,
  muted_projects: sql`
    select ${item(sql`'project_id', m.project_id, 'muted_at', ${at(sql`m.muted_at`)}`)}
      from project_mute m where m.user_id = ${me} order by m.project_id`,
  routines: sql`
    select ${item(sql`'id', r.id, 'project_id', r.project_id, 'name', r.name, 'message', r.message`)}
      from routine r where r.on_behalf_of_user_id = ${me} order by r.created_at, r.id`,
  cards: sql`
    select ${item(sql`
             'id', c.id, 'brand', c.brand, 'last4', c.last4, 'exp_month', c.exp_month,
             'exp_year', c.exp_year, 'created_at', ${at(sql`c.created_at`)},
             'removed_at', ${at(sql`c.detached_at`)}`)}
      from payment_method c where c.user_id = ${me} order by c.created_at, c.id`,
  billing_details: sql`
    select ${item(sql`
             'name', d.name, 'address', d.address, 'country', d.country, 'tax_id', d.tax_id,
             'email', d.email`)}
      from billing_details d join billing_account a on a.id = d.id where a.user_id = ${me}`,
  balance: sql`
    select ${item(sql`'balance', ${usdSql(sql`a.balance`)}, 'status', a.status`)}
      from billing_account a where a.user_id = ${me}`,
  transfers: sql`
    select ${item(sql`
             'id', l.id, 'kind', l.kind,
             'amount', ${usdSql(sql`case when l.credit_account_id = a.id then l.amount else -l.amount end`)},
             'balance', ${usdSql(sql`l.balance`)}, 'created_at', ${at(sql`l.created_at`)}`)}
      from billing_account a join ledger_transfer l on l.account_id = a.id
     where a.user_id = ${me} order by l.version`,
  invoices: sql`
    select ${item(sql`
             'number', i.number, 'kind', i.kind, 'total', ${usdSql(sql`i.total`)},
             'issued_at', ${at(sql`i.issued_at`)}`)}
      from billing_account a join invoice i on i.account_id = a.id
     where a.user_id = ${me} order by i.issued_at, i.id`,
  tasks: sql`
    select ${item(sql`
             'id', t.id, 'project_id', t.project_id, 'title', t.title,
             'created_at', ${at(sql`t.created_at`)}`)}
      from task t where t.created_by_user_id = ${me} order by t.created_at, t.id`,
  messages: sql`
    select ${item(sql`
             'task_id', m.task_id, 'number', m.number, 'text', m.content,
             'created_at', ${at(sql`m.created_at`)}`)}
      from task_message m where m.author_user_id = ${me} order by m.task_id, m.number`,
  comments: sql`
    select ${item(sql`
             'id', c.id, 'task_id', c.task_id, 'on', c.about, 'text', c.text,
             'created_at', ${at(sql`c.created_at`)}`)}
      from (select id, task_id, 'plan' as about, text, created_at from plan_comment
             where author_user_id = ${me}
            union all
            select id, task_id, 'code', text, created_at from diff_comment
             where author_user_id = ${me}) c
     order by c.created_at, c.id`,
  answers: sql`
    select ${item(sql`
             'task_id', q.task_id, 'question', q.title, 'option_id', q.answer_option_id,
             'text', q.answer_text, 'answered_at', ${at(sql`q.ended_at`)}`)}
      from agent_request q where q.answered_by_user_id = ${me} order by q.ended_at, q.id`,
  plans: sql`
    select ${item(sql`
             'task_id', r.task_id, 'version', r.version, 'text', r.body,
             'created_at', ${at(sql`r.created_at`)}`)}
      from plan_revision r where r.author_user_id = ${me} order by r.task_id, r.version`,
  approvals: sql`
    select ${item(sql`
             'task_id', a.task_id, 'version', a.version, 'approved_at', ${at(sql`a.approved_at`)}`)}
      from plan_approval a
     where a.approved_by_user_id = ${me} and a.approval_source = 'person'
     order by a.approved_at, a.task_id`,
  files: sql`
    select ${item(sql`
             'id', f.id, 'project_id', f.project_id, 'task_id', f.task_id, 'name', f.name,
             'size', f.size, 'created_at', ${at(sql`f.created_at`)}`)}
      from attachment f where f.uploaded_by_user_id = ${me} order by f.created_at, f.id`,
  audit_events: sql`
    select ${item(sql`
             'id', e.id, 'occurred_at', ${at(sql`e.occurred_at`)}, 'action', e.action,
             'outcome', e.outcome, 'code', e.code, 'target_id', e.target_id,
             'organization_id', e.organization_id, 'project_id', e.project_id,
             'before', e.before, 'after', e.after`)}
      from (select * from audit_event where actor_user_id = ${me} and organization_id is null
            union all
            select e.* from (select distinct organization_id from membership where user_id = ${me}) o
              join audit_event e
                on e.organization_id = o.organization_id and e.actor_user_id = ${me}) e
     order by e.id`,
});
