-- run outside a transaction
-- What was merged last, of each repository.
create index concurrently pull_request_merged_last
  on pull_request (repository_id, updated_at desc, task_id desc) where state = 'merged';
