-- That the agent was asked to fix checks (docs/decisions: fixing checks).
create table check_fix (
  suite_id       uuid primary key references check_suite on delete cascade,
  task_id        uuid not null,
  message_number integer not null,
  created_at     timestamptz not null default clock_timestamp(),
  unique (task_id, message_number),
  foreign key (task_id, message_number) references task_message (task_id, number) on delete cascade
);
comment on table check_fix is
  'The message that asks the agent to fix the failed checks of a commit: one for each.';
grant select, insert on check_fix to guildhall_app;

alter table pull_request add column pushed_at timestamptz;
comment on column pull_request.pushed_at is
  'When a person has last moved the branch of the task, as far as this server knows.';

create index pull_request_open on pull_request (repository_id) where state = 'open';
