-- run outside a transaction
-- Usage that is not charged is never settled, and would fill the index of what is pending.
create index concurrently usage_event_unsettled on usage_event (account_id, occurred_at, id) where settlement_id is null and charged;
drop index concurrently if exists usage_event_pending;
