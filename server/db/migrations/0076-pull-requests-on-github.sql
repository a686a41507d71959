-- Pull requests whose code is on GitHub (docs/decisions/0049-tasks-on-github.md).
alter table pull_request
  add column url       text check (length(url) between 1 and 2000),
  add column base_sha  text check (base_sha ~ '^[0-9a-f]{40}$'),
  add column mergeable boolean;
comment on column pull_request.url is 'Where GitHub shows it; null for the local host.';
comment on column pull_request.base_sha is
  'The last commit of its base when GitHub was last looked at; null for the local host.';
comment on column pull_request.mergeable is
  'Whether GitHub said that it can be merged; null while GitHub computes it, and for the local host.';
create index pull_request_due on pull_request (task_id) where looked_at is null;
