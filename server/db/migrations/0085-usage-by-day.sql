-- What usage was of, and its sums by day: docs/decisions/0055-usage-by-day.md.

alter table usage_event
  add column kind            text not null default 'model' check (kind in ('model', 'pod')),
  add column task_id         uuid,
  add column project_id      uuid,
  add column organization_id uuid,
  add column user_id         uuid,
  add column model           text check (length(model) between 1 and 100),
  add column input_tokens    bigint check (input_tokens >= 0),
  add column output_tokens   bigint check (output_tokens >= 0),
  add column pod_seconds     bigint check (pod_seconds >= 0);
comment on column usage_event.task_id is
  'Copied, as are the project, the workspace and the person: they may be deleted later. Null where nothing says.';
comment on column usage_event.organization_id is 'The workspace whose account pays; null for a person''s.';
comment on column usage_event.user_id is 'Who asked for the work: the turn, or else the task.';
comment on column usage_event.input_tokens is 'With those of the cache. Null where nothing was reported.';

-- What is free is counted, too. A settlement of such events alone charges nothing.
alter table usage_event drop constraint usage_event_amount_check;
alter table usage_event add constraint usage_event_amount_check
  check (amount between 0 and 100000000000000) not valid;
alter table usage_event add constraint usage_event_counts_something
  check (coalesce(greatest(amount, input_tokens, output_tokens, pod_seconds), 0) > 0) not valid;
alter table usage_settlement drop constraint usage_settlement_total_nano_check;
alter table usage_settlement add constraint usage_settlement_total_nano_check
  check (total_nano >= 0) not valid;

create table usage_day (
  id              uuid primary key default uuid_v7(),
  account_id      uuid not null references billing_account,
  day             date not null,
  kind            text not null,
  task_id         uuid,
  project_id      uuid,
  organization_id uuid,
  user_id         uuid,
  model           text,
  amount          bigint not null check (amount >= 0),
  input_tokens    bigint not null check (input_tokens >= 0),
  output_tokens   bigint not null check (output_tokens >= 0),
  pod_seconds     bigint not null check (pod_seconds >= 0),
  events          bigint not null check (events > 0),
  constraint usage_day_is_one_row unique nulls not distinct
    (account_id, day, task_id, kind, model, user_id, project_id, organization_id)
) with (fillfactor = 80);
comment on table usage_day is
  'The sums of usage_event by day and by everything that usage is grouped by. Only its trigger writes.';
comment on column usage_day.day is 'In UTC, of occurred_at.';
comment on column usage_day.amount is 'Nano-USD.';
create index usage_day_of_user on usage_day (user_id, day);
create index usage_day_of_workspace on usage_day (organization_id, day);
create index usage_day_of_project on usage_day (project_id, day);
create index usage_day_of_task on usage_day (task_id, day);
create trigger usage_day_no_delete before delete on usage_day
  for each row execute function refuse_change();
create trigger usage_day_no_truncate before truncate on usage_day
  for each statement execute function refuse_change();

-- What was used before, as far as its turn or task still exists. No other server records meanwhile:
-- the columns were added in this transaction.
alter table usage_event disable trigger user;
update usage_event e
   set task_id = t.id, project_id = t.project_id, model = coalesce(t.model, p.default_model),
       user_id = coalesce(u.requested_by_user_id, t.created_by_user_id)
  from task_turn u
  join task t on t.id = u.task_id
  join project p on p.id = t.project_id
 where e.reference_type = 'task_turn' and e.reference_id = u.id;
update usage_event e
   set task_id = t.id, project_id = t.project_id, user_id = t.created_by_user_id
  from task t
 where e.reference_type = 'task' and e.reference_id = t.id;
update usage_event e
   set organization_id = a.organization_id
  from billing_account a
 where a.id = e.account_id and a.organization_id is not null;
alter table usage_event enable trigger user;
insert into usage_day
       (account_id, day, kind, task_id, project_id, organization_id, user_id, model,
        amount, input_tokens, output_tokens, pod_seconds, events)
select account_id, (occurred_at at time zone 'UTC')::date, kind, task_id, project_id,
       organization_id, user_id, model, sum(amount), coalesce(sum(input_tokens), 0),
       coalesce(sum(output_tokens), 0), coalesce(sum(pod_seconds), 0), count(*)
  from usage_event group by 1, 2, 3, 4, 5, 6, 7, 8;

-- This first text of the function is replaced by api/db/views/add_usage_to_day.sql.
create function add_usage_to_day() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into usage_day as d
         (account_id, day, kind, task_id, project_id, organization_id, user_id, model,
          amount, input_tokens, output_tokens, pod_seconds, events)
  select account_id, (occurred_at at time zone 'UTC')::date, kind, task_id, project_id,
         organization_id, user_id, model, sum(amount), coalesce(sum(input_tokens), 0),
         coalesce(sum(output_tokens), 0), coalesce(sum(pod_seconds), 0), count(*)
    from recorded group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 4, 3, 8, 7, 5, 6
  on conflict on constraint usage_day_is_one_row do update
     set amount = d.amount + excluded.amount,
         input_tokens = d.input_tokens + excluded.input_tokens,
         output_tokens = d.output_tokens + excluded.output_tokens,
         pod_seconds = d.pod_seconds + excluded.pod_seconds,
         events = d.events + excluded.events;
  return null;
end $$;
create trigger usage_event_adds_to_day after insert on usage_event
  referencing new table as recorded for each statement execute function add_usage_to_day();

grant insert (kind, task_id, project_id, organization_id, user_id, model, input_tokens,
    output_tokens, pod_seconds)
  on usage_event to guildhall_app;
grant select on usage_day to guildhall_app;
