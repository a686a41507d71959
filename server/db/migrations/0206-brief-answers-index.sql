-- run outside a transaction
create index concurrently idempotency_key_brief on idempotency_key (claimed_at)
  where brief_body is not null;
