-- run outside a transaction
create unique index concurrently task_of_project on task (id, project_id);
