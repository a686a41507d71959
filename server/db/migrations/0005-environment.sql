create table project_environment (
  project_id            uuid primary key references project on delete cascade,
  image                 text check (length(image) between 1 and 100),
  setup                 text check (length(setup) between 1 and 4000),
  setup_timeout_minutes integer check (setup_timeout_minutes between 1 and 60),
  cache                 text[] check (cardinality(cache) <= 20)
);
comment on table project_environment is
  'What the admins of a project say about the environment of its commands. Null leaves a field to the build file of the commit.';
comment on column project_environment.image is
  'An image of the catalog, by its id; for pods that are containers.';
comment on column project_environment.setup is
  'A command for the shell that runs in a pod before the agent, a check or a deploy.';
comment on column project_environment.cache is
  'Files of the repository: the result of the setup is kept until one of them changes.';
grant select, insert, update, delete on project_environment to guildhall_app;

alter table pod add column set_up_at timestamptz;
comment on column pod.set_up_at is
  'When the setup of its environment had succeeded in it: before, a turn runs it again.';
