-- run outside a transaction
create index concurrently pull_request_merged_unknown on pull_request (merged_looked_at nulls first)
  where state = 'merged' and merged_head_sha is null;
