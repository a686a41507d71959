-- run outside a transaction

create index concurrently invitation_of_address on invitation (lower(email), created_at desc, id desc)
 where status = 'pending';
create index concurrently invitation_of_project on invitation (project_id, created_at desc, id desc)
 where status = 'pending';
create index concurrently audit_event_of_project on audit_event (project_id, id) where project_id is not null;
create index concurrently audit_event_of_workspace on audit_event (organization_id, occurred_at desc, id desc);
drop index concurrently if exists audit_event_organization;

-- Substring search in names and addresses.
create index concurrently app_user_name_search on app_user using gin (lower(name) gin_trgm_ops);
create index concurrently app_user_email_search on app_user using gin (lower(email) gin_trgm_ops);
create index concurrently project_name_search on project using gin (lower(name) gin_trgm_ops);
