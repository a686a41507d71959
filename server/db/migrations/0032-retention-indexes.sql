-- run outside a transaction
-- What is due to be removed, oldest first.
create index concurrently task_conversation_kept on task (archived_at)
  where archived_at is not null
    and (conversation_removed_at is null or conversation_removed_at < archived_at);
create index concurrently task_files_kept on task (archived_at)
  where archived_at is not null
    and (files_removed_at is null or files_removed_at < archived_at);
create index concurrently check_log_kept on check_log (updated_at) where removed_at is null;
create index concurrently deploy_log_kept on deploy_log (updated_at) where removed_at is null;
create index concurrently pod_log_kept on pod_log (updated_at) where removed_at is null;
create index concurrently session_end on session ((coalesce(ended_at, expires_at)));
create index concurrently sign_in_link_end on sign_in_link ((coalesce(ended_at, expires_at)));
create index concurrently invitation_closed on invitation (updated_at) where status <> 'pending';
