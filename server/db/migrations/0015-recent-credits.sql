-- The credits of the last seconds: an identical request without an Idempotency-Key gets the same top-up.
create index ledger_transfer_top_up on ledger_transfer (account_id, created_at) where kind = 'top_up';
