-- run outside a transaction
-- Cards that end soon are found by their expiry.
create index concurrently payment_method_expiry on payment_method (exp_year, exp_month)
 where detached_at is null;
