-- What was asked for stays as it was asked for, also in rows whose state goes on: nobody rewrites the past by an update.

create function keep_columns() returns trigger language plpgsql as $$
declare
  name text;
begin
  foreach name in array tg_argv loop
    if to_jsonb(new) -> name is distinct from to_jsonb(old) -> name then
      raise exception '%.% never changes', tg_table_name, name using errcode = 'integrity_constraint_violation';
    end if;
  end loop;
  return new;
end $$;

create trigger top_up_keeps_its_request before update of id, account_id, user_id, key_id, request_id, payment_method_id, amount
  on top_up for each row
  execute function keep_columns('id', 'account_id', 'user_id', 'key_id', 'request_id', 'payment_method_id', 'amount');
create trigger refund_keeps_its_request before update of id, top_up_id, amount
  on refund for each row execute function keep_columns('id', 'top_up_id', 'amount');
create trigger api_key_stays before update of id, user_id, secret_hash, created_at
  on api_key for each row execute function keep_columns('id', 'user_id', 'secret_hash', 'created_at');
create trigger api_key_stays_revoked before update of revoked_at
  on api_key for each row when (old.revoked_at is not null) execute function keep_columns('revoked_at');
create trigger outbox_keeps_its_message before update of id, topic, key, payload, created_at
  on outbox for each row execute function keep_columns('id', 'topic', 'key', 'payload', 'created_at');
