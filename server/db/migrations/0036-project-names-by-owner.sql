-- run outside a transaction

-- Names of projects are searched among the projects that the caller can open, which are read by
-- their workspaces and owners. The planner combined this index with those, once for each workspace,
-- and so read the matching names of all tenants.
drop index concurrently if exists project_name_search;
