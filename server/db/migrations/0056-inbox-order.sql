-- run outside a transaction

-- A page of the inbox reads the newest plans of each project that wait, and no others.
create index concurrently plan_open_newest on plan (project_id, revised_at desc, task_id desc)
 where approved_version is distinct from version;
drop index concurrently if exists plan_open;
-- task_by_status finds the same tasks.
drop index concurrently if exists task_awaiting_approval;
