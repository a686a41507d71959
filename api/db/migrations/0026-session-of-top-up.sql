-- A charge from a browser session has no key: the audit row of its credit names the session.
alter table top_up add column session_id uuid;
comment on column top_up.session_id is 'The browser session that asked for the charge, if one did.';

drop trigger top_up_keeps_its_request on top_up;
create trigger top_up_keeps_its_request
  before update of id, account_id, user_id, key_id, session_id, request_id, payment_method_id, amount, processor
  on top_up for each row
  execute function keep_columns('id', 'account_id', 'user_id', 'key_id', 'session_id', 'request_id',
                                'payment_method_id', 'amount', 'processor');
