-- Money that goes back to a card. Amounts in micro-USD.

-- A refund or a dispute pauses auto-reload: the next charge of the same card would be the next dispute.
alter table auto_reload drop constraint auto_reload_paused_reason_check,
  add constraint auto_reload_paused_reason_check check (paused_reason in
    ('declined', 'authentication_required', 'card_lost', 'refunded', 'disputed'));

-- What the processor took is posted whole, also when that is more than the charge was: a bank may withdraw more.
alter table top_up
  drop constraint top_up_check,
  drop constraint top_up_check1,
  add constraint top_up_refunded_check check (refunded >= 0),
  add constraint top_up_disputed_check check (disputed >= 0);
