-- run outside a transaction
-- The lists of operators, over all workspaces.
create index concurrently audit_event_for_operators
  on audit_event (occurred_at desc, id desc) where for_operators;
create index concurrently webhook_delivery_failed
  on webhook_delivery (created_at desc, id desc) where state = 'failed';
create index concurrently organization_by_name on organization (lower(name) collate "C", id);
create index concurrently organization_name_search
  on organization using gin (lower(name) gin_trgm_ops);
