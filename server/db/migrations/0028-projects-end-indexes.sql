-- run outside a transaction

-- Deleting a project deletes its invitations, also those that are no longer pending.
create index concurrently invitation_project on invitation (project_id);
-- Deleting a project releases what its tasks hold.
create index concurrently hold_open_for on hold (reference_id) where status = 'open';
