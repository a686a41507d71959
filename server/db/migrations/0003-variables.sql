-- Variables and secrets of a project, for the processes that its tasks, checks and deploys run.
create table project_variable (
  id                 uuid primary key default gen_random_uuid(),
  project_id         uuid not null references project on delete cascade,
  name               text not null check (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$'),
  stage              text check (stage in ('staging', 'production')),
  purposes           text[] not null,
  value              text check (octet_length(value) <= 32768),
  sealed             bytea check (octet_length(sealed) between 32 and 32796),
  sealed_key_id      text check (length(sealed_key_id) = 16),
  updated_at         timestamptz not null default now(),
  updated_by_user_id uuid not null references app_user,
  constraint project_variable_is_one unique nulls not distinct (project_id, name, stage),
  -- Each of the four at most once, and nothing else.
  constraint project_variable_purposes_are_known
    check (cardinality(purposes) >= 1 and array_position(purposes, null) is null
      and cardinality(purposes) = ('setup' = any (purposes))::integer
        + ('agent' = any (purposes))::integer + ('checks' = any (purposes))::integer
        + ('deploy' = any (purposes))::integer),
  constraint project_variable_stage_is_of_deploys
    check (stage is null or purposes = array['deploy']),
  constraint project_variable_has_one_value check (num_nonnulls(value, sealed) = 1),
  constraint project_variable_sealed_is_whole check (num_nulls(sealed, sealed_key_id) in (0, 2))
);
comment on table project_variable is
  'A variable of the environment of what a project runs: plain, or a secret, which is sealed. One with a stage is for deploys of that stage and wins over the one without.';
comment on column project_variable.purposes is
  'Which processes get it: the setup of an environment, agents, checks, deploys.';
comment on column project_variable.sealed is
  'AES-256-GCM: nonce, ciphertext and tag, bound to the project, the name and the stage.';
comment on column project_variable.sealed_key_id is 'Which key of the servers opens it.';
create index project_variable_by_user on project_variable (updated_by_user_id);
grant select, insert, update, delete on project_variable to guildhall_app;
