import { rolesThatMay } from '../../access/roles.ts';
import type { Database, Tx } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** Of one task, the next mail follows so long after the last one at the earliest. */
const MAIL_APART = '5 minutes';
/** The same for what a browser shows. */
const PUSH_APART = '20 seconds';
/** Where nobody who follows a task may approve, so many who may are told. */
const MOST_APPROVERS = 25;
/** A comment mentions so many people at most. */
const MOST_MENTIONED = 20;

const OPENS = rolesThatMay('open_project');
const APPROVES = rolesThatMay('approve_plan');

/**
 * Makes notifications of the oldest events, one for each person who is to be told, and deletes the
 * events. Any number of processes may do so: each waits for the one before. Returns how many events
 * there were. `mails`: whether mail can be sent.
 */
export const routeNotifications = (
  db: Pick<Database, 'transaction'>,
  { mails, most = 200 }: { mails: boolean; most?: number },
): Promise<number> =>
  db.transaction(async (tx) => {
    const events = await tx.many<{ id: string; task_id: string }>(sql`
      select id, task_id from notification_event order by noted_at, id limit ${most} for update`);
    if (events.length === 0) return 0;
    const ids = events.map(({ id }) => id);
    // A task that is being deleted gets none.
    const tasks = await tx.many<{ id: string }>(sql`
      select id from task where id = any(${[...new Set(events.map((e) => e.task_id))]}::uuid[])
         and archived_at is null
       order by id for key share skip locked`);
    const those = tasks.map(({ id }) => id);
    if (those.length > 0) {
      await tx.many(threads(ids, those, mails));
      await tx.many(notifications(ids, those));
    }
    await tx.many(sql`delete from notification_event where id = any(${ids}::uuid[])`);
    return events.length;
  });

/** The right of a person on the project of an event, if they may open it; a service account has none. */
const right = (user: Sql): Sql => sql`
  cross join lateral (
    select person.acts_as from project_person person
      join app_user holder on holder.id = person.user_id and holder.kind = 'person'
     where person.project_id = e.project_id and person.user_id = ${user}
       and person.hidden_reason is null and person.acts_as = any(${OPENS}::text[]) limit 1) standing`;

/** `told`: who is told of which event, with their settings (`s`). */
const told = (ids: string[], tasks: string[]): Sql => sql`
  e as materialized (
    select v.*, t.created_by_user_id,
           case v.type
             when 'task.merged' then (
               select m.requested_by_user_id from merge m where m.id = (v.data->>'merge_id')::uuid)
             when 'task.plan_waiting' then (
               select r.author_user_id from plan l
                 join plan_revision r on r.task_id = l.task_id and r.version = l.version
                where l.task_id = v.task_id)
             when 'comment.mentioned' then (v.data->>'author_user_id')::uuid end as actor
      from notification_event v join task t on t.id = v.task_id
     where v.id = any(${ids}::uuid[]) and t.id = any(${tasks}::uuid[])),
  follower as materialized (
    select e.id, f.user_id, standing.acts_as
      from e
     cross join lateral (
       select e.created_by_user_id as user_id
        where not exists (select from task_subscription s
                           where s.task_id = e.task_id and s.user_id = e.created_by_user_id
                             and s.state <> 'following')
       union
       select s.user_id from task_subscription s
        where s.task_id = e.task_id and s.state = 'following') f
     ${right(sql`f.user_id`)}
     where e.type <> 'comment.mentioned'),
  approver as (
    select e.id, person.user_id
      from e
     cross join lateral (
       select person.user_id from project_person person
         join app_user holder on holder.id = person.user_id and holder.kind = 'person'
        where person.project_id = e.project_id and person.hidden_reason is null
          and person.acts_as = any(${APPROVES}::text[])
        order by array_position(array['owner', 'admin', 'member'], person.acts_as), person.user_id
        limit ${MOST_APPROVERS}) person
     where e.type in ('task.plan_waiting', 'task.question_asked', 'task.permission_asked')
       and not exists (select from follower f
                        where f.id = e.id and f.acts_as = any(${APPROVES}::text[]))),
  mentioned as (
    select e.id, u.id as user_id
      from e
     cross join lateral (
       select c.text from plan_comment c where c.id = (e.data->>'comment_id')::uuid
       union all
       select c.text from diff_comment c where c.id = (e.data->>'comment_id')::uuid) c
     cross join lateral (
       select found[1] as address
         from regexp_matches(c.text, '(?:^|[^[:alnum:]])@([^\s@<>(),;:]{1,64}@[[:alnum:].-]*[[:alnum:]])', 'g') found
        limit ${MOST_MENTIONED}) m
      join app_user u on mailbox(u.email) = mailbox(m.address)
     ${right(sql`u.id`)}
     where e.type = 'comment.mentioned'),
  told as materialized (
    select e.id as event_id, e.noted_at, e.type, e.task_id, e.project_id, e.data, w.user_id,
           coalesce(s.mail, 'at_once') as mail, coalesce(s.push, true) as push,
           case when s.mail = 'daily'
                then when_to_tell(now(), s.daily_at, null, null, s.time_zone)
                else when_to_tell(now(), null, s.quiet_from, s.quiet_until,
                                  coalesce(s.time_zone, 'UTC')) end as mail_at,
           when_to_tell(now(), null, s.quiet_from, s.quiet_until,
                        coalesce(s.time_zone, 'UTC')) as push_at
      from (select id, user_id from follower union select id, user_id from approver
             union select id, user_id from mentioned) w
      join e on e.id = w.id
      left join notification_setting s on s.user_id = w.user_id
     where w.user_id is distinct from e.actor
       and e.type <> all (coalesce(s.events_off, '{}'))
       and not exists (select from task_subscription m
                        where m.task_id = e.task_id and m.user_id = w.user_id and m.state = 'muted')
       and not exists (select from project_mute m
                        where m.project_id = e.project_id and m.user_id = w.user_id))`;

