-- The row of the mode is locked until the commit of a top-up by the sandbox, so that the change that
-- ends test money waits for it, and then sees it. Those by Stripe lock nothing, because they are many:
-- its test mode ends with the key of the server.
create or replace function refuse_test_money(processor text, begun_at timestamptz) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if processor = 'sandbox' then
    perform from billing_mode for share;
  end if;
  perform from billing_mode m
   where (processor = 'sandbox' and m.mode <> 'sandbox') or begun_at < m.real_since;
  if found then
    raise exception 'test money is not taken any more' using errcode = 'GH003';
  end if;
end $$;
comment on function refuse_test_money(text, timestamptz) is
  'Raises GH003 for a top-up that test cards pay, once the installation has left the sandbox.';
