-- run outside a transaction
create index concurrently pod_uncounted on pod (counted_until, id)
  where counted_until is not null or uncounted_ms >= 1000;
