-- run outside a transaction

-- Finds one membership of a person in many workspaces by itself; with the user alone, each of a
-- person's 2,000 projects looked through all of their 500 memberships.
create index concurrently membership_of_user on membership (user_id, organization_id);
drop index concurrently if exists membership_user;
