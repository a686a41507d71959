-- run outside a transaction
-- An export reads lines in the order of their time. A workspace is found by its account.
create index concurrently usage_event_of_account on usage_event (account_id, occurred_at, id);
create index concurrently usage_event_of_user on usage_event (user_id, occurred_at, id);
create index concurrently usage_event_of_project on usage_event (project_id, occurred_at, id);
create index concurrently usage_event_of_task on usage_event (task_id, occurred_at, id);
drop index concurrently if exists usage_day_of_workspace;
