-- What may be spent of a balance in a calendar month: docs/decisions/0059-spend-limits.md.
create table spend_limit (
  id         uuid primary key default gen_random_uuid(),
  account_id uuid not null references billing_account,
  project_id uuid references project on delete cascade,
  user_id    uuid references app_user on delete cascade,
  task_id    uuid references task on delete cascade,
  subject    text not null generated always as (
               case when project_id is not null then 'project'
                    when user_id is not null then 'member'
                    when task_id is not null then 'task'
                    else 'balance' end) stored,
  subject_id uuid generated always as (coalesce(project_id, user_id, task_id)) stored,
  amount     bigint not null check (amount between 1 and 1000000000000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint spend_limit_has_one_subject check (num_nonnulls(project_id, user_id, task_id) <= 1),
  constraint spend_limit_is_one_row unique nulls not distinct (account_id, subject_id)
);
comment on table spend_limit is
  'What may be spent of a balance in a calendar month (UTC): as a whole, for a project, for what a person asked for, or for a task. Whoever reads what is left, or changes a limit, locks the account.';
comment on column spend_limit.project_id is 'Null, as are the person and the task, for the whole balance.';
comment on column spend_limit.amount is 'Micro-USD.';
create index spend_limit_of_project on spend_limit (project_id);
create index spend_limit_of_user on spend_limit (user_id);
create index spend_limit_of_task on spend_limit (task_id);
grant select, insert, update, delete on spend_limit to guildhall_app;

-- As in api/db/views/end_spend_limits.sql.
create function end_spend_limits() returns trigger language plpgsql as $$
begin
  delete from spend_limit l
   where l.project_id = new.id
      or l.task_id in (select t.id from task t where t.project_id = new.id);
  return null;
end $$;
create trigger project_leaves_spend_limits after update of organization_id, owner_user_id on project
  for each row when ((old.organization_id, old.owner_user_id)
                     is distinct from (new.organization_id, new.owner_user_id))
  execute function end_spend_limits();
