-- run outside a transaction
-- Metrics count the pods that exist, by driver and state, from the index alone.
create index concurrently pod_existing on pod (expires_at) include (driver, state)
  where state not in ('absent', 'failed');
drop index concurrently if exists pod_expiring;
