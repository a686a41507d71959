-- What a pull request has merged, for ever: docs/git.md.
alter table pull_request add column merged_base_sha text;
alter table pull_request add column merged_head_sha text;
alter table pull_request add column merged_looked_at timestamptz;
alter table pull_request add constraint pull_request_merged_range
  check ((merged_base_sha is null) = (merged_head_sha is null)
         and (merged_head_sha is null or state = 'merged')
         and merged_base_sha ~ '^[0-9a-f]{40}$' and merged_head_sha ~ '^[0-9a-f]{40}$') not valid;
comment on column pull_request.merged_base_sha is
  'With merged_head_sha, the two commits between which what was merged is the difference. A reference of the repository keeps both. Null until they are known.';
comment on column pull_request.merged_looked_at is
  'When both were last searched for in the repository of the server.';
