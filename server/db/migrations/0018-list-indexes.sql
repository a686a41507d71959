-- run outside a transaction

-- The lists of projects and tasks, in their order; the first columns also serve the foreign keys.
create index concurrently project_of_workspace on project (organization_id, (lower(name) collate "C"), id);
create index concurrently project_of_owner on project (owner_user_id, (lower(name) collate "C"), id);
create index concurrently task_newest on task (project_id, created_at desc, id desc);
drop index concurrently if exists project_organization;
drop index concurrently if exists task_project;

create index concurrently task_created_by on task (created_by_user_id);
create index concurrently invitation_invited_by on invitation (invited_by_user_id);
create index concurrently plan_approval_approved_by on plan_approval (approved_by_user_id);

-- For the foreign key plan_approved_as of the next file.
create unique index concurrently plan_approval_whole
  on plan_approval (task_id, version, approved_by_user_id, approved_at);
