-- The inbox: tasks whose agent has ended, for whoever began them, and what each person has set aside.

create table task_outcome (
  task_id    uuid primary key,
  project_id uuid not null,
  user_id    uuid not null references app_user,
  since      timestamptz not null,
  constraint task_outcome_of_task
    foreign key (task_id, project_id) references task (id, project_id) on delete cascade
);
comment on table task_outcome is
  'The tasks that are ready or failed, for whoever began them; those that have been so since before this table are left out.';
comment on column task_outcome.user_id is 'Who began the task.';
comment on column task_outcome.since is 'When it became ready or failed.';
create index task_outcome_newest on task_outcome (project_id, user_id, since desc, task_id desc);
create index task_outcome_of_user on task_outcome (user_id);
grant select, insert, update, delete on task_outcome to guildhall_app;

create table inbox_mark (
  user_id       uuid not null references app_user,
  task_id       uuid not null references task on delete cascade,
  seen          timestamptz not null,
  snoozed_until timestamptz,
  primary key (user_id, task_id)
);
comment on table inbox_mark is 'What a person has set aside of their inbox: the entries of a task.';
comment on column inbox_mark.seen is
  'Entries of the task up to this time are set aside; later ones are shown.';
comment on column inbox_mark.snoozed_until is
  'When they are shown again; null is not before something new happens.';
create index inbox_mark_of_task on inbox_mark (task_id);
grant select, insert, update, delete on inbox_mark to guildhall_app;
