-- run outside a transaction
create index concurrently task_title_search on task using gin (lower(title) gin_trgm_ops);
create index concurrently task_by_status on task (project_id, status, created_at desc, id desc);
create index concurrently task_by_creator on task (project_id, created_by_user_id, created_at desc, id desc);
create index concurrently agent_request_open on agent_request (task_id) where state = 'open';
