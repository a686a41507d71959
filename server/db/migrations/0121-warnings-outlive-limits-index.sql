-- run outside a transaction
create unique index concurrently spend_limit_warning_once_of_subject on spend_limit_warning (account_id, subject_id, month, level, amount, user_id) nulls not distinct;
