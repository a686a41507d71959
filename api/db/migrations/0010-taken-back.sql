-- Money that goes back to a card. Amounts in micro-USD.

-- A refund or a dispute pauses auto-reload: the next charge of the same card would be the next dispute.
alter table auto_reload drop constraint auto_reload_paused_reason_check,
  add constraint auto_reload_paused_reason_check check (paused_reason in
    ('declined', 'authentication_required', 'card_lost', 'refunded', 'disputed'));