/** Says when each person gets the next mail. Its rows are locked until the notifications are there. */
const threads = (ids: string[], tasks: string[], mails: boolean): Sql => sql`
  with ${told(ids, tasks)}
  insert into notification_thread as t (user_id, task_id, due_at)
  select user_id, case when mail = 'at_once' then task_id end, min(mail_at)
    from told where ${mails} and mail <> 'off' group by 1, 2 order by 1, 2
  on conflict (user_id, task_id) do update
     set due_at = least(t.due_at, greatest(excluded.due_at, t.mailed_at + ${MAIL_APART}::interval))`;

const notifications = (ids: string[], tasks: string[]): Sql => sql`
  with ${told(ids, tasks)},
  made as (
    insert into notification (user_id, task_id, type, data, thread_id)
    select w.user_id, w.task_id, w.type, w.data, t.id
      from told w
      left join notification_thread t
        on w.mail <> 'off' and t.user_id = w.user_id and t.due_at is not null
           and t.task_id is not distinct from case when w.mail = 'at_once' then w.task_id end
     order by w.noted_at, w.event_id
    returning id, user_id, task_id, type),
  newest as (
    select distinct on (user_id, task_id) id, user_id, task_id from made
     order by user_id, task_id, id desc)
  insert into push_message as m (subscription_id, task_id, notification_id, due_at)
  select s.id, n.task_id, n.id, min(w.push_at)
    from newest n
    join told w on w.user_id = n.user_id and w.task_id = n.task_id and w.push
    join push_subscription s on s.user_id = n.user_id
   group by 1, 2, 3 order by 1, 2
  on conflict (subscription_id, task_id) do update
     set notification_id = excluded.notification_id, generation = m.generation + 1, attempts = 0,
         due_at = least(m.due_at, greatest(excluded.due_at, m.sent_at + ${PUSH_APART}::interval))`;

/**
 * Makes the mails that are due: one of each thread, with all that it has to tell. Returns how many
 * threads there were.
 */
export const makeMails = (db: Pick<Database, 'transaction'>, most = 100): Promise<number> =>
  db.transaction(async (tx: Tx) => {
    const due = await tx.many<{ id: string }>(sql`
      select id from notification_thread where due_at <= now()
       order by due_at limit ${most} for update skip locked`);
    if (due.length === 0) return 0;
    const ids = due.map(({ id }) => id);
    await tx.many(sql`
      with thread as (
        update notification_thread set due_at = null, mailed_at = now()
         where id = any(${ids}::uuid[])
        returning id, user_id),
      about as materialized (select id as thread_id, user_id, uuid_v7() as mail_id from thread),
      made as (
        insert into notification_mail (id, user_id) select mail_id, user_id from about),
      assigned as (
        update notification n set mail_id = about.mail_id
          from about where n.thread_id = about.thread_id and n.mail_id is null)
      insert into mail (kind, recipient, subject_id)
      select 'task_notification', u.email, about.mail_id
        from about join app_user u on u.id = about.user_id and u.is_active`);
    return due.length;
  });
