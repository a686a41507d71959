-- run outside a transaction

create index concurrently plan_revision_author on plan_revision (author_user_id);
-- What waits for approval is found by project.
create index concurrently task_awaiting_approval on task (project_id)
 where status = 'awaiting_approval';
