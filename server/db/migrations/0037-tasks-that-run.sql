-- A task has a state, and its agent works in turns. Old tasks wait for the approval of their plan, or
-- nothing of them runs.
alter table task
  add column status        text not null default 'ready',
  add column status_reason text,
  add column model         text,
  add column spend_cap     bigint,
  add column archived_at   timestamptz,
  add column fence         bigint not null default 0,
  add column last_turn     integer not null default 0,
  add column last_message  integer not null default 0,
  add constraint task_status_check check (status in
    ('queued', 'planning', 'awaiting_approval', 'building', 'awaiting_answer', 'paused', 'ready',
     'failed', 'cancelled')) not valid,
  add constraint task_status_reason_fits check (
    case status
      when 'paused' then status_reason is not null and status_reason in
        ('insufficient_funds', 'account_not_active', 'spend_cap', 'spend_limit', 'pod_lost', 'drain')
      when 'failed' then status_reason is not null and length(status_reason) between 1 and 500
      else status_reason is null end) not valid,
  add constraint task_model_check check (length(model) between 1 and 100) not valid,
  add constraint task_spend_cap_check check (spend_cap > 0) not valid;
comment on column task.status is
  'An approved plan whose start is not claimed yet leaves it awaiting_approval; it is shown as queued.';
comment on column task.status_reason is 'Why it is paused (a code) or failed (a sentence).';
comment on column task.model is 'Null is the default of the project.';
comment on column task.spend_cap is 'Micro-USD that the task may cost in all.';
comment on column task.archived_at is 'Archived tasks are left out of lists.';
comment on column task.fence is
  'Grows with each claim of a turn: whoever writes for the task names it, and an older one is refused.';
comment on column task.last_turn is 'The number of its newest turn; 0 before the first.';
comment on column task.last_message is 'The number of its newest message; 0 before the first.';

update task set status = 'awaiting_approval'
  from plan
 where plan.task_id = task.id and plan.approved_version is distinct from plan.version;

-- As in api/db/views/check_task_transition.sql.
create function check_task_transition() returns trigger language plpgsql as $$
begin
  if old.status = new.status
     or (old.status, new.status) in (
       ('queued', 'planning'), ('queued', 'building'), ('queued', 'awaiting_approval'),
       ('queued', 'ready'),
       ('planning', 'awaiting_approval'), ('planning', 'awaiting_answer'), ('planning', 'ready'),
       ('planning', 'queued'),
       ('building', 'ready'), ('building', 'awaiting_answer'), ('building', 'queued'),
       ('building', 'awaiting_approval'),
       ('awaiting_answer', 'planning'), ('awaiting_answer', 'building'), ('awaiting_answer', 'queued'),
       ('awaiting_approval', 'queued'), ('awaiting_approval', 'planning'),
       ('awaiting_approval', 'building'),
       ('paused', 'queued'), ('paused', 'planning'), ('paused', 'building'),
       ('ready', 'queued'), ('ready', 'planning'), ('ready', 'building'),
       ('failed', 'queued'), ('cancelled', 'queued'))
     or (new.status in ('paused', 'failed') and old.status in
          ('queued', 'planning', 'building', 'awaiting_answer', 'awaiting_approval', 'paused'))
     or (new.status = 'cancelled' and old.status <> 'cancelled')
  then
    return new;
  end if;
  raise exception 'a task cannot go from % to %', old.status, new.status
    using errcode = 'integrity_constraint_violation', constraint = 'task_transition';
end $$;
create trigger task_transition before update of status on task
  for each row execute function check_task_transition();

create table task_turn (
  id                  uuid primary key default uuid_v7(),
  task_id             uuid not null references task on delete cascade,
  number              integer not null check (number > 0),
  kind                text not null check (kind in ('plan', 'build', 'prompt')),
  source              text not null unique check (length(source) between 1 and 200),
  prompt              text not null check (length(prompt) <= 400000),
  plan_version        integer,
  state               text not null default 'queued' check (state in
                        ('queued', 'running', 'waiting', 'done', 'failed', 'cancelled', 'interrupted')),
  requested_by_user_id uuid references app_user,
  account_id          uuid references billing_account,
  owner               text check (length(owner) between 1 and 200),
  attempt             integer not null default 0 check (attempt >= 0),
  lease_until         timestamptz,
  not_before          timestamptz not null default now(),
  deadline_at         timestamptz,
  cancel_requested_at timestamptz,
  spent_nano          bigint not null default 0 check (spent_nano >= 0),
  cap_nano            bigint check (cap_nano > 0),
  error               text check (length(error) <= 2000),
  created_at          timestamptz not null default now(),
  started_at          timestamptz,
  ended_at            timestamptz,
  constraint task_turn_numbered unique (task_id, number),
  constraint task_turn_of_revision foreign key (task_id, plan_version)
    references plan_revision on delete cascade,
  constraint task_turn_builds_a_plan check ((kind = 'build') = (plan_version is not null)),
  constraint task_turn_is_leased_while_it_runs check (
    (state in ('running', 'waiting')) = (owner is not null and lease_until is not null)),
  constraint task_turn_ends_once check (
    (state in ('done', 'failed', 'cancelled')) = (ended_at is not null))
);
create unique index task_turn_running on task_turn (task_id) where state in ('running', 'waiting');
create index task_turn_due on task_turn (not_before, id) where state in ('queued', 'interrupted');
create index task_turn_leased on task_turn (lease_until) where state in ('running', 'waiting');
create index task_turn_revision on task_turn (task_id, plan_version) where plan_version is not null;
create index task_turn_requested_by on task_turn (requested_by_user_id);
create index task_turn_account on task_turn (account_id);
comment on table task_turn is
  'One prompt to the agent and all the work until the agent ends it. At most one of a task runs.';
