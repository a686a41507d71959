-- What is asked of GitHub every second: which pull requests and merges are due, and which logs of
-- checks are missing (docs/decisions/0049-tasks-on-github.md).
alter table merge add column looked_at timestamptz;
comment on column merge.looked_at is
  'When GitHub was last asked how the merge commit is deployed; null when it is to be asked now, and for the local host.';
create index merge_to_look_at on merge (ended_at) where state = 'merged';

drop index pull_request_due;
-- Those of GitHub have an address there.
create index pull_request_on_github on pull_request (looked_at nulls first)
  where url is not null and (state = 'open' or looked_at is null);
create index check_suite_failed on check_suite (task_id) where conclusion = 'failed';
