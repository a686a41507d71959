alter table plan
  validate constraint plan_of_task,
  validate constraint plan_current_revision,
  validate constraint plan_approved_as;
alter table plan_revision validate constraint plan_revision_of_task;
alter table plan_approval validate constraint plan_approval_of_revision;
alter table team_project validate constraint team_project_of_project;

-- Replaced by those above.
alter table plan
  drop constraint plan_task_id_fkey,
  drop constraint plan_task_id_version_fkey,
  drop constraint plan_task_id_approved_version_fkey;
alter table plan_revision drop constraint plan_revision_task_id_fkey;
alter table plan_approval drop constraint plan_approval_task_id_version_fkey;
alter table team_project drop constraint team_project_project_id_organization_id_fkey;
