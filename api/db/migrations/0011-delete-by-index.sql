-- Deleting a workspace takes its invitations of every status with it; the other indexes know the pending ones only.
create index invitation_organization on invitation (organization_id);
