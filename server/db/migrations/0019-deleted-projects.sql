-- A project can be deleted, and all that belongs to it goes with it. Revisions and approvals of a plan stay insert-only as
-- long as their task exists: api/db/views/refuse_change_of_plan.sql.

-- The plan goes first, so that a deletion locks rows in the order in which an approval does. `not valid` leaves the rows
-- that exist to the next file, which checks them without stopping writes.
alter table plan
  add constraint plan_of_task foreign key (task_id)
    references task on delete cascade not valid,
  add constraint plan_current_revision foreign key (task_id, version)
    references plan_revision (task_id, version) on delete cascade not valid,
  -- What the plan says of its approval is what the approval says.
  add constraint plan_approved_as foreign key (task_id, approved_version, approved_by_user_id, approved_at)
    references plan_approval (task_id, version, approved_by_user_id, approved_at) on delete cascade not valid;
alter table plan_revision
  add constraint plan_revision_of_task foreign key (task_id)
    references task on delete cascade not valid;
alter table plan_approval
  add constraint plan_approval_of_revision foreign key (task_id, version)
    references plan_revision (task_id, version) on delete cascade not valid;
alter table team_project
  add constraint team_project_of_project foreign key (project_id, organization_id)
    references project (id, organization_id) on delete cascade not valid;

-- Rows that exist get the time of this migration.
alter table project add column updated_at timestamptz not null default now();
alter table task add column updated_at timestamptz not null default now();
