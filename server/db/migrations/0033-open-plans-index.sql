-- run outside a transaction

create index concurrently plan_open on plan (project_id) where approved_version is distinct from version;
