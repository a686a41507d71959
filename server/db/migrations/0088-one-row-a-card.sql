-- run outside a transaction
-- A card that the processor keeps has one row. Its published test cards, `pm_card_…`, belong to
-- everyone.
create unique index concurrently payment_method_token on payment_method (token)
  where token ~ '^pm_[0-9A-Za-z]+$';
