-- run outside a transaction
-- Lists of tasks in the order of their last change, over many projects: what most filters need is in
-- the index, so that tasks that are not shown are not read.
create index concurrently task_changed on task (project_id, updated_at desc, id desc)
  include (status, archived_at, created_by_user_id, model);
create index concurrently task_by_status_changed
  on task (project_id, status, updated_at desc, id desc) include (archived_at);
