-- Charges that their cardholder confirms in the browser (docs/decisions/0058-confirming-charges.md).
alter table top_up add column attended_until timestamptz;
comment on column top_up.attended_until is
  'Until when the cardholder may confirm the charge in the browser; null where no one is there.';
