-- Throwaway ERP instances of tasks: docs/decisions/0066-erp-instances.md.
create table erp_instance (
  id                   uuid primary key default uuid_v7(),
  task_id              uuid not null references task on delete cascade,
  driver               text not null check (length(driver) between 1 and 50),
  state                text not null default 'starting' check (state in
                         ('starting', 'running', 'stopping', 'failed', 'ended')),
  reason               text check (length(reason) between 1 and 500),
  erp_version          text not null check (length(erp_version) between 1 and 20),
  edition              text not null check (edition in ('community', 'enterprise')),
  database_name        text not null check (database_name ~ '^[a-z][a-z0-9_]{0,62}$'),
  url                  text check (length(url) between 1 and 500),
  requested_by_user_id uuid not null references app_user,
  owner                text check (length(owner) between 1 and 200),
  lease_until          timestamptz,
  not_before           timestamptz not null default now(),
  attempt              integer not null default 0 check (attempt >= 0),
  created_at           timestamptz not null default now(),
  ready_at             timestamptz,
  expires_at           timestamptz not null,
  cleared_at           timestamptz,
  counted_until        timestamptz,
  uncounted_ms         bigint not null default 0 check (uncounted_ms >= 0),
  constraint erp_instance_failed_for_a_reason check ((state = 'failed') = (reason is not null)),
  constraint erp_instance_runs_once_ready check (state <> 'running' or ready_at is not null),
  constraint erp_instance_is_leased_completely check ((owner is null) = (lease_until is null)),
  constraint erp_instance_ended_without_owner check (
    state not in ('failed', 'ended') or owner is null),
  constraint erp_instance_is_cleared_at_its_end check (
    case state when 'ended' then cleared_at is not null
               when 'failed' then true
               else cleared_at is null end)
);
create unique index erp_instance_of_task on erp_instance (task_id)
  where state in ('starting', 'running', 'stopping');
create index erp_instance_all_of_task on erp_instance (task_id, created_at);
create index erp_instance_live on erp_instance (lease_until, not_before)
  where state in ('starting', 'running', 'stopping');
create index erp_instance_uncleared on erp_instance (not_before)
  where state = 'failed' and cleared_at is null;
create index erp_instance_requested_by on erp_instance (requested_by_user_id);
comment on table erp_instance is
  'A throwaway ERP system of a task, which a worker starts and keeps. At most one of a task is live.';
comment on column erp_instance.state is
  'starting and stopping are also what a person asks for, until a worker has done it. ended: nothing is left, and the row only tells of it.';
comment on column erp_instance.url is 'Where people reach it; null if they cannot.';
comment on column erp_instance.owner is 'The worker that keeps it, until lease_until; then any other.';
comment on column erp_instance.not_before is 'When a worker may try again what has failed.';
comment on column erp_instance.attempt is 'How often a worker has taken it since it last ran.';
comment on column erp_instance.expires_at is 'When it ends, unless it is used before.';
comment on column erp_instance.cleared_at is 'When nothing was left of one that has failed or ended.';
comment on column erp_instance.counted_until is
  'While it runs: the time of it until then is in usage, or in uncounted_ms.';
comment on column erp_instance.uncounted_ms is
  'Milliseconds in which it ran and that are not in usage yet.';
create index erp_instance_uncounted on erp_instance (counted_until, id)
  where counted_until is not null or uncounted_ms >= 1000;

-- This first text of the function is replaced by api/db/views/check_erp_instance_transition.sql.
create function check_erp_instance_transition() returns trigger language plpgsql as $$
begin
  if old.state = new.state
     or (old.state, new.state) in (
       ('starting', 'running'), ('starting', 'failed'), ('starting', 'stopping'),
       ('running', 'starting'), ('running', 'failed'), ('running', 'stopping'),
       ('stopping', 'ended'), ('failed', 'stopping'))
  then
    return new;
  end if;
  raise exception 'an ERP instance cannot go from % to %', old.state, new.state
    using errcode = 'integrity_constraint_violation', constraint = 'erp_instance_transition';
end $$;
create trigger erp_instance_transition before update of state on erp_instance
  for each row execute function check_erp_instance_transition();
create trigger erp_instance_time before insert or update of state on erp_instance
  for each row execute function count_pod_time();
grant select, insert, update on erp_instance to guildhall_app;