comment on column task_turn.source is
  'What asked for it (a message, an approval, a request for changes): makes it happen once.';
comment on column task_turn.plan_version is 'The approved version that a build turn carries out.';
comment on column task_turn.state is
  'waiting: for a person''s answer, with its agent alive. interrupted: free to be taken over.';
comment on column task_turn.owner is 'The worker that runs it, until lease_until.';
comment on column task_turn.attempt is 'How often it was claimed.';
comment on column task_turn.spent_nano is 'Nano-USD that it has cost so far.';
comment on column task_turn.account_id is 'The billing account that pays, known once it is claimed.';
grant select, insert, update, delete on task_turn to guildhall_app;

create table task_message (
  task_id        uuid not null references task on delete cascade,
  number         integer not null check (number > 0),
  turn_id        uuid references task_turn on delete cascade,
  role           text not null check (role in ('user', 'agent')),
  author_user_id uuid references app_user,
  content        text not null check (length(content) between 1 and 400000),
  created_at     timestamptz not null default now(),
  primary key (task_id, number),
  constraint task_message_has_author check ((role = 'user') = (author_user_id is not null))
);
create index task_message_turn on task_message (turn_id);
create index task_message_author on task_message (author_user_id);
comment on table task_message is
  'The conversation, which outlives the events of its turns. A person''s message of a turn that is queued has not been sent.';
grant select, insert, delete on task_message to guildhall_app;

create table agent_request (
  id                  uuid primary key default uuid_v7(),
  task_id             uuid not null references task on delete cascade,
  turn_id             uuid not null references task_turn on delete cascade,
  kind                text not null check (kind in ('question', 'permission')),
  title               text not null check (length(title) between 1 and 2000),
  options             jsonb not null default '[]' check (jsonb_typeof(options) = 'array'),
  state               text not null default 'open' check (state in ('open', 'answered', 'withdrawn')),
  answer_option_id    text check (length(answer_option_id) between 1 and 200),
  answer_text         text check (length(answer_text) between 1 and 20000),
  answered_by_user_id uuid references app_user,
  created_at          timestamptz not null default now(),
  ended_at            timestamptz,
  constraint agent_request_answer_is_complete check (
    case state
      when 'answered' then num_nonnulls(answer_option_id, answer_text) = 1
                           and answered_by_user_id is not null and ended_at is not null
      when 'withdrawn' then num_nonnulls(answer_option_id, answer_text, answered_by_user_id) = 0
                            and ended_at is not null
      else num_nonnulls(answer_option_id, answer_text, answered_by_user_id, ended_at) = 0 end)
);
create index agent_request_of_task on agent_request (task_id, created_at, id);
create index agent_request_turn on agent_request (turn_id);
create index agent_request_answered_by on agent_request (answered_by_user_id);
comment on table agent_request is 'A question or a permission that an agent waits for.';
comment on column agent_request.options is 'Objects with id and name; empty when any text answers it.';
grant select, insert, update on agent_request to guildhall_app;

create table pod (
  id          uuid primary key default uuid_v7(),
  task_id     uuid not null references task on delete cascade,
  driver      text not null check (length(driver) between 1 and 50),
  external_id text check (length(external_id) between 1 and 300),
  state       text not null check (state in
                ('creating', 'running', 'paused', 'destroying', 'absent', 'failed', 'unknown')),
  generation  integer not null default 1 check (generation > 0),
  reason      text check (length(reason) between 1 and 500),
  created_at  timestamptz not null default now(),
  started_at  timestamptz,
  expires_at  timestamptz,
  constraint pod_failed_for_a_reason check ((state = 'failed') = (reason is not null))
);
create unique index pod_of_task on pod (task_id) where state not in ('absent', 'failed');
create index pod_all_of_task on pod (task_id, created_at);
create index pod_expiring on pod (expires_at) where state not in ('absent', 'failed');
comment on table pod is 'Where the agent of a task works. At most one exists per task.';
comment on column pod.state is
  'unknown: its driver does not answer; it is replaced only after the driver has answered absent twice.';
grant select, insert, update on pod to guildhall_app;
grant insert, update, delete on task to guildhall_app;
